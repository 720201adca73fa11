/**
 * Which index of a column answers a function: of those that fit the oldest valid one, so that another index beside
 * it never changes a query, or the one that `index => 'name'` names. A kind that was made for it comes before one
 * that also can (`match` by a semantic index).
 */
import { fittingTypes, INDEX_KINDS, type IndexKind } from '../../../catalog/index-kinds.ts';
import { columnByAttribute, type Index, indexedName, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TypeRef } from '../../../types/type.ts';
import { pathText, samePath } from '../relation/text-path.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';

/** A semantic index has a keyword index inside. */
export const KINDS_OF_WORDS: readonly IndexKind[] = ['keyword', 'semantic'];

export interface IndexedColumn {
  readonly relation: Relation;
  readonly attribute: number;
  /** Into a jsonb column; absent for the column itself. */
  readonly path?: TextPath | undefined;
  /** The column's. */
  readonly name: string;
  readonly type: TypeRef;
}

/** Wish of a function. */
export interface IndexWish {
  /** The function, for messages. */
  readonly function: string;
  readonly at: number;
  /** The one made for it first. */
  readonly kinds: readonly IndexKind[];
  /** Names given by `index =>`; empty: it is not given. */
  readonly named: readonly string[];
}

/** Valid indexes of these kinds on a column, the preferred first. */
export function answeringIndexes(
  column: Pick<IndexedColumn, 'relation' | 'attribute' | 'path'>,
  kinds: readonly IndexKind[],
): readonly Index[] {
  return kinds.flatMap((kind) =>
    column.relation.indexes.filter(
      (index) => index.kind === kind && index.standby === undefined && isOn(index, column),
    ),
  );
}

const isOn = ({ columns, path }: Index, column: Pick<IndexedColumn, 'attribute' | 'path'>): boolean =>
  columns[0] === column.attribute && samePath(path, column.path);

/** Columns under the relation's indexes of words, and paths into them; in the order of columns. */
export function columnsOfWords(relation: Relation): readonly IndexedColumn[] {
  const found: IndexedColumn[] = [];
  for (const index of relation.indexes) {
    const column = columnByAttribute(relation, index.columns[0] ?? 0);
    if (column === undefined || !KINDS_OF_WORDS.includes(index.kind)) continue;
    if (!found.some((known) => isOn(index, known))) found.push({ ...column, path: index.path, relation });
  }
  return found.sort((a, b) => a.attribute - b.attribute);
}

/** As one names it: `title`, or `meta.title` for a path. */
export const searchedName = ({ name, path = [] }: IndexedColumn): string => [name, ...path].join('.');

/**
 * One index for each column.
 *
 * @throws SqlError 42809 where a column has none, or a named one does not fit; 42704, 55000 while it is being built.
 */
export function chooseIndexes(columns: readonly IndexedColumn[], wish: IndexWish): readonly Index[] {
  const chosen = columns.map((column) => {
    const fitting = answeringIndexes(column, wish.kinds);
    return fitting.find(({ name }) => wish.named.includes(name)) ?? fitting[0] ?? missing(column, wish);
  });
  checkNamed(columns, chosen, wish);
  return chosen;
}

/** Every name is that of an index that was chosen. @throws SqlError 42704, 42809, 55000. */
export function checkNamed(
  columns: readonly IndexedColumn[],
  chosen: readonly Index[],
  wish: IndexWish,
): void {
  const unfit = wish.named.find((name) => !chosen.some((index) => index.name === name));
  if (unfit === undefined) return;
  const [column] = columns;
  const known = column?.relation.indexes.find(({ name }) => name === unfit);
  const position = wish.at;
  const hint = hintOf(columns, wish);
  if (column === undefined || known === undefined) {
    const what =
      columns.length === 1 ? columnText(columns[0] as IndexedColumn) : `relation "${column?.relation.name}"`;
    throw new SqlError('undefined_object', `${what} has no ${wish.kinds[0]} index named "${unfit}"`, {
      position,
      hint,
    });
  }
  if (known.standby?.state === 'building') throw beingBuilt(known, position);
  throw new SqlError('wrong_object_type', `index "${unfit}" does not fit this ${wish.function}`, {
    position,
    detail: whyUnfit(columns, known, wish),
    hint,
  });
}

const columnText = (column: IndexedColumn): string =>
  `${column.path ? 'path' : 'column'} "${searchedName(column)}" of relation "${column.relation.name}"`;

function whyUnfit(columns: readonly IndexedColumn[], known: Index, wish: IndexWish): string {
  const relation = columns[0]?.relation;
  if (known.standby !== undefined) return 'It is kept for RESET EMBEDDING MODEL, and answers nothing.';
  if (!wish.kinds.includes(known.kind)) {
    const { article = 'a' } = INDEX_KINDS[known.kind];
    return `It is ${article} ${known.kind} index; a ${wish.kinds.join(' or ')} one is needed.`;
  }
  const on = `${known.path ? 'path' : 'column'} "${relation && indexedName(relation, known)}"`;
  if (!columns.some((column) => isOn(known, column))) return `It is on ${on}.`;
  return `Another one that is named answers for ${on}.`;
}

function hintOf(columns: readonly IndexedColumn[], { kinds }: IndexWish): string | undefined {
  const names = columns.flatMap((column) => answeringIndexes(column, kinds).map(({ name }) => name));
  return names.length === 0 ? undefined : `It has: ${[...new Set(names)].join(', ')}.`;
}

/** Rows that were there before the index have no embeddings yet. */
const beingBuilt = ({ name }: Index, position: number): SqlError =>
  new SqlError('object_not_in_prerequisite_state', `index "${name}" is being built`, {
    position,
    hint: 'See pg_stat_progress_create_index.',
  });

function missing(column: IndexedColumn, { kinds, at: position }: IndexWish): never {
  const what = columnText(column);
  const kind = kinds[0] ?? 'keyword';
  const building = column.relation.indexes.find((index) => kinds.includes(index.kind) && isOn(index, column));
  if (building !== undefined) throw beingBuilt(building, position);
  throw new SqlError('wrong_object_type', `${what} has no ${kind} index`, {
    position,
    hint: howToMake(column, kind),
  });
}

function howToMake({ relation, name, type, path }: IndexedColumn, kind: IndexKind): string {
  const row = INDEX_KINDS[kind];
  const make = (what: string): string => `CREATE INDEX ON ${relation.name} USING ${kind} (${what})`;
  if (path !== undefined) return `Make one: ${make(`(${pathText(name, path)})`)}`;
  const typeName = findTypeByOid(type.oid)?.name ?? '';
  if (row.types === 'any' || row.types.includes(typeName)) {
    const inline = `${name} ${formatType(type).toUpperCase()} INDEX ${kind}_index()`;
    return `Make one: ${make(name)}, or declare it inline: ${inline}`;
  }
  const ofPath = typeName === 'jsonb' && KINDS_OF_WORDS.includes(kind);
  const paths = ofPath ? ` Of jsonb a path is indexed: ${make(`(${name}->>'key')`)}.` : '';
  return `A ${kind} index fits columns of type ${fittingTypes(row)}.${paths}`;
}
