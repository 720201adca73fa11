/**
 * The plan: one discriminated union for what the binder makes, the optimizer rewrites and the executor
 * runs. Plain data. Each node's `output` describes its columns in order; expressions in a node refer to
 * its input's output by position.
 *
 * Ranking lives in the scan. `semantic_similarity`, `match`, `vector_distance` and their kin are bound to
 * an `Arm` of the scan of their relation, whose score is one more output column of that scan; everything
 * above sees a plain column. A scan computes its arms exactly for every row (the oracle); the retrieval
 * rule turns a sorted, limited scan into one that asks the indexes for candidates (`topK`).
 */
import type { KeywordOperator } from '../language/keyword-operator.ts';
import type { ConstantRows } from './constant-rows.ts';
import type { LockWait, RowLockMode } from '../catalog/lock-modes.ts';
import type { TypeRef } from '../types/type.ts';
import type { Expression, PlanForm, Settled } from './expression.ts';
import type { MergeGuards, MetRows, RowRule, RowRules } from './row-rules.ts';

export type { MergeGuards, MetRows, PolicyCheck, RowRule, RowRules } from './row-rules.ts';

export interface OutputColumn {
  readonly name: string;
  readonly type: TypeRef;
  /** Origin in a relation, for RowDescription: 0 when computed. */
  readonly relation: number;
  readonly attribute: number;
}

interface Node<F extends PlanForm> {
  readonly output: readonly F['output'][];
}

export type Plan = PlanNode<Settled>;

export type PlanNode<F extends PlanForm> =
  | Values<F>
  | Constants<F>
  | Scan<F>
  | SystemScan<F>
  | Stream<F>
  | FunctionScan<F>
  | Filter<F>
  | Project<F>
  | Join<F>
  | Aggregate<F>
  | Window<F>
  | Fusion<F>
  | Sort<F>
  | Limit<F>
  | Distinct<F>
  | SetOperation<F>
  | LockRows<F>
  | CommonTable<F>
  | CommonTableScan<F>
  | Insert<F>
  | Update<F>
  | Delete<F>
  | Merge<F>;

/** Literal rows; one row without columns is the FROM-less SELECT. */
export interface Values<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'values';
  readonly rows: readonly (readonly Expression<F>[])[];
}

/** Long lists of literal rows, read by the types of the output when they are run. */
export interface Constants<F extends PlanForm = Settled> extends Node<F>, ConstantRows {
  readonly kind: 'constants';
}

/** Rows of a stored relation: declared and undeclared columns, then arms, then the row number if asked. */
export interface Scan<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'scan';
  readonly relation: number;
  /** Partition of a collection; null is the collection itself. */
  readonly partition: string | null;
  /** Attribute numbers to read; output columns 0..columns.length-1. */
  readonly columns: readonly number[];
  /** Scores; output columns columns.length .. columns.length+arms.length-1. */
  readonly arms: readonly Arm<F>[];
  /** When true a last output column (float64) holds the immutable row number, for UPDATE and DELETE. */
  readonly rowNumber: boolean;
  /** With a row number: what names this scan, so that a node above can look at one row of it again. */
  readonly mark?: number;
  /** Rows that are there for whoever asks, by the relation's policies; null: all. */
  readonly rule: RowRule<F> | null;
  /** Over the scan's own output; rows that are not TRUE are skipped. Null: every row. */
  readonly filter: Expression<F> | null;
  /** Key lookup: values of all columns of a unique index, put in by the optimizer. */
  readonly lookup: { readonly index: number; readonly key: readonly Expression<F>[] } | null;
  /** Best rows only, put in by the optimizer: the executor may use indexes as it sees fit. */
  readonly topK: {
    readonly count: Expression<F>;
    readonly offset: Expression<F> | null;
    readonly keys: readonly SortKey<F>[];
    /**
     * Rows with equal values of `by` count as one group, of which only the `most` best are counted as rows. All
     * rows are given until enough count.
     */
    readonly groups?: { readonly by: readonly Expression<F>[]; readonly most: number };
  } | null;
  /** How to find rows without looking at all, put in by the optimizer; the filter is applied all the same. */
  readonly access?: OrderAccess<F> | TextAccess;
}

/** Rows by what their text contains, by an ngram index. */
export interface TextAccess {
  readonly kind: 'text';
  readonly index: number;
  readonly attribute: number;
}

/** Rows by the order of an index's first column. */
export interface OrderAccess<F extends PlanForm = Settled> {
  readonly kind: 'order';
  readonly index: number;
  readonly attribute: number;
  /** Only the first `count` rows of this order are used above, and those equal to the last of them. */
  readonly first?: {
    readonly descending: boolean;
    readonly nullsFirst: boolean;
    readonly count: Expression<F>;
  };
}

/** A relation generated from the catalog (`pg_class`, `information_schema.tables`, `quern.partitions`). */
export interface SystemScan<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'system';
  readonly relation: number;
}

/** Rows that the client sends (COPY FROM STDIN); they come through the execution context. */
export interface Stream<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'stream';
}

/** A set-returning function in FROM; `ordinality` adds a bigint column. Arguments may be outer references. */
export interface FunctionScan<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'function';
  readonly function: string;
  readonly args: readonly Expression<F>[];
  readonly ordinality: boolean;
}

export interface Filter<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'filter';
  readonly input: F['plan'];
  readonly condition: Expression<F>;
}

export interface Project<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'project';
  readonly input: F['plan'];
  readonly expressions: readonly Expression<F>[];
  /** Positions whose value is a set-returning call (`SELECT generate_series(1,3)`). */
  readonly sets: readonly {
    readonly position: number;
    readonly function: string;
    readonly args: readonly Expression<F>[];
    /** Columns of a function that has several, which come as one record; null for one value a row. */
    readonly fields: readonly { readonly name: string; readonly type: TypeRef }[] | null;
  }[];
}

/** `right` reaches the left row by outer references of depth 1 when `lateral`. */
export interface Join<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'join';
  readonly join: 'inner' | 'left' | 'right' | 'full' | 'semi' | 'anti' | 'cross';
  readonly left: F['plan'];
  readonly right: F['plan'];
  readonly lateral: boolean;
  /** Hash keys: equal pairs, left over left's output, right over right's own output. */
  readonly keys: readonly {
    readonly left: Expression<F>;
    readonly right: Expression<F>;
    readonly equals: string;
  }[];
  /** The rest of the ON clause, over left columns followed by right columns. */
  readonly condition: Expression<F> | null;
}

/**
 * Output: group keys, then aggregates, then, when there is more than one grouping set, one int4 column: the
 * GROUPING mask of all keys (the first key is the highest of `keys.length` bits; 1 = not in this set).
 * Keys outside a row's set are NULL. No keys and one empty set: exactly one row, also for empty input.
 */
export interface Aggregate<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'aggregate';
  readonly input: F['plan'];
  readonly keys: readonly Expression<F>[];
  /** Positions in `keys` of each grouping set; one set of all keys for a plain GROUP BY. */
  readonly sets: readonly (readonly number[])[];
  readonly aggregates: readonly AggregateCall<F>[];
}

export interface AggregateCall<F extends PlanForm = Settled> {
  readonly function: string;
  readonly args: readonly Expression<F>[];
  readonly distinct: boolean;
  readonly filter: Expression<F> | null;
  readonly order: readonly SortKey<F>[];
  readonly type: TypeRef;
}

/** Output: the input's columns, then one per call. */
export interface Window<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'window';
  readonly input: F['plan'];
  readonly partition: readonly Expression<F>[];
  readonly order: readonly SortKey<F>[];
  readonly calls: readonly WindowCall<F>[];
}

export interface WindowCall<F extends PlanForm = Settled> {
  readonly function: string;
  readonly args: readonly Expression<F>[];
  readonly filter: Expression<F> | null;
  readonly frame: WindowFrame<F>;
  readonly type: TypeRef;
}

export interface WindowFrame<F extends PlanForm = Settled> {
  readonly mode: 'rows' | 'range' | 'groups';
  readonly start: FrameBound<F>;
  readonly end: FrameBound<F>;
  readonly exclude: 'no others' | 'current row' | 'group' | 'ties';
}

export type FrameBound<F extends PlanForm = Settled> =
  | { readonly kind: 'unbounded preceding' | 'current row' | 'unbounded following' }
  | { readonly kind: 'preceding' | 'following'; readonly offset: Expression<F> };

/**
 * `hybrid()`: the best rows of a scan (or of a filter over it) by several of its arms together, best first.
 * Output: the input's columns, the fused score, then of each arm its rank (int4) and its share (float8), then, where
 * it is asked for, what they are made of (jsonb).
 */
export interface Fusion<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'fusion';
  readonly input: F['plan'];
  readonly arms: readonly {
    readonly kind: FusedKind;
    /** The arm's column of the input. */
    readonly score: Expression<F>;
    /** How its vectors are compared, which says what scores mean; absent: similarities. */
    readonly metric?: string;
  }[];
  /** Each is fixed for a run; null stands for the default. */
  readonly count: Expression<F> | null;
  readonly method: Expression<F> | null;
  readonly weights: Expression<F> | null;
  readonly depth: Expression<F> | null;
  readonly explained: boolean;
  /** How much unlike one another the rows are to be, 0 to 1. */
  readonly diversity: Expression<F> | null;
  /** `more_like()`: what the arms ask follows from examples; their own queries are NULL. */
  readonly like: Likeness<F> | null;
}

/** Examples, and counter-examples: arrays of primary keys, and texts; null: none are given. */
export interface Likeness<F extends PlanForm = Settled> {
  readonly ids: Expression<F> | null;
  readonly text: Expression<F> | null;
  readonly notIds: Expression<F> | null;
  readonly notText: Expression<F> | null;
}

/** `vector`: a vector that the call gives, beside its text. */
export type FusedKind = 'semantic' | 'keyword' | 'vector';

export interface SortKey<F extends PlanForm = Settled> {
  readonly expression: Expression<F>;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export interface Sort<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'sort';
  readonly input: F['plan'];
  readonly keys: readonly SortKey<F>[];
  /** LIMIT + OFFSET below which only the best rows are kept; put in by the optimizer. */
  readonly top: Expression<F> | null;
}

export interface Limit<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'limit';
  readonly input: F['plan'];
  readonly count: Expression<F> | null;
  readonly offset: Expression<F> | null;
  /** The sort keys of WITH TIES, over the input. */
  readonly ties: readonly SortKey<F>[] | null;
}

/** DISTINCT over all columns, or DISTINCT ON the given expressions (the input is sorted by them). */
export interface Distinct<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'distinct';
  readonly input: F['plan'];
  readonly on: readonly Expression<F>[] | null;
}

export interface SetOperation<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'set';
  readonly operation: 'union' | 'intersect' | 'except';
  readonly all: boolean;
  /** Two at least; what holds of the first and the second holds of all that come before one and that one. */
  readonly inputs: readonly F['plan'][];
}

/**
 * SELECT … FOR UPDATE and its kin: locks the rows as they go through. One that another transaction has
 * changed is put through the input again in its newest version, beside the same rows of the other scans.
 */
export interface LockRows<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'lock rows';
  readonly input: F['plan'];
  readonly rows: readonly MarkedRow[];
}

export interface MarkedRow extends JoinedScan {
  readonly relation: number;
  readonly partition: string | null;
  /** Null: read only. */
  readonly lock: { readonly mode: RowLockMode; readonly wait: LockWait } | null;
}

/** WITH: `definition` is run once at most and read by every scan of `id` in `body`. */
export interface CommonTable<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'with';
  readonly id: number;
  readonly name: string;
  readonly definition: F['plan'];
  /** The recursive term, which reads the previous round by a scan of `id`; null when not recursive. */
  readonly recursive: { readonly term: F['plan']; readonly all: boolean } | null;
  readonly body: F['plan'];
}

export interface CommonTableScan<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'cte';
  readonly id: number;
}

/** A column's new value; `column` is an attribute number. */
export interface Assignment<F extends PlanForm = Settled> {
  readonly column: number;
  readonly value: Expression<F>;
}

/** `input` gives one column per entry of `columns`, already cast. Output: RETURNING, or none. */
export interface Insert<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'insert';
  readonly relation: number;
  readonly partition: string | null;
  readonly input: F['plan'];
  /** Attribute numbers, in the input's order. */
  readonly columns: readonly number[];
  /** Undeclared columns that the statement brings, in order after `columns`. */
  readonly undeclared: readonly { readonly name: string; readonly type: TypeRef }[];
  /** Over one row of zero columns: defaults for the declared columns that are not in `columns`. */
  readonly defaults: readonly Assignment<F>[];
  readonly conflict: Conflict<F>;
  /** Null: all may be changed. */
  readonly met: MetRows<F> | null;
  /** Absent or null: none. */
  readonly rules?: RowRules<F> | null;
  /** Over the new row: the relation's live columns in attribute order, then `undeclared` in order. */
  readonly returning: readonly Expression<F>[] | null;
}

/** `replace` is the upsert of collections, `error` 23505. `index` 0 means any unique index. */
export type Conflict<F extends PlanForm = Settled> =
  | { readonly action: 'error' }
  | { readonly action: 'replace' }
  | { readonly action: 'nothing'; readonly index: number }
  | {
      readonly action: 'update';
      readonly index: number;
      /** Over the existing row's live columns in attribute order, then the proposed row's. */
      readonly set: readonly Assignment<F>[];
      readonly where: Expression<F> | null;
    };

/** A scan whose row number, NULL where an outer join found no row, is in the input's output. */
export interface JoinedScan {
  readonly mark: number;
  readonly rowNumber: number;
}

/** `input` is a scan (or join) whose column `rowNumber` identifies the row to change. */
export interface Update<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'update';
  readonly relation: number;
  readonly partition: string | null;
  readonly input: F['plan'];
  /** Position of the row number in the input's output. */
  readonly rowNumber: number;
  /** The mark of the scan that gives it. */
  readonly mark: number;
  /** The scans of FROM: when a row is looked at again, they stay at the rows it was joined with. */
  readonly others: readonly JoinedScan[];
  /** New values over the input's output. */
  readonly set: readonly Assignment<F>[];
  readonly undeclared: readonly {
    readonly name: string;
    readonly type: TypeRef;
    readonly value: Expression<F>;
  }[];
  readonly rules?: RowRules<F> | null;
  /** Over the new row's live columns in attribute order, then the input's output. */
  readonly returning: readonly Expression<F>[] | null;
}

export interface Delete<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'delete';
  readonly relation: number;
  readonly partition: string | null;
  readonly input: F['plan'];
  readonly rowNumber: number;
  readonly mark: number;
  /** The scans of USING, as those of an update's FROM. */
  readonly others: readonly JoinedScan[];
  /** Over the old row's live columns in attribute order, then the input's output. */
  readonly returning: readonly Expression<F>[] | null;
}

/**
 * MERGE: each row of the input says which of the actions takes it. An action is a write whose input reads its
 * rows by a scan of the common table `id`, and gives each written row (for DELETE the old one).
 */
export interface Merge<F extends PlanForm = Settled> extends Node<F> {
  readonly kind: 'merge';
  readonly relation: number;
  readonly partition: string | null;
  readonly id: number;
  readonly input: F['plan'];
  /** Position of the target's row number in the input's output; NULL where no row of the target fits. */
  readonly rowNumber: number;
  /** Position of the action's number, an int4 that is NULL for a row that is left alone. */
  readonly action: number;
  /** Policies that the row of the target has to pass; null: none is of concern. */
  readonly guards: MergeGuards | null;
  readonly actions: readonly (Insert<F> | Update<F> | Delete<F>)[];
  /** Over the written row's live columns, then the input's output. */
  readonly returning: readonly Expression<F>[] | null;
}

/**
 * One ranking or keyword function of a scan. `query` is constant for the statement (literal, parameter,
 * outer reference, or a function of these). A NULL column gives a NULL score.
 *
 * semantic, vector, multi_vector: the score of product.md section 2 (cosine similarity, squared distance, …).
 * keyword: `output` 'matched' is a boolean, 'score' the BM25 score (0 where it did not match). 'explained' is jsonb:
 * what the score is made of, computed for the rows that come out of the scan and never to find them.
 */
export type Arm<F extends PlanForm = Settled> =
  /** No score, but the stored vector of each row's text: `embedding(col)`. */
  | { readonly kind: 'embedding'; readonly index: number }
  | {
      readonly kind: 'semantic';
      readonly index: number;
      readonly query: Expression<F>;
      /** Absent: the score. */
      readonly output?: 'explained';
    }
  | {
      readonly kind: 'vector';
      readonly index: number;
      readonly query: Expression<F>;
      /** vector_distance()'s value, or that of the pgvector operator it was bound from. */
      readonly value: 'metric' | '<=>' | '<->' | '<#>' | '<+>' | '<~>' | '<%>';
      /** multi_vector_distance(): matrices to score exactly; absent: as many as the index finds it needs. */
      readonly candidates?: Expression<F>;
    }
  | {
      readonly kind: 'keyword';
      /** The keyword or semantic indexes searched; a document matches when any of them does. */
      readonly indexes: readonly number[];
      readonly operator: KeywordOperator;
      readonly query: Expression<F>;
      readonly weight: Expression<F> | null;
      /** match(): all terms wanted; phrase(): slop; fuzzy(): distance. */
      readonly option: Expression<F> | null;
      readonly b: Expression<F> | null;
      readonly k1: Expression<F> | null;
      /** Several indexes as the fields of one text, or each by itself: its scores are summed. */
      readonly fields: 'together' | 'separate';
      /** jsonb: weights of fields together by name of column, where they are not those of the indexes. */
      readonly columnWeights: Expression<F> | null;
      /** Text: 'auto', or edits that words may differ by. */
      readonly fuzzy: Expression<F> | null;
      readonly output: 'matched' | 'score' | 'explained';
    };

/** True when an arm's column is jsonb. */
export const isExplained = <F extends PlanForm>(arm: Arm<F>): boolean =>
  arm.kind !== 'vector' && arm.kind !== 'embedding' && arm.output === 'explained';
