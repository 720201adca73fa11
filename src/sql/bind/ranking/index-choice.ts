/**
 * Which index of a column answers a function: of those that fit the oldest valid one, so that another index beside
 * it never changes a query, or the one that `index => 'name'` names. A kind that was made for it comes before one
 * that also can (`match` by a semantic index).
 */
import { fittingTypes, INDEX_KINDS, type IndexKind } from '../../../catalog/index-kinds.ts';
import { columnByAttribute, type Index, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TypeRef } from '../../../types/type.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';

/** A semantic index has a keyword index inside. */
export const KINDS_OF_WORDS: readonly IndexKind[] = ['keyword', 'semantic'];

export interface IndexedColumn {
  readonly relation: Relation;
  readonly attribute: number;
  readonly name: string;
  readonly type: TypeRef;
}

/** What a function asks for. */
export interface IndexWish {
  /** The function, for messages. */
  readonly function: string;
  readonly at: number;
  /** The one made for it first. */
  readonly kinds: readonly IndexKind[];
  /** Of `index =>`; empty: it is not given. */
  readonly named: readonly string[];
}

/** Valid indexes of these kinds on a column, the preferred first. */
export function answeringIndexes(
  { indexes }: Relation,
  attribute: number,
  kinds: readonly IndexKind[],
): readonly Index[] {
  return kinds.flatMap((kind) =>
    indexes.filter(
      (index) => index.kind === kind && index.standby === undefined && index.columns[0] === attribute,
    ),
  );
}

/**
 * One index for each column.
 *
 * @throws SqlError 42809 where a column has none, or a named one does not fit; 42704, 55000 while it is being built.
 */
export function chooseIndexes(columns: readonly IndexedColumn[], wish: IndexWish): readonly Index[] {
  const chosen = columns.map((column) => {
    const fitting = answeringIndexes(column.relation, column.attribute, wish.kinds);
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

const columnText = ({ name, relation }: IndexedColumn): string =>
  `column "${name}" of relation "${relation.name}"`;

function whyUnfit(columns: readonly IndexedColumn[], known: Index, wish: IndexWish): string {
  const [attribute = 0] = known.columns;
  const relation = columns[0]?.relation;
  if (known.standby !== undefined) return 'It is kept for RESET EMBEDDING MODEL, and answers nothing.';
  if (!wish.kinds.includes(known.kind)) {
    const { article = 'a' } = INDEX_KINDS[known.kind];
    return `It is ${article} ${known.kind} index; a ${wish.kinds.join(' or ')} one is needed.`;
  }
  const on = relation && columnByAttribute(relation, attribute)?.name;
  if (!columns.some((column) => column.attribute === attribute)) return `It is on column "${on}".`;
  return `Another one that is named answers for column "${on}".`;
}

function hintOf(columns: readonly IndexedColumn[], { kinds }: IndexWish): string | undefined {
  const names = columns.flatMap(({ relation, attribute }) =>
    answeringIndexes(relation, attribute, kinds).map(({ name }) => name),
  );
  return names.length === 0 ? undefined : `It has: ${[...new Set(names)].join(', ')}.`;
}

/** Rows that were there before the index have no embeddings yet. */
const beingBuilt = ({ name }: Index, position: number): SqlError =>
  new SqlError('object_not_in_prerequisite_state', `index "${name}" is being built`, {
    position,
    hint: 'See pg_stat_progress_create_index.',
  });

function missing(column: IndexedColumn, { kinds, at: position }: IndexWish): never {
  const { relation, attribute, name, type } = column;
  const what = columnText(column);
  const kind = kinds[0] ?? 'keyword';
  const building = relation.indexes.find(
    (index) => kinds.includes(index.kind) && index.columns[0] === attribute,
  );
  if (building !== undefined) throw beingBuilt(building, position);
  const row = INDEX_KINDS[kind];
  const typeName = findTypeByOid(type.oid)?.name ?? '';
  const hint =
    row.types !== 'any' && !row.types.includes(typeName)
      ? `A ${kind} index fits columns of type ${fittingTypes(row)}.`
      : `Make one: CREATE INDEX ON ${relation.name} USING ${kind} (${name}), ` +
        `or declare it inline: ${name} ${formatType(type).toUpperCase()} INDEX ${kind}_index()`;
  throw new SqlError('wrong_object_type', `${what} has no ${kind} index`, { position, hint });
}
