/** Unique indexes: which rows have equal keys, and how an equal key is told to the user. */
import { elementText } from '../../../catalog/definitions.ts';
import { columnByAttribute, type Index, indexShape, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { NameCipher } from '../../../storage/seal.ts';
import type { Datum } from '../../../types/datum.ts';
import { typeByOid } from '../../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../../types/settings.ts';
import { hasBit } from '../../../types/column/bitset.ts';
import { keyNames } from './key-names.ts';
import { readColumn } from '../head/part.ts';
import type { Run, Source } from '../head/source.ts';

/** A unique index with what its names depend on. */
export interface UniqueKey {
  readonly relation: Relation;
  readonly index: Index;
  /** Types of its columns, in its order. */
  readonly types: readonly number[];
  /** Same for keys whose names can be compared. */
  readonly id: string;
}

/** Where a key is: a run that has it, and the row's position there. */
interface KeyPlace {
  readonly run: Run;
  readonly position: number;
}

function uniqueKey(relation: Relation, index: Index): UniqueKey {
  const types = index.columns.map((attribute) => columnByAttribute(relation, attribute)?.type.oid ?? 0);
  const id = `${index.oid}/${index.columns.join()}/${types.join()}/${index.equalNulls ?? 0}`;
  return { relation, index, types, id };
}

/** Relations are replaced, not changed, so what follows from one is found once. */
const KEYS = new WeakMap<Relation, readonly UniqueKey[]>();

/** The primary key first: what it replaces is no obstacle to the others. */
export function uniqueKeys(relation: Relation): readonly UniqueKey[] {
  let keys = KEYS.get(relation);
  if (keys === undefined) {
    keys = relation.indexes
      .filter((index) => index.unique || index.primary)
      .sort((a, b) => Number(b.primary) - Number(a.primary))
      .map((index) => uniqueKey(relation, index));
    KEYS.set(relation, keys);
  }
  return keys;
}

/** Names of the keys of a source's rows [start, end). */
export function rowNames(
  source: Source,
  { relation, index, types }: UniqueKey,
  { cipher, start, end }: { cipher: NameCipher; start: number; end: number },
): Uint32Array {
  const columns = index.columns.map((attribute) => readColumn(source, relation, attribute, start, end));
  return keyNames(cipher, columns, types, index.equalNulls);
}

/** The visible row with the name at `names[at]`; there is one at most. */
export function findKey(
  runs: readonly Run[],
  key: UniqueKey,
  { cipher, names, at }: { cipher: NameCipher; names: Uint32Array; at: number },
): KeyPlace | null {
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i] as Run;
    const table = run.source.keys(key, cipher);
    for (let row = table.newest(names, at); row >= 0; row = table.older(row)) {
      const isVisible = row < run.rowCount && (run.visible === null || hasBit(run.visible, row));
      if (isVisible) return { run, position: row };
    }
  }
  return null;
}

/** @throws never; makes the error 23505 in PostgreSQL's words. */
export function duplicateKey(relation: Relation, index: Index, key: readonly Datum[]): SqlError {
  const constraint = relation.constraints.find((c) => c.index === index.oid);
  const name = constraint?.name ?? index.name;
  return new SqlError('unique_violation', `duplicate key value violates unique constraint "${name}"`, {
    detail: `${describeKey(relation, index, key)} already exists.`,
    table: relation.name,
    constraint: name,
  });
}

/** `Key (_id)=(b1)`. */
export function describeKey(relation: Relation, index: Index, key: readonly Datum[]): string {
  const names = indexShape(relation, index).elements.map((element) => elementText(relation, element));
  const { types } = uniqueKey(relation, index);
  const values = key
    .slice(0, names.length)
    .map((datum, i) => (datum === null ? 'null' : typeByOid(types[i] ?? 0).format(datum, DEFAULT_SETTINGS)));
  return `Key (${names.join(', ')})=(${values.join(', ')})`;
}
