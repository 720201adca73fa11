/** Work of a scan in EXPLAIN ANALYZE: how its indexes were searched, and how much its filter left over. */
import type { ExplainJson, ExplainOptions } from './options.ts';
import type { ArmStatistics, EmbeddingStatistics, NodeStatistics } from './node-statistics.ts';
import type { Plan } from '../../plan/plan.ts';

type Scan = Extract<Plan, { kind: 'scan' }>;

/** Lines of text, and the same as JSON. */
export interface SearchFacts {
  readonly details: readonly (readonly [string, string])[];
  readonly json: ExplainJson;
}

const NOTHING: SearchFacts = { details: [], json: {} };

export function searchFacts(plan: Plan, options: ExplainOptions): SearchFacts {
  const node = options.statistics?.get(plan);
  if (node === undefined || (plan.kind !== 'scan' && plan.kind !== 'fusion')) return NOTHING;
  const timed = options.timing !== false;
  const selectivity = plan.kind === 'scan' ? selectivityOf(plan, node, options) : {};
  const counts = [
    ['Rows Scanned', node.scanned] as const,
    ['Ranked Without Index', node.readThrough ?? 0] as const,
  ].filter(([, count]) => count > 0);
  const embeddings = (node.embeddings ?? []).map((one) => embeddingFacts(one, timed));
  // An arm that nobody asked for candidates has no strategy.
  const arms = [...node.arms.entries()].filter(([, { strategies }]) => strategies.size > 0);
  const facts = arms.map(([i, arm]) => [i + 1, armFacts(arm, timed)] as const);
  return {
    details: [
      ...embeddings.map((facts) => ['Query Embedding', embeddingText(facts)] as const),
      ...facts.map(([number, arm]) => [`Search ${number}`, armText(arm)] as const),
      ...Object.entries(selectivity).map(([name, share]) => [name, share.toFixed(4)] as const),
      ...counts.map(([name, count]) => [name, String(count)] as const),
    ],
    json: {
      ...(embeddings.length === 0 ? {} : { 'Query Embeddings': embeddings }),
      ...(facts.length === 0 ? {} : { Searches: facts.map(([, arm]) => arm) }),
      ...selectivity,
      ...Object.fromEntries(counts),
    },
  };
}

function embeddingFacts({ model, ms, cached }: EmbeddingStatistics, timed: boolean) {
  const time = timed ? { Time: Math.round(ms * 1000) / 1000 } : {};
  return { Model: model, Cached: cached ? 'true' : 'false', ...time };
}

/** `model=all-MiniLM-L6-v2 time=12.310 ms (computed)`. */
function embeddingText({ Model: model, Cached, Time: ms }: ReturnType<typeof embeddingFacts>): string {
  const time = ms === undefined ? '' : ` time=${ms.toFixed(3)} ms`;
  return `model=${model}${time} (${Cached === 'true' ? 'cached' : 'computed'})`;
}

function armFacts({ strategies, ms, ...counts }: ArmStatistics, timed: boolean): ExplainJson {
  return {
    Strategy: [...strategies].join(' + '),
    Candidates: counts.candidates,
    Compared: counts.compared,
    Rescored: counts.rescored,
    ...(timed ? { Time: Math.round(ms * 1000) / 1000 } : {}),
  };
}

/** `strategy=graph candidates=11 compared=420 rescored=32 time=0.310 ms`. */
function armText(facts: ExplainJson): string {
  const { Time: time, ...rest } = facts;
  const parts = Object.entries(rest).map(([name, value]) => `${name.toLowerCase()}=${value}`);
  return [...parts, ...(time === undefined ? [] : [`time=${Number(time).toFixed(3)} ms`])].join(' ');
}

/** Shares of the rows that pass the filter: what the optimizer expected, and what was met. */
function selectivityOf(
  plan: Scan,
  { filtered }: NodeStatistics,
  { estimate }: ExplainOptions,
): Readonly<Record<string, number>> {
  if (filtered === undefined || filtered.rows === 0) return {};
  const whole = { ...plan, topK: null };
  const share = (rows: number, of: number): number => Math.round((10_000 * rows) / Math.max(1, of)) / 10_000;
  return {
    ...(estimate
      ? { 'Estimated Selectivity': share(estimate(whole), estimate({ ...whole, filter: null })) }
      : {}),
    Selectivity: share(filtered.passed, filtered.rows),
  };
}
