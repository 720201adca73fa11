/**
 * Bound expressions: plain data, no names left. Columns are positions in the input's output, functions are
 * registry ids, types are OIDs. A plan holding them can be sent to a worker as it is.
 */
import type { Datum } from '../types/datum.ts';
import type { TypeRef } from '../types/type.ts';
import type { Plan } from './plan.ts';

export type Expression =
  | Literal
  | Parameter
  | ColumnReference
  | OuterReference
  | Call
  | Cast
  | Logical
  | Not
  | NullTest
  | Case
  | Coalesce
  | InList
  | ArrayConstructor
  | RowConstructor
  | Quantified
  | Subquery;

interface Typed {
  readonly type: TypeRef;
  /** 1-based position in the statement, kept while binding for error messages; a finished plan has none. */
  readonly at?: number;
}

export interface Literal extends Typed {
  readonly kind: 'literal';
  readonly value: Datum;
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
export interface Call extends Typed {
  readonly kind: 'call';
  readonly function: string;
  readonly args: readonly Expression[];
}

/** `method` is a registry cast id, `'text'` for conversion through text, `'modifier'` for length only. */
export interface Cast extends Typed {
  readonly kind: 'cast';
  readonly input: Expression;
  readonly method: string;
  readonly explicit: boolean;
}

export interface Logical extends Typed {
  readonly kind: 'and' | 'or';
  readonly args: readonly Expression[];
}

export interface Not extends Typed {
  readonly kind: 'not';
  readonly input: Expression;
}

/** IS [NOT] NULL | TRUE | FALSE | UNKNOWN, IS DISTINCT FROM is a call. */
export interface NullTest extends Typed {
  readonly kind: 'is';
  readonly input: Expression;
  readonly test: 'null' | 'true' | 'false' | 'unknown';
  readonly negated: boolean;
}

/** Searched CASE; a simple CASE is bound to comparisons. Branches are evaluated only for rows that take them. */
export interface Case extends Typed {
  readonly kind: 'case';
  readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
  readonly otherwise: Expression | null;
}

export interface Coalesce extends Typed {
  readonly kind: 'coalesce';
  readonly args: readonly Expression[];
}

/** `input = any of items`, all of one type; `equals` is the operator's registry id. */
export interface InList extends Typed {
  readonly kind: 'in';
  readonly input: Expression;
  readonly items: readonly Expression[];
  readonly negated: boolean;
  readonly equals: string;
}

export interface ArrayConstructor extends Typed {
  readonly kind: 'array';
  readonly elements: readonly Expression[];
}

export interface RowConstructor extends Typed {
  readonly kind: 'row';
  readonly fields: readonly Expression[];
  /** Names of a FROM entry's columns where it is its whole row; JSON functions show them. */
  readonly names?: readonly string[];
}

/** `left op ANY|ALL (array)`; `operator` is a registry id of a boolean operator. */
export interface Quantified extends Typed {
  readonly kind: 'quantified';
  readonly operator: string;
  readonly quantifier: 'any' | 'all';
  readonly left: Expression;
  readonly array: Expression;
}

/**
 * A subquery in an expression. Its plan reaches the enclosing row by `outer` references of depth 1 (and
 * deeper ones shifted). `compare` belongs to in, any and all: it sees the subquery's columns as columns
 * and the outer row as depth 1, and is boolean.
 */
export interface Subquery extends Typed {
  readonly kind: 'subquery';
  readonly form: 'scalar' | 'exists' | 'in' | 'any' | 'all' | 'array';
  readonly plan: Plan;
  readonly negated: boolean;
  /** For in, any, all: `left op column`, evaluated over each row of the subquery. */
  readonly compare: Expression | null;
  /** True when the plan or `compare` has an outer reference: the result depends on the row. */
  readonly correlated: boolean;
}
