/** Unique indexes: which rows have equal keys, and how an equal key is told to the user. */
import { SqlError } from '../../errors.ts';
import { columnByAttribute, type Index, type Relation } from '../../catalog/model.ts';
import type { NameHash } from '../../storage/seal.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';

/** The primary key first: what it replaces is no obstacle to the others. */
export const uniqueIndexes = (relation: Relation): readonly Index[] =>
  relation.indexes
    .filter((index) => index.unique || index.primary)
    .sort((a, b) => Number(b.primary) - Number(a.primary));

/** Types of an index's columns, in its order. */
export function keyTypes(relation: Relation, index: Index): readonly number[] {
  return index.columns.map((attribute) => columnByAttribute(relation, attribute)?.type.oid ?? 0);
}

/** Name of a key in the store; null when a part of it is NULL, which equals nothing. */
export function keyHash(
  names: NameHash,
  scope: string,
  key: readonly Datum[],
  types: readonly number[],
): string | null {
  let text = scope;
  for (let i = 0; i < key.length; i++) {
    const datum = key[i] ?? null;
    if (datum === null) return null;
    const part = partText(datum, types[i] ?? 0);
    text += `\0${part.length}:${part}`;
  }
  return names.hash(text);
}

function partText(datum: Datum, oid: number): string {
  if (typeof datum === 'string') return `s${datum}`;
  const type = typeByOid(oid);
  const primitive = type.hashKey?.(datum);
  if (primitive !== undefined) return `${typeof primitive}${primitive}`;
  return `b${Buffer.from(type.send(datum as never)).toString('latin1')}`;
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
  const names = index.columns.map((attribute) => columnByAttribute(relation, attribute)?.name ?? '?');
  const types = keyTypes(relation, index);
  const values = key.map((datum, i) =>
    datum === null ? 'null' : typeByOid(types[i] ?? 0).format(datum, DEFAULT_SETTINGS),
  );
  return `Key (${names.join(', ')})=(${values.join(', ')})`;
}
