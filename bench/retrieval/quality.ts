/**
 * nDCG@10 of keyword, semantic and hybrid search beside exact search with the float32 model, on sets with judged
 * answers. One setting for all of them; the language of the analyser is the set's.
 */
import type { Peers } from '../peers.ts';
import { report } from '../statistics.ts';
import { type Embedded, embedFloat32 } from './float32-model.ts';
import { nearest } from './vectors.ts';
import { ARMS, loadJudged, measureJudged, SETS } from './judged.ts';
import { judge } from '../../src/session/evaluation/metrics.ts';
import { type RetrievalSet, readSet } from './sets.ts';

const DIMENSION = 384;
const K = 10;

/** The sets whose language the model knows: those of the bars. */
const BARRED = 4;

/** @param quick the two smallest sets, without the float32 model. */
export async function quality({ quern }: Peers, quick: boolean): Promise<void> {
  const gains: number[] = [];
  const chosen = quick ? SETS.filter(({ name }) => name === 'medline' || name === 'xquad-en') : SETS;
  for (const { name, language, plain } of chosen) {
    const set = readSet(name);
    await loadJudged(quern.client, set, language);
    const scores: Record<string, number> = {};
    for (const [arm, sql] of Object.entries(ARMS)) scores[arm] = await measureJudged(quern.client, set, sql);
    const { keyword = 0, semantic = 0, hybrid = 0, 'rank fusion': fused = 0 } = scores;
    const exact = quick ? Number.NaN : exactScore(set, await embedSet(set));
    const better = Math.max(keyword, semantic);
    if (SETS.findIndex((one) => one.name === name) < BARRED) gains.push(hybrid - better);
    report(`${name}: nDCG@10 of hybrid over the better arm`, hybrid - better, {
      bar: '>= -0.005',
      keyword: `${keyword.toFixed(4)}${plain === null ? '' : ` (bar ${(plain - 0.01).toFixed(4)})`}`,
      semantic: `${semantic.toFixed(4)} (bar ${(exact - 0.005).toFixed(4)})`,
      'exact float32': exact.toFixed(4),
      hybrid: hybrid.toFixed(4),
      'rank fusion': fused.toFixed(4),
    });
  }
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  report('nDCG@10 of hybrid over the better arm, mean', mean, { bar: '> 0' });
}

const embedSet = ({ documents, queries }: RetrievalSet): Promise<Embedded> =>
  embedFloat32([...documents, ...queries].map(({ text }) => text));

/** By the float32 vectors of documents and queries, every pair compared. */
function exactScore({ name, documents, queries }: RetrievalSet, { vectors }: Embedded): number {
  const base = vectors.subarray(0, documents.length * DIMENSION);
  const asked = { name, dimension: DIMENSION, base, queries: vectors.subarray(base.length) };
  const scores = queries.map(({ relevant }, query) => {
    const rows = nearest(asked, { query, k: K, keeps: () => true });
    const found = rows.map((row) => [documents[row]?.id ?? '']);
    return judge(new Map([...relevant].map((id) => [id, 1])), found, K).ndcg;
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
