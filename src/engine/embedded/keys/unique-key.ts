/** Unique indexes: which rows have equal keys, and how an equal key is told to the user. */
import { settingsWithEnums } from '../../../catalog/enums.ts';
import { elementText } from '../../../catalog/definitions.ts';
import {
  type Catalog,
  columnByAttribute,
  type Index,
  indexShape,
  type Relation,
} from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Datum } from '../../../types/datum.ts';
import { typeByOid } from '../../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../../types/settings.ts';

/** A unique index with what its names depend on. */
export interface UniqueKey {
  readonly relation: Relation;
  readonly index: Index;
  /** Types of its columns, in its order. */
  readonly types: readonly number[];
  /** Same for keys whose names can be compared. */
  readonly id: string;
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

/** @throws never; makes the error 23505 in PostgreSQL's words. */
export function duplicateKey(
  catalog: Catalog,
  { relation, index }: Pick<UniqueKey, 'relation' | 'index'>,
  key: readonly Datum[],
): SqlError {
  const constraint = relation.constraints.find((c) => c.index === index.oid);
  const name = constraint?.name ?? index.name;
  return new SqlError('unique_violation', `duplicate key value violates unique constraint "${name}"`, {
    detail: `${describeKey(catalog, { relation, index }, key)} already exists.`,
    table: relation.name,
    constraint: name,
  });
}

/** `Key (_id)=(b1)`. @param catalog has the labels of enums. */
export function describeKey(
  catalog: Catalog,
  { relation, index }: Pick<UniqueKey, 'relation' | 'index'>,
  key: readonly Datum[],
): string {
  const settings = settingsWithEnums(DEFAULT_SETTINGS, catalog);
  const names = indexShape(relation, index).elements.map((element) => elementText(relation, element));
  const { types } = uniqueKey(relation, index);
  const values = key
    .slice(0, names.length)
    .map((datum, i) => (datum === null ? 'null' : typeByOid(types[i] ?? 0).format(datum, settings)));
  return `Key (${names.join(', ')})=(${values.join(', ')})`;
}
