/** `key IN (…)` and `key = ANY (array)` on a unique column: a look-up a key instead of a scan. */
import type { Part } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { isConstant } from '../expression/columns-read.ts';
import type { ScanSource } from './scan-rows.ts';

/** A look-up costs as much as looking at about so many rows. */
const ROWS_PER_LOOKUP = 100;

/** Ascending positions by part of the rows with such a key; null when the filter does not list keys. */
export async function listedRows(
  source: ScanSource,
  parts: readonly Part[],
  filter: readonly Expression[],
): Promise<ReadonlyMap<Part, Uint32Array> | null> {
  const rowCount = parts.reduce((sum, part) => sum + part.rowCount, 0);
  for (const condition of filter) {
    const list = keyList(condition);
    const index = list && uniqueIndex(source, list);
    if (!list || index === null) continue;
    const keys = await listedKeys(list, source);
    if (keys === null || keys.length * ROWS_PER_LOOKUP > rowCount) continue;
    return findKeys(source, index, keys);
  }
  return null;
}

interface KeyList {
  /** Output position of the column. */
  readonly column: number;
  readonly type: number;
  readonly items: readonly Expression[] | Expression;
}

function keyList(condition: Expression): KeyList | null {
  if (condition.kind === 'in' && !condition.negated) {
    const { input, items } = condition;
    const same = items.every((item) => item.type.oid === input.type.oid && isConstant(item));
    return input.kind === 'column' && same ? { column: input.index, type: input.type.oid, items } : null;
  }
  if (condition.kind !== 'quantified' || condition.quantifier !== 'any') return null;
  const { left, array, operator } = condition;
  if (left.kind !== 'column' || !isConstant(array) || functionById(operator).name !== '=') return null;
  if (typeByOid(array.type.oid).elementOid !== left.type.oid) return null;
  return { column: left.index, type: left.type.oid, items: array };
}

/** OID of a unique index on that column alone. */
function uniqueIndex({ plan, run }: ScanSource, { column, type }: KeyList): number | null {
  const attribute = plan.columns[column];
  const relation = run.snapshot.catalog.relations.get(plan.relation);
  const described = relation?.columns.find((candidate) => candidate.attribute === attribute);
  if (attribute === undefined || described?.type.oid !== type) return null;
  const fits = relation?.indexes.find(
    ({ unique, primary, columns }) => (unique || primary) && columns.length === 1 && columns[0] === attribute,
  );
  return fits?.oid ?? null;
}

/** Null when one fails: the filter itself raises that, if any row comes to it. */
async function listedKeys({ items }: KeyList, { run }: ScanSource): Promise<readonly Datum[] | null> {
  try {
    if (!Array.isArray(items)) {
      const array = (await evaluateConstant(items as Expression, run)) as ArrayDatum | null;
      return (array?.elements ?? []).filter((key) => key !== null);
    }
    const keys: Datum[] = [];
    for (const item of items) keys.push(await evaluateConstant(item, run));
    return keys.filter((key) => key !== null);
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

function findKeys(
  { plan, run }: ScanSource,
  index: number,
  keys: readonly Datum[],
): ReadonlyMap<Part, Uint32Array> {
  const found = new Map<Part, Set<number>>();
  for (const key of keys) {
    for (const { part, row } of run.snapshot.lookupAll(plan.relation, plan.partition, index, [key])) {
      const rows = found.get(part);
      if (rows === undefined) found.set(part, new Set([row]));
      else rows.add(row);
    }
  }
  return new Map([...found].map(([part, rows]) => [part, Uint32Array.from(rows).sort()]));
}
