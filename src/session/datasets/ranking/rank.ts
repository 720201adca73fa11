/**
 * The best passages of several datasets in one order: the door of this folder. Filters are settled before, and what a
 * client sees of a passage after.
 */
import { candidatesOf } from './candidates.ts';
import { inOneOrder } from './one-order.ts';
import type { Ask, Passage, Target } from './passage.ts';

/** @returns at most `topK`, best first. @param topK 1 or more. */
export async function rankedPassages(
  ask: Ask,
  targets: readonly Target[],
  request: { readonly query: string; readonly topK: number },
): Promise<readonly Passage[]> {
  const passages: Passage[] = [];
  for (const target of targets) {
    if (target.documents?.length === 0) continue;
    passages.push(...(await candidatesOf(ask, target, request)));
  }
  return inOneOrder(passages).slice(0, request.topK);
}
