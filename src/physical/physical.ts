/**
 * The physical plan: the plan as it is run, plain data. What is known when a plan is made is decided here and nowhere
 * else, so that `execute` only follows it, EXPLAIN prints it, and another engine could answer it.
 *
 * A node is the node of `plan/plan.ts` with its decisions as further fields: `kind` says what is wanted, the fields say
 * how. A scan has two halves. Its `request` is what is asked of a relation, in words that any engine understands: rows
 * of a key, all rows that pass, the first of an order, the best of a ranking. Its `ways` are how the embedded engine may
 * find rows, tried one after the other by what a part holds; without any, every row is looked at.
 *
 * `make.ts` makes one from a plan. It decides what a plan demands (ties by key, rows locked under a LIMIT, an UPDATE
 * that waits); what could be done otherwise is a choice, one file of `choices/` each, which `quern.disabled_rules`
 * switches off as it does optimizer rules: then the plain way is taken, and the result is the same. What depends on
 * data (the share of a part that an index finds, graph or scan) is told by operators as they run.
 *
 * Expressions keep the types of `plan/expression.ts`; plans of subqueries within them are physical ones (`subPlan`).
 */
import { assert } from '../assert.ts';
import type { RowLockMode } from '../catalog/lock-modes.ts';
import type { Comparison } from '../plan/column-comparison.ts';
import type { Expression, PlanForm, Settled, Subquery } from '../plan/expression.ts';
import type * as logical from '../plan/plan.ts';
import type { OutputColumn, SortKey } from '../plan/plan.ts';
import type { Metric } from './metrics.ts';

/** The form of a physical plan's parts. */
export interface Physical extends PlanForm {
  readonly column: Settled['column'];
  readonly output: OutputColumn;
  readonly plan: PhysicalPlan;
}

export type PhysicalPlan =
  | Values
  | logical.Constants<Physical>
  | Scan
  | logical.SystemScan<Physical>
  | logical.Stream<Physical>
  | logical.FunctionScan<Physical>
  | Filter
  | Project
  | Join
  | Aggregate
  | logical.Window<Physical>
  | Fusion
  | Sort
  | Limit
  | logical.Distinct<Physical>
  | logical.SetOperation<Physical>
  | LockRows
  | logical.CommonTable<Physical>
  | logical.CommonTableScan<Physical>
  | Insert
  | Update
  | Delete
  | Merge;

export interface Values extends logical.Values<Physical> {}

export interface Scan extends logical.Scan<Physical> {
  readonly rule: KeptRule | null;
  readonly request: ScanRequest;
  /** Each finds rows among which all are that pass; the first that pays is taken. */
  readonly ways: readonly ScanWay[];
  /** Those of the filter, in the order in which they are applied. */
  readonly conditions: readonly Condition[];
  /** Conditions that close runs of rows in which nothing meets them, by least and greatest values. */
  readonly zones: readonly ZoneTest[];
  /** Ties of a ranking are ordered by it; empty without arms. */
  readonly key: KeyOrder;
  /** Null: more than values decide which rows pass, so nothing of it is kept. */
  readonly maskKey: MaskKey | null;
}

/** A rule for rows, with what decides the rows that it shows; null or absent: a filter's key does, or nothing is kept. */
export interface KeptRule extends logical.RowRule<Physical> {
  readonly kept?: RuleKey | null;
}

/** A digest of a rule, and all else that decides which rows of a part it shows. */
export interface RuleKey {
  readonly rule: string;
  readonly facts: readonly Expression[];
  /** All that it asks besides the rows that it judges. */
  readonly relations: readonly { readonly relation: number; readonly partition: string | null }[];
}

/** A digest of a filter, and all else that decides which rows of a part pass. */
export interface MaskKey {
  readonly filter: string;
  /** Numbers of the parameters that it reads. */
  readonly parameters: readonly number[];
  /** Facts of the session in it, the same for all rows: `current_user`, a setting. */
  readonly facts: readonly Expression[];
}

/** Wanted of a relation, in words that any engine understands. */
export type ScanRequest =
  /** The row of a unique key (`Scan.lookup`). */
  | { readonly kind: 'key' }
  /** All that pass, as they lie; masked: all that are looked at, with one more column that says which pass. */
  | { readonly kind: 'rows'; readonly masked: boolean }
  /** All that pass, by primary key: a ranking above them is stable. */
  | { readonly kind: 'rows by key' }
  /** Among all that pass the first of an index' order (`Scan.access`), and those that are equal to the last. */
  | { readonly kind: 'first rows' }
  | Ranking;

export type ScanWay =
  /** `key IN (…)`: a look-up a key. */
  | {
      readonly kind: 'key list';
      readonly index: number;
      readonly condition: Expression;
      /** One by one, or an array. */
      readonly keys: readonly Expression[] | Expression;
    }
  /** Rows that a keyword predicate matches; it need not be asked of them again. */
  | { readonly kind: 'keyword'; readonly arm: number; readonly condition: Expression }
  | logical.OrderAccess
  | logical.TextAccess;

export interface Condition {
  readonly expression: Expression;
  /** Output positions that it reads. */
  readonly reads: readonly number[];
}

export interface ZoneTest {
  readonly attribute: number;
  readonly comparison: Comparison;
  /** The same for every row. */
  readonly constant: Expression;
}

/** Columns of the primary key, and sort keys for them. */
export interface KeyOrder {
  readonly attributes: readonly number[];
  readonly order: readonly SortKey[];
}

/** The best rows by `Scan.topK`. */
export interface Ranking {
  readonly kind: 'best rows';
  /** The first sort key where indexes bound it; null: every row is scored. */
  readonly first: SortKey | null;
  /** Output positions that it reads. */
  readonly columns: readonly number[];
  /** Positions among the scan's arms of those that it reads and that give candidates. */
  readonly arms: readonly number[];
  /** The one arm that it reads, where it reads nothing else. */
  readonly score: number | null;
  /** That arm's score by itself is the only sort key, and rows of a group are not counted. */
  readonly plain: boolean;
  /** The keyword predicates that this score answers by itself: their arms, and the scan without them. */
  readonly implied: { readonly arms: ReadonlySet<number>; readonly rest: Scan } | null;
  /** Gathered of rows until the best are known. */
  readonly gathered: {
    /** Sort keys, and what rows are grouped by. */
    readonly expressions: readonly Expression[];
    /** Output positions that these read, and those among them that are scores. */
    readonly positions: readonly number[];
    readonly scores: readonly number[];
  };
}

export interface RankedScan extends Scan {
  readonly request: Ranking;
}

export interface Filter extends logical.Filter<Physical> {}
export interface Project extends logical.Project<Physical> {}
export interface Sort extends logical.Sort<Physical> {}
export interface Limit extends logical.Limit<Physical> {}
export interface Insert extends logical.Insert<Physical> {}
export interface Delete extends logical.Delete<Physical> {}

export interface Join extends logical.Join<Physical> {
  /** Lateral: the right side anew for every left row; hash: by a table of the right side's keys; loop: all pairs. */
  readonly way: 'lateral' | 'hash' | 'loop';
  /** Keys of the table; the others are part of `rest`. */
  readonly hashed: logical.Join['keys'];
  /** Asked of pairs, over left columns followed by right ones. */
  readonly rest: Expression | null;
  /** Left rows come in an order that is to be kept. */
  readonly ordered: boolean;
}

export interface Aggregate extends logical.Aggregate<Physical> {
  /** Rows that do not pass the scan's filter are added up in a group that nobody sees, instead of copying the others. */
  readonly masked: boolean;
}

/** The arms' searches are scans of their own; `input` is not run. */
export interface Fusion extends logical.Fusion<Physical> {
  /** With the filter over it as its own. */
  readonly scan: Scan;
  readonly rankings: readonly FusedRanking[];
}

export interface FusedRanking {
  readonly kind: logical.FusedKind;
  readonly metric: Metric;
  /** Where its score is in the scan's output. */
  readonly position: number;
  readonly scan: RankedScan;
}

export interface LockRows extends logical.LockRows<Physical> {
  /** No more rows than the LIMIT above can use; null: all. */
  readonly wanted: { readonly count: Expression | null; readonly offset: Expression | null } | null;
}

export interface Update extends logical.Update<Physical> {
  readonly lock: RowLockMode;
  /** Keys may move from one row to another: new versions are written when all old ones are gone. */
  readonly waits: boolean;
}

export interface Merge extends logical.Merge<Physical> {
  readonly actions: readonly (Insert | Update | Delete)[];
}

export type CommonTable = logical.CommonTable<Physical>;
export type Window = logical.Window<Physical>;
export type Distinct = logical.Distinct<Physical>;
export type SetOperation = logical.SetOperation<Physical>;
export type FunctionScan = logical.FunctionScan<Physical>;

/** The plan of a subquery within a physical plan. */
export function subPlan({ plan }: Subquery): PhysicalPlan {
  assert(plan.kind !== 'scan' || 'request' in plan, 'plans of subqueries are physical');
  return plan as PhysicalPlan;
}
