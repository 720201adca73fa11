/** SQL of a view: conditions, with values as parameters or, to be read and copied, as texts. */
import { quoteName, quoteText } from '../../../server/names.ts';
import type { Relation } from '../relation.ts';
import { bareType } from '../types.ts';
import type { Filter, View } from './view.ts';

/** Takes values; gives what stands for them in the statement. */
export class Values {
  readonly params: string[] = [];
  readonly #areWritten: boolean;

  /** @param areWritten they stand in the text itself. */
  constructor(areWritten = false) {
    this.#areWritten = areWritten;
  }

  /** @param type null: as the server takes it to be. */
  add(value: string, type: string | null): string {
    if (this.#areWritten)
      return type === null || type === 'text' ? quoteText(value) : `${quoteText(value)}::${type}`;
    this.params.push(value);
    return `$${this.params.length}${type === null ? '' : `::${type}`}`;
  }
}

const likeText = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

const COMPARISONS = { is: '=', isNot: '<>', less: '<', atMost: '<=', more: '>', atLeast: '>=' } as const;

function conditionOf({ column, operator, value }: Filter, type: string, values: Values): string {
  const name = quoteName(column);
  const text = type === 'text' ? name : `${name}::text`;
  switch (operator) {
    case 'empty':
      return `${name} IS NULL`;
    case 'filled':
      return `${name} IS NOT NULL`;
    case 'contains':
      return `${text} ILIKE ${values.add(`%${likeText(value)}%`, 'text')}`;
    case 'begins':
      return `${text} ILIKE ${values.add(`${likeText(value)}%`, 'text')}`;
    case 'has':
      return `${values.add(value, bareType(type.replace(/\[\]$/, '')))} = ANY (${name})`;
    default:
      return `${name} ${COMPARISONS[operator]} ${values.add(value, bareType(type))}`;
  }
}

/** `match()` needs the words' columns only where there are several; alone it takes all that are indexed. */
export function conditionsOf(
  relation: Relation,
  { filters, query }: View,
  values: Values,
): readonly string[] {
  const types = new Map(relation.columns.map(({ name, type }) => [name, type]));
  const conditions = filters.flatMap((filter) => {
    const type = types.get(filter.column);
    return type === undefined ? [] : [conditionOf(filter, type, values)];
  });
  if (query !== '' && relation.keywordColumns.length > 0)
    conditions.push(`match(${values.add(query, null)})`);
  return conditions;
}

export const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;

/** All of a view as a statement to read, copy, and go on with in the editor. */
export function viewSql(relation: Relation, view: View): string {
  const values = new Values(true);
  const where = whereOf(conditionsOf(relation, view, values));
  return `SELECT * FROM ${relation.sql}${where}${orderOf(relation, view)} LIMIT 100`;
}

/** Ends with the key, so that no two rows are equal in it. */
export function orderTerms(
  { key }: Relation,
  { sort }: View,
): readonly { readonly column: string; readonly isDescending: boolean }[] {
  const terms = sort === null ? [] : [sort];
  const isWhole = sort !== null && key.length === 1 && key[0] === sort.column;
  return isWhole ? terms : [...terms, ...key.map((column) => ({ column, isDescending: false }))];
}

function orderOf(relation: Relation, view: View): string {
  if (view.query !== '' && view.sort === null && relation.keywordColumns.length > 0)
    return ' ORDER BY bm25_score() DESC';
  const terms = orderTerms(relation, view).map(
    ({ column, isDescending }) => `${quoteName(column)}${isDescending ? ' DESC NULLS LAST' : ''}`,
  );
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`;
}
