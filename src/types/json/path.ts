/**
 * SQL/JSON paths as data: `strict $.a[*] ? (@.b > 1).size()`. The tree is what `path-parser.ts` makes of
 * a text and `path-text.ts` writes back. Source: jsonpath_gram.y of PostgreSQL 18.
 */
import type { NumericDatum } from '../datum.ts';

export interface JsonPath {
  /** Structure that does not fit is forgiven: arrays are unwrapped, values wrapped. The default. */
  readonly lax: boolean;
  readonly root: PathNode;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** Conditions are true, false or unknown; all else gives a sequence of items. */
export type PathNode =
  | { readonly kind: 'literal'; readonly value: null | boolean | string | NumericDatum }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'root' | 'current' | 'last' }
  | { readonly kind: 'path'; readonly base: PathNode; readonly steps: readonly PathStep[] }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: PathNode;
      readonly right: PathNode;
    }
  | { readonly kind: 'sign'; readonly operator: '+' | '-'; readonly operand: PathNode }
  | PathCondition;

export type PathCondition =
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: PathNode;
      readonly right: PathNode;
    }
  | { readonly kind: 'and' | 'or'; readonly left: PathCondition; readonly right: PathCondition }
  | { readonly kind: 'not' | 'unknown'; readonly operand: PathCondition }
  | { readonly kind: 'exists'; readonly operand: PathNode }
  | { readonly kind: 'startsWith'; readonly left: PathNode; readonly right: PathNode }
  | {
      readonly kind: 'likeRegex';
      readonly operand: PathNode;
      readonly pattern: string;
      /** Letters of `ismxq`, in this order. */
      readonly flags: string;
    };

/** Steps that follow a `.`, `[` or `?`. Levels of `**` count from 0; Infinity is the deepest (`last`). */
export type PathStep =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'anyKey' | 'anyElement' }
  | { readonly kind: 'elements'; readonly ranges: readonly PathRange[] }
  | { readonly kind: 'descendants'; readonly first: number; readonly last: number }
  | { readonly kind: 'filter'; readonly condition: PathCondition }
  | { readonly kind: 'method'; readonly name: MethodName; readonly args: readonly PathArgument[] };

export interface PathRange {
  readonly from: PathNode;
  readonly to: PathNode | null;
}

/** A template, a precision or a scale. */
export type PathArgument = string | number;

/** Item methods with how many arguments they take, and of what kind. */
export const METHODS = {
  abs: null,
  bigint: null,
  boolean: null,
  ceiling: null,
  date: null,
  datetime: { type: 'string', max: 1 },
  decimal: { type: 'number', max: 2 },
  double: null,
  floor: null,
  integer: null,
  keyvalue: null,
  number: null,
  size: null,
  string: null,
  time: { type: 'number', max: 1 },
  time_tz: { type: 'number', max: 1 },
  timestamp: { type: 'number', max: 1 },
  timestamp_tz: { type: 'number', max: 1 },
  type: null,
} as const satisfies Readonly<Record<string, null | { type: 'string' | 'number'; max: number }>>;

export type MethodName = keyof typeof METHODS;

const CONDITIONS: ReadonlySet<string> = new Set<PathCondition['kind']>([
  'comparison',
  'and',
  'or',
  'not',
  'unknown',
  'exists',
  'startsWith',
  'likeRegex',
]);

export function isPathCondition(node: PathNode): node is PathCondition {
  return CONDITIONS.has(node.kind);
}
