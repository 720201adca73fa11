/**
 * Keyword predicates that the ranking answers by itself: `WHERE match(q, c) ORDER BY bm25_score() DESC`. The rows
 * that a score's search gives are exactly those that its predicate matches, so that it need not be asked.
 */
import type { Expression } from '../../plan/expression.ts';
import type { Arm, Scan } from '../../plan/plan.ts';
import { sameTree } from '../../plan/same-tree.ts';

export interface Implied {
  /** The scan with what is left of its filter. */
  readonly plan: Scan;
  /** Positions, among the scan's arms, of the predicates. */
  readonly arms: ReadonlySet<number>;
}

/** The predicates that mean the score at position `score` among the scan's arms; null where the filter has none. */
export function impliedBy(plan: Scan, score: number): Implied | null {
  const { filter, columns } = plan;
  if (filter === null) return null;
  const arms = new Set<number>();
  const rest: Expression[] = [];
  for (const condition of filter.kind === 'and' ? filter.args : [filter]) {
    if (condition.kind === 'column' && isPredicateOf(plan, condition.index - columns.length, score)) {
      arms.add(condition.index - columns.length);
    } else rest.push(condition);
  }
  if (arms.size === 0) return null;
  const [first = null, second] = rest;
  const left: Expression | null =
    second === undefined ? first : { kind: 'and', args: rest, type: filter.type };
  return { plan: { ...plan, filter: left }, arms };
}

function isPredicateOf({ arms }: Scan, arm: number, score: number): boolean {
  const [predicate, ranking] = [arms[arm], arms[score]];
  if (predicate?.kind !== 'keyword' || ranking?.kind !== 'keyword') return false;
  if (predicate.output !== 'matched' || predicate.operator === 'should') return false;
  if (ranking.output !== 'score') return false;
  return sameTree(asked(predicate), asked(ranking));
}

/** The fields that decide which rows match. */
const asked = (arm: Arm & { kind: 'keyword' }): unknown => [
  arm.indexes,
  arm.operator,
  arm.query,
  arm.option,
  arm.fields,
  arm.columnWeights,
  arm.fuzzy,
];
