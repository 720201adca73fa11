/** Where pages of rows come from: statements for a view of a relation. */
import type { Row } from '../../../server/messages.ts';
import { type Result, run } from '../../../server/statement.ts';
import { faultOf } from '../../../server/messages.ts';
import { quoteName } from '../../../server/names.ts';
import type { Relation } from '../relation.ts';
import { bareType, isOrdered } from '../types.ts';
import { type Order, orderBy, pastRow } from './order.ts';
import type { View } from './view.ts';
import { conditionsOf, orderTerms, Values, whereOf } from './where.ts';

/** From where a page begins. */
export type Anchor =
  | { readonly kind: 'start' }
  /** The page ends with the last row. */
  | { readonly kind: 'end' }
  | { readonly kind: 'after'; readonly row: Row }
  | { readonly kind: 'before'; readonly row: Row }
  /** Somewhere: as many rows in, of so many. */
  | { readonly kind: 'at'; readonly index: number; readonly of: number };

export interface RowSource {
  readonly isByKey: boolean;
  page(anchor: Anchor, count: number, signal: AbortSignal): Promise<Result>;
  /** How many rows there are; null: they are not counted. */
  count(signal: AbortSignal): Promise<number | null>;
}

const NO_SUCH_FUNCTION = '42883';
/** Bm25 ranks so many; beyond nobody looks. */
const RANKED_ROWS_MAX = 1_000;

export class RelationRows implements RowSource {
  readonly isByKey: boolean;
  readonly #relation: Relation;
  readonly #view: View;
  readonly #order: Order;
  readonly #isRanked: boolean;
  #hasKeyAt: boolean;

  constructor(relation: Relation, view: View) {
    this.#relation = relation;
    this.#view = view;
    this.#isRanked = view.query !== '' && view.sort === null && relation.keywordColumns.length > 0;
    this.#order = this.#isRanked ? [] : orderOf(relation, view);
    this.isByKey = this.#order.length > 0;
    const isPlain = view.filters.length === 0 && view.query === '' && view.sort === null;
    this.#hasKeyAt = this.isByKey && isPlain && isOrdered(this.#order[0]?.type ?? '');
  }

  async page(anchor: Anchor, count: number, signal: AbortSignal): Promise<Result> {
    if (!this.isByKey) return this.#byOffset(anchor, count, signal);
    if (anchor.kind !== 'at') return this.#byRow(anchor, count, signal);
    const key = await this.#keyAt(anchor.index / Math.max(1, anchor.of), signal);
    if (key === null) return this.#byOffset(anchor, count, signal);
    return this.#fromKey(key, count, signal);
  }

  async count(signal: AbortSignal): Promise<number | null> {
    const { filters, query } = this.#view;
    const { rowCount } = this.#relation;
    if (filters.length === 0 && query === '' && rowCount !== null) return rowCount;
    const values = new Values();
    const where = whereOf(conditionsOf(this.#relation, this.#view, values));
    const { rows } = await run(`SELECT count(*)::float8 FROM ${this.#relation.sql}${where}`, {
      params: values.params,
      signal,
    });
    const found = Number(rows[0]?.[0] ?? 0);
    return this.#isRanked ? Math.min(found, RANKED_ROWS_MAX) : found;
  }

  async #byRow(
    anchor: Exclude<Anchor, { readonly kind: 'at' }>,
    count: number,
    signal: AbortSignal,
  ): Promise<Result> {
    const values = new Values();
    const conditions = [...conditionsOf(this.#relation, this.#view, values)];
    const isBackwards = anchor.kind === 'before' || anchor.kind === 'end';
    if ('row' in anchor) conditions.push(pastRow(this.#order, anchor.row, { isBackwards, values }));
    const statement = `SELECT * FROM ${this.#relation.sql}${whereOf(conditions)}${orderBy(this.#order, isBackwards)} LIMIT ${count}`;
    const result = await run(statement, { params: values.params, signal });
    return isBackwards ? { ...result, rows: [...result.rows].reverse() } : result;
  }

  async #fromKey(key: string, count: number, signal: AbortSignal): Promise<Result> {
    const [{ column, type }] = this.#order as [Order[number]];
    const statement = `SELECT * FROM ${this.#relation.sql} WHERE ${quoteName(column)} >= $1::${bareType(type)}${orderBy(this.#order, false)} LIMIT ${count}`;
    return run(statement, { params: [key], signal });
  }

  async #byOffset(anchor: Anchor, count: number, signal: AbortSignal): Promise<Result> {
    const values = new Values();
    const where = whereOf(conditionsOf(this.#relation, this.#view, values));
    const order = this.#isRanked ? ' ORDER BY bm25_score() DESC' : orderBy(this.#order, false);
    const offset = anchor.kind === 'at' ? ` OFFSET ${anchor.index}` : '';
    return run(`SELECT * FROM ${this.#relation.sql}${where}${order} LIMIT ${count}${offset}`, {
      params: values.params,
      signal,
    });
  }

  /** Null: the server cannot tell. */
  async #keyAt(share: number, signal: AbortSignal): Promise<string | null> {
    if (!this.#hasKeyAt) return null;
    try {
      const { rows } = await run('SELECT quern.key_at($1, $2::float8)', {
        params: [this.#relation.sql, share],
        signal,
      });
      const key = rows[0]?.[0];
      return typeof key === 'string' ? key : null;
    } catch (error) {
      if (faultOf(error).sqlstate !== NO_SUCH_FUNCTION) throw error;
      this.#hasKeyAt = false;
      return null;
    }
  }
}

/** Empty: rows are in no order that pages could be found by. */
function orderOf(relation: Relation, view: View): Order {
  const terms = orderTerms(relation, view).map(({ column, isDescending }) => {
    const at = relation.columns.findIndex(({ name }) => name === column);
    const { type = '', isRequired = false } = relation.columns[at] ?? {};
    return { column, at, type, isDescending, isNullable: !isRequired };
  });
  const isWhole = relation.key.length > 0 && terms.every(({ at, type }) => at >= 0 && isOrdered(type));
  return isWhole ? terms : [];
}
