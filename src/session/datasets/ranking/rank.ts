/**
 * The best passages of several datasets in one order: the door of this folder. Filters are settled before, and what a
 * client sees of a passage after. A query is read (`question.ts`), each dataset's indexes give candidates
 * (`candidates.ts`), all of them get one score (`score.ts`), the best are read (`texts.ts`), and those that stand together
 * become one (`merge.ts`).
 */
import { candidatesOf } from './candidates.ts';
import { merged } from './merge.ts';
import type { Ask, Candidate, Passage, Target } from './passage.ts';
import { type Question, readQuestion } from './question.ts';
import { byScore } from './score.ts';
import { withTexts } from './texts.ts';
import { WEIGHTS } from './weights.ts';

interface Request {
  readonly query: string;
  /** Results that are wanted, 1 or more. */
  readonly topK: number;
}

/** Chunks that are looked at, however few results are wanted, so that neighbours meet. */
const MERGED_COUNT_MIN = 50;
const CHUNKS_A_RESULT = 3;

/** @returns at most `topK`, best first, neighbours as one. */
export async function rankedPassages(
  ask: Ask,
  targets: readonly Target[],
  request: Request,
): Promise<readonly Passage[]> {
  const count = Math.max(MERGED_COUNT_MIN, CHUNKS_A_RESULT * request.topK);
  const best = (await rankedCandidates(ask, targets, request)).slice(0, count);
  return merged(await withTexts(ask, best)).slice(0, request.topK);
}

/** @returns chunks as they are, best first. */
export async function rankedChunks(
  ask: Ask,
  targets: readonly Target[],
  request: Request,
): Promise<readonly Passage[]> {
  return withTexts(ask, (await rankedCandidates(ask, targets, request)).slice(0, request.topK));
}

async function rankedCandidates(
  ask: Ask,
  targets: readonly Target[],
  { query, topK }: Request,
): Promise<readonly Candidate[]> {
  const read = ({ vocabulary }: Target): Question | null => readQuestion(query, vocabulary);
  return byScore(await candidatesOfAll(ask, targets, { read, topK }), WEIGHTS);
}

/** Candidates of all datasets, not yet in order. @param read the query, as a target has words for it. */
export async function candidatesOfAll(
  ask: Ask,
  targets: readonly Target[],
  { read, topK }: { readonly read: (target: Target) => Question | null; readonly topK: number },
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const target of targets) {
    const question = target.documents?.length === 0 ? null : read(target);
    if (question === null) continue;
    candidates.push(...(await candidatesOf(ask, target, { question, topK })));
  }
  return candidates;
}
