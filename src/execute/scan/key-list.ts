/** Rows of a list of keys (`physical/choices/key-list.ts`): a look-up a key instead of a scan. */
import type { Part } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { ScanWay } from '../../physical/physical.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Task, wait } from '../../task.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { GUARDS } from '../guards.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { ScanSource } from './scan-rows.ts';

/** Ascending positions by part of the rows with such a key; null where looking at every row is as good. */
export function* listedRows(
  source: ScanSource,
  parts: readonly Part[],
): Task<ReadonlyMap<Part, Uint32Array> | null> {
  const rowCount = parts.reduce((sum, part) => sum + part.rowCount, 0);
  for (const way of source.plan.ways) {
    if (way.kind !== 'key list') continue;
    const keys = yield* listedKeys(way, source);
    if (keys === null || keys.length * GUARDS.rowsPerLookup > rowCount) continue;
    return findKeys(source, way.index, keys);
  }
  return null;
}

type KeyList = Extract<ScanWay, { kind: 'key list' }>;

/** Null when one fails: the filter itself raises that, if any row comes to it. */
function* listedKeys({ keys: items }: KeyList, { run }: ScanSource): Task<readonly Datum[] | null> {
  try {
    if (!Array.isArray(items)) {
      const array = (yield* wait(evaluateConstant(items as Expression, run))) as ArrayDatum | null;
      return (array?.elements ?? []).filter((key) => key !== null);
    }
    const keys: Datum[] = [];
    for (const item of items) keys.push(yield* wait(evaluateConstant(item, run)));
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
  // Rows found from now on are in these.
  run.snapshot.parts(plan.relation, plan.partition, true);
  for (const key of keys) {
    for (const { part, row } of run.snapshot.lookupAll(plan.relation, plan.partition, index, [key])) {
      const rows = found.get(part);
      if (rows === undefined) found.set(part, new Set([row]));
      else rows.add(row);
    }
  }
  return new Map([...found].map(([part, rows]) => [part, Uint32Array.from(rows).sort()]));
}
