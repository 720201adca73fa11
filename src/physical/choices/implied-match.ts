/**
 * Keyword predicates that the ranking answers by itself: `WHERE match(q, c) ORDER BY bm25_score() DESC`. The rows
 * that a score's search gives are exactly those that its predicate matches, so that it need not be asked.
 */
import type { Expression } from '../../plan/expression.ts';
import type { Arm } from '../../plan/plan.ts';
import { sameTree } from '../../plan/same-tree.ts';
import type { Choice } from '../choice.ts';
import type { Ranking, Scan } from '../physical.ts';

export const impliedMatch: Choice = {
  name: 'implied-match',
  summary: 'Leaves out keyword predicates that the ranking answers by itself.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.request.kind !== 'best rows') return plan;
    const { score } = plan.request;
    const implied = score === null ? null : impliedBy(plan, score);
    return implied === null ? plan : { ...plan, request: { ...plan.request, implied } };
  },
};

/** The predicates that mean the score at position `score` among the scan's arms; null where the filter has none. */
function impliedBy(scan: Scan, score: number): Ranking['implied'] {
  const { filter, columns } = scan;
  const isImplied = (condition: Expression): boolean =>
    condition.kind === 'column' && isPredicateOf(scan, condition.index - columns.length, score);
  const implied = scan.conditions.filter(({ expression }) => isImplied(expression));
  if (filter === null || implied.length === 0) return null;
  const arms = implied.map(
    ({ expression }) => (expression.kind === 'column' ? expression.index : 0) - columns.length,
  );
  const conditions = scan.conditions.filter((condition) => !implied.includes(condition));
  const [first, second] = conditions.map(({ expression }) => expression);
  const args = conditions.map(({ expression }) => expression);
  const left: Expression | null =
    second === undefined ? (first ?? null) : { kind: 'and', args, type: filter.type };
  const ways = scan.ways.filter((way) => way.kind !== 'keyword' || !isImplied(way.condition));
  return { arms: new Set(arms), rest: { ...scan, filter: left, conditions, ways } as Scan };
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
