/**
 * Bound expressions: plain data, no names left. Columns are positions in the input's output, functions are
 * registry ids, types are OIDs. A plan holding them can be sent to a worker as it is.
 */
import type { Datum } from '../types/datum.ts';
import type { TypeRef } from '../types/type.ts';
import type { OutputColumn, Plan } from './plan.ts';

/**
 * Forms of a plan's parts. Plans are `Settled` unless told: the binder's drafts
 * (`sql/bind/draft.ts`) have the same nodes, in which a column is named by an id and not by its position.
 */
export interface PlanForm {
  /** How an expression names a column. */
  readonly column: { readonly kind: string };
  readonly output: OutputColumn;
  /** Plan below a node, and inside of a subquery. */
  readonly plan: { readonly kind: string };
}

export interface Settled extends PlanForm {
  readonly column: ColumnReference | OuterReference;
  readonly plan: Plan;
}

export type Expression<F extends PlanForm = Settled> =
  | Literal
  | Parameter
  | F['column']
  | Call<F>
  | Cast<F>
  | Logical<F>
  | Not<F>
  | NullTest<F>
  | Case<F>
  | Coalesce<F>
  | InList<F>
  | ArrayConstructor<F>
  | RowConstructor<F>
  | Quantified<F>
  | Subquery<F>;

export interface Typed {
  readonly type: TypeRef;
  /** 1-based position in the statement, kept while binding for error messages; a finished plan has none. */
  readonly at?: number;
}

export interface Literal extends Typed {
  readonly kind: 'literal';
  readonly value: Datum;
  /** NULL in the place of a column that no document has. */
  readonly absent?: string;
}

/** `$1` is index 0. */
export interface Parameter extends Typed {
  readonly kind: 'parameter';
  readonly index: number;
}

export interface ColumnReference extends Typed {
  readonly kind: 'column';
  /** Position in the input's output columns; of a join: left columns, then right. */
  readonly index: number;
}

/** A column of an enclosing query's current row; depth 1 is the directly enclosing one. */
export interface OuterReference extends Typed {
  readonly kind: 'outer';
  readonly depth: number;
  readonly index: number;
}

/** A scalar function or operator by registry id. */
export interface Call<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'call';
  readonly function: string;
  readonly args: readonly Expression<F>[];
}

/** `method` is a registry cast id, `'text'` for conversion through text, `'modifier'` for length only. */
export interface Cast<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'cast';
  readonly input: Expression<F>;
  readonly method: string;
  readonly explicit: boolean;
}

export interface Logical<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'and' | 'or';
  readonly args: readonly Expression<F>[];
}

export interface Not<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'not';
  readonly input: Expression<F>;
}

/** IS [NOT] NULL | TRUE | FALSE | UNKNOWN, IS DISTINCT FROM is a call. */
export interface NullTest<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'is';
  readonly input: Expression<F>;
  readonly test: 'null' | 'true' | 'false' | 'unknown';
  readonly negated: boolean;
}

/** Searched CASE; a simple CASE is bound to comparisons. Branches are evaluated only for rows that take them. */
export interface Case<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'case';
  readonly branches: readonly { readonly when: Expression<F>; readonly then: Expression<F> }[];
  readonly otherwise: Expression<F> | null;
}

export interface Coalesce<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'coalesce';
  readonly args: readonly Expression<F>[];
}

/** `input = any of items`, all of one type; `equals` is the operator's registry id. */
export interface InList<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'in';
  readonly input: Expression<F>;
  readonly items: readonly Expression<F>[];
  readonly negated: boolean;
  readonly equals: string;
}

export interface ArrayConstructor<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'array';
  readonly elements: readonly Expression<F>[];
}

export interface RowConstructor<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'row';
  readonly fields: readonly Expression<F>[];
  /** Names of a FROM entry's columns where it is its whole row; JSON functions show them. */
  readonly names?: readonly string[];
}

/** `left op ANY|ALL (array)`; `operator` is a registry id of a boolean operator. */
export interface Quantified<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'quantified';
  readonly operator: string;
  readonly quantifier: 'any' | 'all';
  readonly left: Expression<F>;
  readonly array: Expression<F>;
}

/**
 * A subquery in an expression. Its plan reaches the enclosing row by `outer` references of depth 1 (and
 * deeper ones shifted). `compare` belongs to in, any and all: it sees the subquery's columns as columns
 * and the outer row as depth 1, and is boolean.
 */
export interface Subquery<F extends PlanForm = Settled> extends Typed {
  readonly kind: 'subquery';
  readonly form: 'scalar' | 'exists' | 'in' | 'any' | 'all' | 'array';
  readonly plan: F['plan'];
  readonly negated: boolean;
  /** For in, any, all: `left op column`, evaluated over each row of the subquery. */
  readonly compare: Expression<F> | null;
  /** True when the plan or `compare` has an outer reference: the result depends on the row. */
  readonly correlated: boolean;
}
