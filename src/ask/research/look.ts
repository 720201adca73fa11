/**
 * One question of the plan is asked: what is given of it, and why the rest of what was found is not. It is answered as
 * `ask()` answers; of the question as it was asked, all that `ask()` gives is kept, and more of the same beside it.
 */
import type { FoundWithCells } from '../cells/found.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { type FoundFacts, saysTheSame } from '../facts.ts';
import { foundAnswer, MODES } from '../confidence.ts';
import { documentKey, type Fact, type Passage } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import { draftOf } from '../statement.ts';
import { supported } from '../support.ts';
import { Turns } from '../turns.ts';
import { WEIGHTS } from '../weights.ts';
import { entityOf, misfit, named, type Reason } from './fit.ts';
import { contradict, type Figure, figuresOf, sameFigure } from './figure.ts';
import type { SubQuestion } from './sub-question.ts';

export interface Kept {
  readonly fact: Fact;
  /** Whom it is told of; null: nobody is named beside it. */
  readonly entity: string | null;
  readonly figures: readonly Figure[];
  /** Absent: it is an answer as `ask()` gives it. */
  readonly isFurther?: true;
  /** Another question has kept what says it: it cites more places of it. */
  readonly isSaid?: true;
}

export interface Rejected {
  readonly text: string;
  readonly reason: Reason;
  readonly passage: Passage;
  readonly score: number;
}

export interface Looked {
  /** As `ask()` gives them, then what else is kept. */
  readonly kept: readonly Kept[];
  /** Best first. */
  readonly rejected: readonly Rejected[];
  /** 0 to 100, as that of `ask()`. */
  readonly confidence: number;
}

export interface LookRequest {
  readonly sub: SubQuestion;
  readonly question: Question;
  readonly found: FoundWithCells;
  readonly reader: Reader;
  /** Facts that other questions have kept. */
  readonly known: readonly Kept[];
  /** False: an operand would be of somebody else than the question names. */
  readonly isComputable: boolean;
  readonly signal: AbortSignal;
}

/** Facts of an answer, and of one passage. */
const BOUNDS = {
  whole: MODES.auto,
  part: { factsMax: 2, factsAPassage: 2 },
  aspect: { factsMax: 1, factsAPassage: 1 },
} as const;
/** Facts of the question as it was asked, with those of further places. */
const WHOLE_FACTS_MAX = 10;
/** How near the best one these are. */
const FURTHER_BESIDE_BEST = 0.6;
/** Facts beside these that contradict one of them. */
const CONTRADICTING_MAX = 2;
/** The best ones; others are not told of. */
const LOOKED_AT_MAX = 24;
const TEXT_CHARACTERS_MAX = 400;

export async function look(request: LookRequest): Promise<Looked> {
  const { sub, question, reader, isComputable, signal } = request;
  const misfits = new Map<Evidence, Reason>();
  const fits = (one: Evidence): boolean => {
    const reason = misfit(one, request);
    if (reason !== null) misfits.set(one, reason);
    return reason === null;
  };
  const { found, facts, confidence } = await foundAnswer({
    ...{ ...request.found, question, reader, isComputable, signal, ...BOUNDS[sub.origin] },
    ...(sub.origin !== 'whole' && { fits }),
  });
  const sieve = new Sieve(request, found);
  for (const fact of facts) sieve.give(fact);
  const turns = new Turns(signal);
  const all = [...found.evidence, ...misfits.keys()].sort((a, b) => b.score - a.score);
  for (const one of all.slice(0, LOOKED_AT_MAX)) {
    const pause = turns.next();
    if (pause !== null) await pause;
    sieve.pass(one, misfits.get(one) ?? misfit(one, request));
  }
  return { kept: sieve.kept, rejected: sieve.rejected, confidence };
}

/** Evidence of a question, kept so far, or rejected with the reason. */
class Sieve {
  readonly kept: Kept[] = [];
  readonly rejected: Rejected[] = [];
  readonly #request: LookRequest;
  readonly #found: FoundFacts;
  readonly #best: number;
  #contradicting = 0;

  constructor(request: LookRequest, found: FoundFacts) {
    this.#request = request;
    this.#found = found;
    this.#best = found.evidence[0]?.score ?? 0;
  }

  /** A fact of the answer. */
  give(fact: Fact): void {
    const { sub, known } = this.#request;
    const made = this.#keptOf(
      fact,
      this.#found.evidence.find((one) => restsOn(fact, one)),
    );
    const isSaid = known.some((other) => isSame(other, made)) || isStated(made, known);
    this.kept.push({ ...made, ...(sub.origin !== 'whole' && isSaid && SAID) });
  }

  /** Evidence in its order. @param reason why it is not fit; null where it is. */
  pass(evidence: Evidence, reason: Reason | null): void {
    if (this.kept.some(({ fact }) => restsOn(fact, evidence))) return;
    const why = reason ?? (this.kept.length === 0 ? 'too weak' : this.#take(evidence));
    if (why === null) return;
    const { unit, passage, score } = evidence;
    const text =
      unit.kind === 'sentence' ? unit.sentence.text : passage.text.slice(unit.row.start, unit.row.end);
    this.rejected.push({ text: text.slice(0, TEXT_CHARACTERS_MAX), reason: why, passage, score });
  }

  /** Keeps evidence that contradicts a kept fact, or says more than the answer has. @returns why it is not kept. */
  #take(evidence: Evidence): Reason | null {
    const { sub, question, reader, known } = this.#request;
    const draft = draftOf(evidence, question, reader);
    const fact = draft === null ? null : supported(draft, this.#found.contents);
    const isWeak = evidence.score < this.#best * WEIGHTS.besideBest;
    if (fact === null) return draft === null || isWeak ? 'too weak' : 'not placed';
    const made = this.#keptOf(fact, evidence);
    const isContrary = this.kept.some(({ figures }) =>
      figures.some((a) => made.figures.some((b) => contradict(a, b))),
    );
    const others = [...known, ...this.kept];
    if (others.some((other) => isSame(other, made)) || isStated(made, others)) return 'duplicate';
    if (isContrary) {
      if (this.#contradicting >= CONTRADICTING_MAX) return 'contradicts';
      this.#contradicting++;
      this.kept.push(made);
      return null;
    }
    const isFurther =
      sub.origin === 'whole' &&
      this.kept.length < WHOLE_FACTS_MAX &&
      evidence.score >= this.#best * FURTHER_BESIDE_BEST &&
      !this.kept.some((one) => cites(one.fact, evidence.passage));
    if (isFurther) this.kept.push({ ...made, isFurther });
    return isFurther ? null : isWeak ? 'too weak' : 'enough kept';
  }

  #keptOf(fact: Fact, evidence: Evidence | undefined): Kept {
    const { sub, question, reader } = this.#request;
    const { fact: told, entity } = named(fact, sub, this.#found.contents);
    if (evidence === undefined || fact.isComputed) return { fact: told, entity, figures: [] };
    const figures = figuresOf(evidence, {
      entity: entityOf(evidence, entity ?? sub.entity, question),
      years: sub.years,
      language: question.language,
      reader,
    });
    return { fact: told, entity, figures };
  }
}

const SAID = { isSaid: true } as const;

const isOf = (passage: Passage, { dataset, contentId }: Passage): boolean =>
  passage.dataset === dataset && passage.contentId === contentId;

const cites = ({ citations }: Fact, passage: Passage): boolean =>
  citations.some((one) => isOf(one.passage, passage));

/** True for a fact with words of the sentence or row. */
function restsOn(fact: Fact, { unit, passage }: Evidence): boolean {
  const { start, end } = unit.kind === 'sentence' ? unit.sentence : unit.row;
  return fact.citations.some(
    (one) => isOf(one.passage, passage) && one.quotes.some((quote) => quote.start < end && quote.end > start),
  );
}

/** True when both say the same of the same one: equal words of two companies are two facts. */
export function isSame(a: Kept, b: Kept): boolean {
  if (!saysTheSame(a.fact, b.fact)) return false;
  if (a.entity === b.entity) return true;
  if (a.entity !== null && b.entity !== null) return false;
  const documents = new Set(a.fact.citations.map(({ passage }) => documentKey(passage)));
  return b.fact.citations.some(({ passage }) => documents.has(documentKey(passage)));
}

/** True when others state all its numbers. */
function isStated({ figures }: Kept, others: readonly Kept[]): boolean {
  const stated = others.flatMap((other) => other.figures);
  return figures.length > 0 && figures.every((a) => stated.some((b) => sameFigure(a, b)));
}
