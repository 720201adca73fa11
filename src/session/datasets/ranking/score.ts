/**
 * One score of all arms, from 0 to 1: the weighted mean of what each contributes. Meaning contributes each cosine's
 * place between the least and the best of the candidates, whatever the model's range; words the share of the best BM25;
 * the name of the document its share of the best named one.
 */
import type { Candidate } from './passage.ts';
import type { Weights } from './weights.ts';

/** Best first; of equal ones by document and place. */
export function byScore(candidates: readonly Candidate[], weights: Weights): readonly Candidate[] {
  const meaning = places(candidates.map(({ semanticScore }) => semanticScore));
  const implied = places(candidates.map(({ impliedScore }) => impliedScore));
  const words = places(
    candidates.map(({ keywordScore }) => keywordScore),
    0,
  );
  const total = 1 + weights.keyword + weights.named;
  const scored = candidates.map((candidate, i) => {
    const meant = (1 - weights.implied) * (meaning[i] as number) + weights.implied * (implied[i] as number);
    const sum = meant + weights.keyword * (words[i] as number) + weights.named * candidate.namedScore;
    return { ...candidate, score: (isByChance(candidate) ? weights.wordlessImage : 1) * (sum / total) };
  });
  return scored.sort((a, b) => b.score - a.score || inPlace(a, b));
}

const isByChance = ({ key, keywordScore }: Candidate): boolean =>
  !(keywordScore !== null && keywordScore > 0) && /#image#\d+@\d+$/.test(key);

function inPlace(a: Candidate, b: Candidate): number {
  for (const key of ['dataset', 'docId'] as const) {
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  }
  return a.ordinal - b.ordinal;
}

/** Each score's place from the least, which may be given, to the greatest; 0 for none, and where all are alike. */
function places(scores: readonly (number | null)[], given?: number): readonly number[] {
  const known = scores.filter((score) => score !== null);
  const least = given ?? known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const range = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least;
  return scores.map((score) => (score === null || !(range > 0) ? 0 : (score - least) / range));
}
