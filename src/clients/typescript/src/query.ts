/** Queries: stages, expressions, scores, text predicates and aggregates. */
export {
  abs,
  all,
  any,
  type DateUnit,
  Expression,
  field,
  literal,
  max,
  min,
  not,
  type Operand,
  type Value,
} from './query/expression.ts';
export {
  type Aggregate,
  agg,
  fn,
  match,
  matchTokens,
  should,
  TextExpression,
  type Token,
} from './query/functions.ts';
export { filter, groupBy, Query, select } from './query/stages.ts';
