/**
 * The best rows come from candidates that the indexes of the first sort key give, by the threshold algorithm
 * (`execute/ranking/top-k.ts`). Without it every row is scored.
 */
import { columnsOf, isConstant } from '../../plan/columns-read.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Arm, isExplained } from '../../plan/plan.ts';
import type { Choice } from '../choice.ts';
import type { Ranking, Scan } from '../physical.ts';

export const candidates: Choice = {
  name: 'candidates',
  summary: 'Asks indexes for candidates of a ranking instead of scoring every row.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.request.kind !== 'best rows') return plan;
    return { ...plan, request: { ...plan.request, ...firstKey(plan) } };
  },
};

function firstKey({ topK, columns: own, arms: all }: Scan): Partial<Ranking> {
  const [key, second] = topK?.keys ?? [];
  if (key === undefined || key.nullsFirst || isConstant(key.expression)) return {};
  const columns = [...columnsOf(key.expression)];
  const read = columns.map((column) => column - own.length);
  const arms = read.filter((arm) => givesCandidates(all[arm]));
  const [only = -1, ...more] = read;
  const score = more.length > 0 || only < 0 ? null : only;
  const isOnly = second === undefined && topK?.groups === undefined;
  const plain = isOnly && score !== null && arms.length > 0 && isScore(key.expression, all[score]);
  return { first: key, columns, arms, score, plain };
}

/** `bm25_score()` is 0 where there is no query, which has no best rows either. */
function isScore(key: Expression, arm: Arm | undefined): boolean {
  if (key.kind === 'column') return true;
  return key.kind === 'coalesce' && key.args[0]?.kind === 'column' && arm?.kind === 'keyword';
}

function givesCandidates(arm: Arm | undefined): boolean {
  if (arm === undefined || arm.kind === 'embedding' || isExplained(arm)) return false;
  return arm.kind !== 'keyword' || arm.output !== 'matched';
}
