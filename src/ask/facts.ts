/** From passages to the facts of an answer: the best evidence as statements that stand, in order, each once. */
import { computed } from './computing/compute.ts';
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
  /** Absent: true. */
  readonly looksTwice?: boolean;
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
  const evidence = await evidenceOf(
    { question, passages, reader, looksTwice: request.looksTwice ?? true },
    turns,
  );
  const contents = new Contents();
  const facts: Fact[] = [];
  let tried = 0;
  const add = (draft: Draft | null): void => {
    if (draft === null) return;
    const fact = supported(draft, contents);
    tried++;
    if (fact === null) return;
    const same = facts.findIndex((other) => saysTheSame(other, fact));
    if (same !== -1) facts[same] = withSource(facts[same] as Fact, fact);
    const beside = facts.filter(({ citations }) => citations[0]?.passage === fact.citations[0]?.passage);
    if (same !== -1 || beside.length >= factsAPassage) tried--;
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
  if (a.sameAs !== null && a.sameAs === b.sameAs) return true;
  const [one, other] = [plain(a.text), plain(b.text)];
  return one.includes(other) || other.includes(one);
}

/** Other places that say the same are cited too. */
const SOURCES_MAX = 3;

function withSource(fact: Fact, other: Fact): Fact {
  const known = new Set(fact.citations.map(({ passage }) => passage));
  const more = other.citations.filter(({ passage }) => !known.has(passage));
  return { ...fact, citations: [...fact.citations, ...more].slice(0, SOURCES_MAX) };
}
