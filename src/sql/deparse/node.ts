/**
 * Expressions as PostgreSQL's parser leaves them: what ruleutils.c prints. IN, BETWEEN and LIKE are
 * operators here, casts have a type, and names are text.
 */
import type { Datum } from '../../types/datum.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Query, WindowDefinition } from '../ast.ts';

export type Node =
  | { readonly node: 'column'; readonly text: string }
  | { readonly node: 'constant'; readonly value: Datum; readonly type: TypeRef }
  | {
      readonly node: 'cast';
      readonly input: Node;
      readonly type: TypeRef;
      /** Not written by the user: shown only where PostgreSQL shows it. */
      readonly implicit: boolean;
      /** Done by a function of PostgreSQL's, not through text or by reading the same bytes. */
      readonly call?: boolean;
    }
  | {
      readonly node: 'operator';
      readonly operator: string;
      readonly left: Node | null;
      readonly right: Node;
    }
  | { readonly node: 'logical'; readonly word: 'AND' | 'OR' | 'NOT'; readonly args: readonly Node[] }
  /** IS NULL and its kin. */
  | { readonly node: 'test'; readonly input: Node; readonly words: string }
  | { readonly node: 'distinct'; readonly left: Node; readonly right: Node }
  | {
      readonly node: 'quantified';
      readonly operator: string;
      readonly quantifier: 'ANY' | 'ALL';
      readonly left: Node;
      readonly array: Node;
    }
  | {
      readonly node: 'case';
      readonly operand: Node | null;
      readonly branches: readonly { readonly when: Node; readonly result: Node }[];
      readonly otherwise: Node;
    }
  /** `ARRAY[…]`, `COALESCE(…)`, `ROW(…)`. */
  | { readonly node: 'list'; readonly open: string; readonly items: readonly Node[]; readonly close: string }
  | CallNode
  /** SQL's own syntax of a function: `EXTRACT(year FROM d)`. */
  | { readonly node: 'syntax'; readonly parts: readonly SyntaxPart[] }
  | { readonly node: 'rows'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly node: 'collate'; readonly input: Node; readonly collation: string }
  | { readonly node: 'subscript'; readonly input: Node; readonly steps: readonly SubscriptStep[] }
  | { readonly node: 'field'; readonly input: Node; readonly name: string }
  | {
      readonly node: 'subquery';
      readonly form: 'scalar' | 'exists' | 'any' | 'all' | 'array';
      readonly test: readonly Node[];
      readonly operator: string;
      readonly query: Query;
    };

/** `operand` stands in brackets where it is not simple. */
export type SyntaxPart = string | Node | { readonly operand: Node };

export interface SubscriptStep {
  readonly slice: boolean;
  readonly lower: Node | null;
  readonly upper: Node | null;
}

export interface SortNode {
  readonly value: Node;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** A function, an aggregate or a window function. */
export interface CallNode {
  readonly node: 'call';
  /** Quoted where it must be. */
  readonly name: string;
  readonly distinct: boolean;
  readonly star: boolean;
  /** Names of arguments that were written `name => value`. */
  readonly names: readonly (string | null)[];
  readonly args: readonly Node[];
  readonly variadic: boolean;
  readonly order: readonly SortNode[];
  readonly withinGroup: readonly SortNode[];
  readonly filter: Node | null;
  readonly over: WindowDefinition | null;
}
