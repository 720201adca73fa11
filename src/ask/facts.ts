/** From passages to the facts of an answer: the best evidence as statements that stand, in order, each once. */
import { computed } from './compute.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import type { Draft, Fact, Passage } from './passage.ts';
import type { Question, Reader } from './question.ts';
import { readPassages } from './reading.ts';
import { draftOf } from './statement.ts';
import { Contents, supported } from './support.ts';
import { Turns } from './turns.ts';

export interface FactsRequest {
  readonly question: Question;
  readonly passages: readonly Passage[];
  readonly reader: Reader;
  readonly factsMax: number;
  /** Others come from elsewhere, so that an answer sees more than one place. */
  readonly factsAPassage: number;
  readonly signal: AbortSignal;
}

/** Evidence that is weaker than this share of the best is not given beside it. */
const BESIDE_BEST = 0.6;
/** Facts that say the same again and again are passed over, up to so many. */
const TRIES_A_FACT = 6;

export interface FoundFacts {
  /** What was computed first, then best first. */
  readonly facts: readonly Fact[];
  readonly evidence: readonly Evidence[];
  /** Drafts that were to become facts, those among them that could not be placed. */
  readonly tried: number;
  /** Passages as they were folded, for facts that others make of them. */
  readonly contents: Contents;
}

export async function factsOf(request: FactsRequest): Promise<FoundFacts> {
  const { question, reader, factsMax, factsAPassage } = request;
  const turns = new Turns(request.signal);
  const passages = await readPassages(request.passages, turns);
  const evidence = await evidenceOf({ question, passages, reader }, turns);
  const contents = new Contents();
  const facts: Fact[] = [];
  let tried = 0;
  const add = (draft: Draft | null): void => {
    if (draft === null) return;
    const fact = supported(draft, contents);
    tried++;
    if (fact === null) return;
    const beside = facts.filter(({ citations }) => citations[0]?.passage === fact.citations[0]?.passage);
    if (beside.length >= factsAPassage || facts.some((other) => saysTheSame(other, fact))) tried--;
    else facts.push(fact);
  };
  add(await computed({ question, passages, reader }, turns));
  const least = (evidence[0]?.score ?? 0) * BESIDE_BEST;
  for (const one of evidence.slice(0, factsMax * TRIES_A_FACT)) {
    if (facts.length >= factsMax || one.score < least) break;
    const pause = turns.next();
    if (pause !== null) await pause;
    add(draftOf(one, question, reader));
  }
  return { facts, evidence, tried, contents };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export function saysTheSame(a: Fact, b: Fact): boolean {
  if (a.isComputed !== b.isComputed) return false;
  const [one, other] = [plain(a.text), plain(b.text)];
  return one.includes(other) || other.includes(one);
}
