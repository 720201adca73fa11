/** The relation that simulations write to, and what a row of it is. */
import { emptyCatalog } from '../../src/catalog/edit/edit.ts';
import type { Catalog, Column, Index, Relation } from '../../src/catalog/model.ts';
import type { NewRows } from '../../src/engine/engine.ts';
import { OID } from '../../src/types/oids.ts';
import { vectorOf } from '../../src/types/column/vector.ts';

export const ITEMS = 16385;
export const ITEMS_KEY = 16386;
export const TAG_KEY = 16387;
export const GROUP_KEY = 16388;
export const NUMBERS = 16389;
export const TURN_KEY = 16390;

export interface Row {
  readonly id: string;
  readonly value: string;
  /** Unique where it is not null. */
  readonly tag: string | null;
  /** Unique while there is an index GROUP_KEY. */
  readonly group: string;
  /** Unique after each commit where it is not null, and there is the index TURN_KEY; null without it. */
  readonly turn: string | null;
}

/** A few, so that clients meet. */
export const IDS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
export const TAGS = ['t', 'u', 'v'] as const;
export const GROUPS = ['g', 'h', 'i', 'j', 'k', 'l', 'm'] as const;
export const TURNS = ['w', 'x', 'y', 'z'] as const;
export const PARTITIONS = [null, 'p'] as const;
export type Partition = (typeof PARTITIONS)[number];

const ATTRIBUTES = [1, 2, 3, 4, 5] as const;
const NAMES = ['_id', 'value', 'tag', 'group', 'turn'] as const;

const column = (attribute: number): Column => ({
  attribute,
  name: NAMES[attribute - 1] as string,
  type: { oid: OID.text, modifier: -1 },
  notNull: attribute === 1,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: false,
  dropped: false,
});

const unique = (oid: number, name: string, attribute: number): Index => ({
  oid,
  name,
  kind: 'btree',
  columns: [attribute],
  unique: true,
  primary: attribute === 1,
  options: {},
});

const turnIndex: Index = { ...unique(TURN_KEY, 'items_turn_key', 5), deferrable: true };
export const groupIndex = unique(GROUP_KEY, 'items_group_key', 4);

const items: Relation = {
  oid: ITEMS,
  namespace: 2200,
  name: 'items',
  kind: 'collection',
  columns: ATTRIBUTES.map(column),
  indexes: [unique(ITEMS_KEY, 'items_pkey', 1), unique(TAG_KEY, 'items_tag_key', 3)],
  constraints: [],
  definition: null,
};

const numbers: Relation = {
  ...items,
  oid: NUMBERS,
  name: 'numbers',
  kind: 'sequence',
  columns: [],
  indexes: [],
};

/** @param defers with the deferrable index. */
export function firstCatalog(defers: boolean): Catalog {
  const catalog = emptyCatalog();
  const indexes = defers ? [...items.indexes, turnIndex] : items.indexes;
  const relations = new Map(catalog.relations).set(ITEMS, { ...items, indexes }).set(NUMBERS, numbers);
  return { ...catalog, version: catalog.version + 1, relations };
}

/** The catalog with other indexes of the items. */
export function withIndexes(
  catalog: Catalog,
  change: (indexes: readonly Index[]) => readonly Index[],
): Catalog {
  const before = catalog.relations.get(ITEMS) as Relation;
  const relation = { ...before, indexes: change(before.indexes) };
  const relations = new Map(catalog.relations).set(ITEMS, relation);
  return { ...catalog, version: catalog.version + 1, relations };
}

const hasIndex = ({ relations }: Catalog, wanted: number): boolean =>
  relations.get(ITEMS)?.indexes.some(({ oid }) => oid === wanted) === true;

export const hasGroupIndex = (catalog: Catalog): boolean => hasIndex(catalog, GROUP_KEY);
export const hasTurnIndex = (catalog: Catalog): boolean => hasIndex(catalog, TURN_KEY);

export function newRows(rows: readonly Row[], replaces?: Float64Array): NewRows {
  const text = (of: (row: Row) => string | null) => vectorOf('text', rows.map(of));
  const columns = new Map([
    [1, text(({ id }) => id)],
    [2, text(({ value }) => value)],
    [3, text(({ tag }) => tag)],
    [4, text(({ group }) => group)],
    [5, text(({ turn }) => turn)],
  ]);
  return { length: rows.length, columns, embeddings: new Map(), ...(replaces && { replaces }) };
}

export function rowAt(columns: readonly { get(row: number): unknown }[], row: number): Row {
  const [id, value, tag, group, turn] = columns.map((values) => values.get(row) as string | null);
  return {
    id: id as string,
    value: value as string,
    tag: tag ?? null,
    group: group as string,
    turn: turn ?? null,
  };
}

export const ALL_ATTRIBUTES: readonly number[] = ATTRIBUTES;
