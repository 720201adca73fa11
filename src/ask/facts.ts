/** From passages to the facts of an answer: the best evidence as statements that stand, in order, each once. */
import type { Similar } from './evidence/across.ts';
import { asksToCompute, computed } from './computing/compute.ts';
import type { CellsOfChunks } from './cells/stored-cells.ts';
import { type Evidence, evidenceOf } from './evidence/evidence.ts';
import type { Draft, Fact, Passage } from './passage.ts';
import type { Question, Reader } from './question.ts';
import { readPassages } from './reading.ts';
import { RowTitles } from './row-titles.ts';
import { draftOf } from './statement.ts';
import { Contents, supported } from './support.ts';
import { Turns } from './turns.ts';
import { WEIGHTS } from './weights.ts';

export interface FactsRequest {
  readonly question: Question;
  readonly passages: readonly Passage[];
  /** Cells of their tables; absent: their texts are all there is. */
  readonly cells?: CellsOfChunks;
  readonly reader: Reader;
  readonly factsMax: number;
  /** Others come from elsewhere, so that an answer sees more than one place. */
  readonly factsAPassage: number;
  readonly signal: AbortSignal;
  /** Absent: true. */
  readonly looksTwice?: boolean;
  /** Names without which nothing is a fact. Absent: none. */
  readonly bystanders?: readonly string[];
  /** Absent: passages of another language are read by their words. */
  readonly similar?: Similar;
  /** False: an operand would be of somebody else than the question names. Absent: true. */
  readonly isComputable?: boolean;
  /** False for evidence that is left out. Absent: none is. */
  readonly fits?: (evidence: Evidence) => boolean;
}

/** Facts that say the same again and again are passed over, up to so many. */
const TRIES_A_FACT = 6;

export interface FoundFacts {
  /** Facts: computed ones first, then best first. */
  readonly facts: readonly Fact[];
  readonly evidence: readonly Evidence[];
  /** Drafts that were to become facts, those among them that could not be placed. */
  readonly tried: number;
  /** It asks for a calculation, and there is none. */
  readonly isUncomputed: boolean;
  /** Why cells that are there were not computed with. */
  readonly uncomputed: string | null;
  /** Passages as they were folded, for facts that others make of them. */
  readonly contents: Contents;
}

export async function factsOf(request: FactsRequest): Promise<FoundFacts> {
  const { question, reader, factsMax, factsAPassage } = request;
  const turns = new Turns(request.signal);
  const passages = await readPassages(request.passages, turns, request.cells);
  const scored = await evidenceOf(
    { question, passages, reader, looksTwice: request.looksTwice ?? true, similar: request.similar ?? null },
    turns,
  );
  const evidence = request.fits === undefined ? scored : scored.filter(request.fits);
  const contents = new Contents(request.bystanders);
  const facts: Fact[] = [];
  let tried = 0;
  const add = (draft: Draft | null): void => {
    if (draft === null) return;
    const fact = supported(draft, contents);
    tried++;
    if (fact === null) return;
    const same = facts.findIndex((other) => saysTheSame(other, fact));
    const known = facts[same];
    if (known !== undefined && known.isComputed === fact.isComputed) facts[same] = withSource(known, fact);
    const beside = facts.filter(({ citations }) => citations[0]?.passage === fact.citations[0]?.passage);
    if (same !== -1 || beside.length >= factsAPassage) tried--;
    else facts.push(fact);
  };
  const isComputable = request.isComputable ?? true;
  const { draft, why } = isComputable
    ? await computed({ question, passages, reader }, turns)
    : { draft: null, why: null };
  add(draft);
  const least = (evidence[0]?.score ?? 0) * WEIGHTS.besideBest;
  const looked = evidence.slice(0, factsMax * TRIES_A_FACT);
  const titles = new RowTitles(looked);
  for (const one of looked) {
    if (facts.length >= factsMax || one.score < least) break;
    const pause = turns.next();
    if (pause !== null) await pause;
    add(draftOf(one, question, reader, titles.of(one)));
  }
  const isUncomputed = draft === null && asksToCompute(question);
  return { facts, evidence, tried, isUncomputed, uncomputed: why, contents };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** True when the second says nothing that the first has not said. */
export function saysTheSame(a: Fact, b: Fact): boolean {
  if (a.isComputed !== b.isComputed) return a.isComputed && isPartOf(a, b);
  if (a.sameAs !== null && a.sameAs === b.sameAs) return true;
  const [one, other] = [plain(a.text), plain(b.text)];
  return one.includes(other) || other.includes(one);
}

/** A line that is shown in what is computed from it. */
function isPartOf(computed: Fact, { sameAs, citations }: Fact): boolean {
  const shown = new Set(
    computed.citations.flatMap(({ passage, quotes }) =>
      quotes.map(({ start, end }) => `${passage.contentId} ${start} ${end}`),
    ),
  );
  const own = citations.flatMap(({ passage, quotes }) =>
    quotes.map(({ start, end }) => `${passage.contentId} ${start} ${end}`),
  );
  return sameAs !== null && own.length > 0 && own.every((quote) => shown.has(quote));
}

/** Other places that say the same are cited too. */
const SOURCES_MAX = 3;

function withSource(fact: Fact, other: Fact): Fact {
  const known = new Set(fact.citations.map(({ passage }) => passage));
  const more = other.citations.filter(({ passage }) => !known.has(passage));
  return { ...fact, citations: [...fact.citations, ...more].slice(0, SOURCES_MAX) };
}
