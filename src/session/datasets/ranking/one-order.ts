/** Passages of several datasets in one order, by the arms' raw scores: these mean the same in all of them. */
import type { Passage } from './passage.ts';

/** Best first; what one dataset gave stays in its order. */
export function inOneOrder(passages: readonly Passage[]): readonly Passage[] {
  if (new Set(passages.map(({ dataset }) => dataset)).size <= 1) return passages;
  const best = (of: (passage: Passage) => number): number => Math.max(...passages.map(of), 0);
  const semanticBest = best(({ semanticScore }) => (semanticScore ?? -1) + 1);
  const keywordBest = best(({ keywordScore }) => keywordScore ?? 0);
  const scored = passages.map((passage) => {
    const semantic = semanticBest === 0 ? 0 : ((passage.semanticScore ?? -1) + 1) / semanticBest;
    const keyword = keywordBest === 0 ? 0 : (passage.keywordScore ?? 0) / keywordBest;
    return { ...passage, score: (semantic + keyword) / 2 };
  });
  return scored.sort((a, b) => b.score - a.score);
}
