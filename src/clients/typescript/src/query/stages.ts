/** A query as stages, each of which works on what the one before it gives. Builders never change: each gives a new one. */
import { InvalidArgumentError } from '../errors.ts';
import { entriesOf } from '../options.ts';
import { INSPECT, shown } from '../shown.ts';
import { type Expression, field, type Node, nodeOf, type Operand } from './expression.ts';
import type { Aggregate } from './functions.ts';
import { stageText } from './text-of.ts';

export type Stage =
  | { readonly kind: 'select'; readonly columns: ReadonlyMap<string, Node> }
  | { readonly kind: 'filter'; readonly condition: Node }
  | { readonly kind: 'sort'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'limit' | 'offset'; readonly count: number }
  | { readonly kind: 'count' }
  | {
      readonly kind: 'group_by';
      readonly keys: ReadonlyMap<string, Node>;
      readonly aggregates: ReadonlyMap<string, Aggregate>;
    };

export interface SortKey {
  readonly of: Node;
  readonly ascending: boolean;
}

/** Columns of a select: fields by name, and expressions by the name they get. */
export type Selection = string | Readonly<Record<string, Operand>>;

type TypeOf<Item> = Item extends Expression<infer T> ? T : Item;
type Columns<Item> = Item extends string
  ? { [Name in Item]: import('./expression.ts').FieldRef<Name> }
  : { [Name in keyof Item]: TypeOf<Item[Name]> };
type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
export type ColumnsOf<Items extends readonly Selection[]> = Both<Columns<Items[number]>>;

type AggregatesOf<A> = { [Name in keyof A]: A[Name] extends Aggregate<infer T> ? T : unknown };

/** No select yet: rows are whole documents. */
export interface Whole {
  readonly whole: true;
}
/** Rows of `groupBy` and `count`, which have no `_id`. */
export interface Grouped<Row> {
  readonly grouped: Row;
}

type Adding<Row, More> = Row extends Whole
  ? More
  : Row extends Grouped<infer G>
    ? Grouped<G & More>
    : Row & More;
type Order = 'asc' | 'desc';
type SortOperand = string | Expression;
/** One of several keys of a sort: a pair, or by name. */
type SortBy =
  | readonly [SortOperand, Order]
  | { readonly expr: SortOperand; readonly order?: Order | null | undefined };

/** @template Row what a row has: `Whole`, the columns that were selected, or `Grouped`. */
export class Query<Row = Whole> {
  readonly stages: readonly Stage[];

  constructor(stages: readonly Stage[]) {
    this.stages = stages;
  }

  /** Fields by name, and expressions by alias; later stages may use the aliases as fields. */
  select<const Items extends readonly Selection[]>(...items: Items): Query<Adding<Row, ColumnsOf<Items>>> {
    const columns = new Map<string, Node>();
    for (const item of items) {
      if (typeof item === 'string') columns.set(item, field(item).node);
      else for (const [alias, of] of entriesOf('select', item)) columns.set(alias, nodeOf(of));
    }
    return this.#with({ kind: 'select', columns });
  }

  /** Keeps the rows where the condition holds. */
  filter(condition: Operand): Query<Row> {
    return this.#with({ kind: 'filter', condition: nodeOf(condition) });
  }

  /**
   * Orders rows, nulls last; needs a limit.
   * @param by a field's name, an expression, or several: `[['year', 'desc'], …]`, `[{ expr: 'year', order: 'desc' }, …]`.
   */
  sort(by: SortOperand | readonly SortBy[], ascending?: boolean | null): Query<Row> {
    if (!Array.isArray(by)) {
      const key = sortKey(by as SortOperand, (ascending ?? true) ? 'asc' : 'desc');
      return this.#with({ kind: 'sort', keys: [key] });
    }
    if (by.length === 0) throw new InvalidArgumentError('sort takes at least one expression');
    if ((ascending ?? null) !== null) {
      throw new InvalidArgumentError('each of several keys of a sort has its own order');
    }
    return this.#with({ kind: 'sort', keys: (by as readonly SortBy[]).map(keyOf) });
  }

  /** At most so many rows. */
  limit(count: number): Query<Row> {
    this.#once('limit');
    return this.#with({ kind: 'limit', count: positive('limit', count, 1) });
  }

  /** Leaves out the first rows. */
  offset(count: number): Query<Row> {
    return this.#with({ kind: 'offset', count: positive('offset', count, 0) });
  }

  /** The best `k` by an expression: the largest first, or with `ascending` the smallest. */
  topk(by: SortOperand, k: number, ascending?: boolean | null): Query<Row> {
    return this.sort(by, ascending ?? false).limit(k);
  }

  /** One row with `_count`. */
  count(): Query<Grouped<{ _count: number }>> {
    this.#once('count');
    return this.#with({ kind: 'count' });
  }

  /** One row for each value of the keys. Filters, selects and sorts may follow. */
  groupBy<
    const Keys extends Readonly<Record<string, Operand>>,
    const Aggregates extends Readonly<Record<string, Aggregate>>,
  >(
    keys: Keys,
    aggregates: Aggregates,
  ): Query<Grouped<{ [K in keyof Keys]: TypeOf<Keys[K]> } & AggregatesOf<Aggregates>>> {
    this.#once('group_by');
    const named = new Map(
      entriesOf('the first of groupBy', keys).map(([name, of]) => [name, nodeOf(of as Operand)]),
    );
    const computed = new Map(entriesOf('the second of groupBy', aggregates) as [string, Aggregate][]);
    if (named.size === 0 || computed.size === 0) {
      throw new InvalidArgumentError('groupBy takes at least one key and one aggregate');
    }
    for (const [name, one] of computed) {
      if (named.has(name)) throw new InvalidArgumentError(`groupBy has ${JSON.stringify(name)} twice`);
      if (typeof one !== 'object' || one === null || !('aggregate' in one)) {
        throw new InvalidArgumentError(`${JSON.stringify(name)} is no aggregate: agg.count(), agg.sum(…)`);
      }
    }
    return this.#with({ kind: 'group_by', keys: named, aggregates: computed });
  }

  /** As it is written. */
  toString(): string {
    return this.stages.map(stageText).join('.') || 'select()';
  }
  [INSPECT](): string {
    return this.toString();
  }

  #once(kind: Stage['kind']): void {
    if (this.stages.some((stage) => stage.kind === kind)) {
      throw new InvalidArgumentError(`a query has one ${kind === 'group_by' ? 'groupBy' : kind}`);
    }
  }

  #with<Next>(stage: Stage): Query<Next> {
    return new Query<Next>([...this.stages, stage]);
  }
}

function keyOf(by: SortBy): SortKey {
  if (Array.isArray(by) && by.length === 2) return sortKey(by[0], by[1]);
  if (typeof by === 'object' && by !== null && 'expr' in by) return sortKey(by.expr, by.order ?? 'asc');
  throw new InvalidArgumentError('a key of a sort is [expression, order] or { expr, order }');
}

function sortKey(of: SortOperand, order: Order): SortKey {
  if (order !== 'asc' && order !== 'desc') {
    throw new InvalidArgumentError(`the order of a sort is "asc" or "desc", not ${JSON.stringify(order)}`);
  }
  const node = typeof of === 'string' ? field(of).node : nodeOf(of);
  if (node.op === 'literal' && typeof node.value !== 'number' && typeof node.value !== 'string') {
    throw new InvalidArgumentError(`a sort key is a number or a string, not ${shown(node.value)}`);
  }
  return { of: node, ascending: order === 'asc' };
}

function positive(what: string, count: number, least: number): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw new InvalidArgumentError(`${what} is an integer of at least ${least}, not ${count}`);
}

const START = new Query<Whole>([]);

export const select: <const Items extends readonly Selection[]>(...items: Items) => Query<ColumnsOf<Items>> =
  (...items) => START.select(...items) as never;
export const filter = (condition: Operand): Query => START.filter(condition);
export const groupBy: typeof START.groupBy = (keys, aggregates) => START.groupBy(keys, aggregates);
