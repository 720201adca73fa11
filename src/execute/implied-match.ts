/**
 * A keyword predicate that the ranking answers by itself: `WHERE match(q, c) ORDER BY bm25_score() DESC`. The rows
 * that a score's search gives are exactly those that its predicate matches, so that it needs no look beforehand.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Expression } from '../plan/expression.ts';
import type { Arm, Scan } from '../plan/plan.ts';
import type { ScanSource } from './scan-rows.ts';

/**
 * The scan without the predicate of the score at position `score` among its arms; null where the filter has none.
 */
export function withoutImplied(source: ScanSource, score: number): ScanSource | null {
  const { plan } = source;
  const conditions = plan.filter?.kind === 'and' ? plan.filter.args : plan.filter ? [plan.filter] : [];
  const rest = conditions.filter((condition) => !isPredicateOf(plan, condition, score));
  if (rest.length === conditions.length) return null;
  const [first, second] = rest;
  const filter: Expression | null =
    plan.filter === null || first === undefined
      ? null
      : second === undefined
        ? first
        : { kind: 'and', args: rest, type: plan.filter.type };
  return { ...source, plan: { ...plan, filter } };
}

function isPredicateOf({ arms, columns }: Scan, condition: Expression, score: number): boolean {
  if (condition.kind !== 'column') return false;
  const [predicate, ranking] = [arms[condition.index - columns.length], arms[score]];
  if (predicate?.kind !== 'keyword' || ranking?.kind !== 'keyword') return false;
  if (predicate.output !== 'matched' || predicate.operator === 'should') return false;
  return isDeepStrictEqual(asked(predicate), asked(ranking));
}

/** What decides which rows match. */
const asked = (arm: Arm & { kind: 'keyword' }): unknown => [arm.indexes, arm.operator, arm.query, arm.option];
