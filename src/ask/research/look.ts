/**
 * One sub-question is looked for: its searches, what of their evidence is kept and what is rejected, each with its
 * reason. Searching, reading and placing are those of `ask()`.
 */
import { QuickCache } from '../../bounded-cache.ts';
import type { CellsOfChunks } from '../cells/stored-cells.ts';
import { computed } from '../computing/compute.ts';
import { confidenceOf, isStrong, strengthOf } from '../confidence.ts';
import { type Evidence, evidenceOf } from '../evidence.ts';
import { saysTheSame } from '../facts.ts';
import type { Draft, Fact, Passage } from '../passage.ts';
import { type Question, type Reader, yearsIn } from '../question.ts';
import { readPassages } from '../reading.ts';
import { draftOf } from '../statement.ts';
import { Contents, supported } from '../support.ts';
import { Turns } from '../turns.ts';
import { contradict, type Figure, figuresOf, sameFigure } from './figure.ts';
import type { SubQuestion } from './sub-question.ts';

export type Reason =
  | 'too weak'
  | 'duplicate'
  | 'other year'
  | 'other entity'
  | 'not placed'
  | 'contradicts'
  | 'enough kept';

export interface Kept {
  readonly fact: Fact;
  readonly figures: readonly Figure[];
}

export interface Rejected {
  readonly text: string;
  readonly reason: Reason;
  readonly passage: Passage;
  readonly score: number;
}

export interface Looked {
  readonly kept: readonly Kept[];
  /** Best first. */
  readonly rejected: readonly Rejected[];
  /** 0 to 100, as that of `ask()`. */
  readonly confidence: number;
}

export interface LookRequest {
  readonly sub: SubQuestion;
  readonly question: Question;
  readonly passages: readonly Passage[];
  readonly cells: CellsOfChunks;
  readonly reader: Reader;
  /** Facts that other sub-questions have kept. */
  readonly known: readonly Kept[];
  /** False: an operand would be of somebody else than the question names. */
  readonly isComputable: boolean;
  readonly signal: AbortSignal;
}

/** How near the best one facts are that are kept beside it, by what the sub-question is. */
const BESIDE_BEST = { part: 0.75, whole: 0.6, aspect: 0.7 } as const;
/** The least score for what the question does not name: only what is clear. */
const ASPECT_SCORE_MIN = 0.6;
/** Facts beside these that contradict one of them. */
const CONTRADICTING_MAX = 2;
/** The best ones; others are not told of. */
const LOOKED_AT_MAX = 24;
const TEXT_CHARACTERS_MAX = 400;

export async function look(request: LookRequest): Promise<Looked> {
  const { sub, question, reader, signal } = request;
  const turns = new Turns(signal);
  const passages = await readPassages(request.passages, turns, request.cells);
  const evidence = await evidenceOf({ question, passages, reader, looksTwice: true }, turns);
  const sieve = new Sieve(request);
  const computation = request.isComputable ? await computed({ question, passages, reader }, turns) : null;
  if (computation !== null) sieve.compute(computation);
  const misfits = new Map<Evidence, Reason>();
  for (const one of evidence) {
    const pause = turns.next();
    if (pause !== null) await pause;
    const reason = misfit(one, sub, question);
    if (reason !== null) misfits.set(one, reason);
  }
  const strength = strengthOf(evidence.filter((one) => !misfits.has(one)));
  for (const one of evidence.slice(0, LOOKED_AT_MAX)) {
    const pause = turns.next();
    if (pause !== null) await pause;
    const reason = misfits.get(one) ?? sieve.take(one, strength.score);
    if (reason !== null) sieve.reject(one, reason);
  }
  const { kept, rejected, tried } = sieve;
  const facts = kept.map(({ fact }) => fact);
  // Facts that others have kept answer it as well.
  const answers = [...facts, ...sieve.said];
  if (isStrong(answers, tried, strength))
    return { kept, rejected, confidence: confidenceOf(answers, tried, strength) };
  const weak = facts.flatMap(({ text, score, citations }): readonly Rejected[] => {
    const passage = citations[0]?.passage;
    return passage === undefined ? [] : [{ text, reason: 'too weak', passage, score }];
  });
  return { kept: [], rejected: [...weak, ...rejected], confidence: 0 };
}

/** Sieve of evidence: what is kept so far, and why the next one is not. */
class Sieve {
  readonly kept: Kept[] = [];
  readonly rejected: Rejected[] = [];
  /** Drafts that were to become facts. */
  tried = 0;
  /** Facts that others have kept already. */
  readonly said: Fact[] = [];
  readonly #request: LookRequest;
  readonly #contents = new Contents();
  #contradicting = 0;

  constructor(request: LookRequest) {
    this.#request = request;
  }

  compute(draft: Draft): void {
    this.tried++;
    const fact = supported(named(draft, this.#request.sub, this.#contents), this.#contents);
    if (fact !== null) this.kept.push({ fact, figures: [] });
  }

  /** @param best the score of the best that fits. @returns why it is not kept. */
  take(evidence: Evidence, best: number): Reason | null {
    const { sub, question, reader, known } = this.#request;
    const figures = figuresOf(evidence, {
      entity: entityOf(evidence, sub, question),
      years: sub.years,
      language: question.language,
      reader,
    });
    const isContrary = this.kept.some((kept) =>
      kept.figures.some((a) => figures.some((b) => contradict(a, b))),
    );
    if (isContrary && this.#contradicting >= CONTRADICTING_MAX) return 'contradicts';
    const least = Math.max(best * BESIDE_BEST[sub.origin], sub.origin === 'aspect' ? ASPECT_SCORE_MIN : 0);
    if ((!isContrary && evidence.score < least) || !this.#isFit(evidence)) return 'too weak';
    const draft = draftOf(evidence, question, reader);
    if (draft === null) return 'too weak';
    if (!isContrary && this.kept.length >= sub.factsMax) return 'enough kept';
    this.tried++;
    const fact = supported(named(draft, sub, this.#contents), this.#contents);
    if (fact === null) return 'not placed';
    if (isSaid({ fact, figures }, [...known, ...this.kept])) {
      this.said.push(fact);
      return 'duplicate';
    }
    if (isContrary) this.#contradicting++;
    this.kept.push({ fact, figures });
    return null;
  }

  /** A sentence that only announces says nothing; rows tell no reasons, nor do sentences about something else. */
  #isFit({ unit }: Evidence): boolean {
    const { sub, question, reader } = this.#request;
    if (unit.kind === 'sentence' && /[:：]$/.test(unit.sentence.text)) return false;
    if (sub.kind !== 'reason') return true;
    return unit.kind === 'sentence' && tellsChange(unit.sentence.text, sub, question, reader);
  }

  reject({ unit, passage, score }: Evidence, reason: Reason): void {
    const text =
      unit.kind === 'sentence' ? unit.sentence.text : passage.text.slice(unit.row.start, unit.row.end);
    this.rejected.push({ text: text.slice(0, TEXT_CHARACTERS_MAX), reason, passage, score });
  }
}

const CHANGE_WORD =
  /\b(?:increas|decreas|grew|grow|fell|fall|rose|rise|declin|higher|lower|improv|drop|reduc|chang|because|due to|driven)\w*/gi;
/** Characters before and after. */
const NEAR = 80;

/** True when what is asked about stands beside a word of change; asked of English sentences only. */
function tellsChange(text: string, sub: SubQuestion, { language, terms }: Question, reader: Reader): boolean {
  if (language !== 'english') return true;
  const other = new Set(reader.terms(`${sub.entity ?? ''} change reasons`, language));
  const wanted = terms.filter((term) => !other.has(term));
  return [...text.matchAll(CHANGE_WORD)].some(({ index }) => {
    const near = new Set(reader.terms(text.slice(Math.max(0, index - NEAR), index + NEAR), language));
    return wanted.every((term) => near.has(term));
  });
}

/** By a fact that says the same, or by several that state all its numbers. */
function isSaid({ fact, figures }: Kept, others: readonly Kept[]): boolean {
  if (others.some((other) => saysTheSame(other.fact, fact))) return true;
  const stated = others.flatMap((other) => other.figures);
  return figures.length > 0 && figures.every((a) => stated.some((b) => sameFigure(a, b)));
}

/** Where several are compared, a fact says of whom it is: by its passage's word, else by its document's name. */
function named(draft: Draft, { entity, others }: SubQuestion, contents: Contents): Draft {
  const [support] = draft.supports;
  if (entity === null || others.length === 0 || support === undefined || mentions(draft.text, entity))
    return draft;
  const { passage } = support;
  const stands = contents.of(passage).place(entity) !== null;
  const supports = stands ? [...draft.supports, { passage, texts: [entity], from: 0 }] : draft.supports;
  return { ...draft, text: `${entity}: ${draft.text}`, supports };
}

/** Says that it is of another year, or of another one of those that are compared; null where it fits. */
function misfit({ unit, passage }: Evidence, sub: SubQuestion, { years }: Question): Reason | null {
  const text =
    unit.kind === 'sentence' ? unit.sentence.text : passage.text.slice(unit.row.start, unit.row.end);
  const around = `${passage.heading ?? ''} ${passage.docName}`;
  if (sub.entity !== null && !isOf(text, around, passage, sub)) return 'other entity';
  if (years.length === 0) return null;
  const own =
    unit.kind === 'sentence'
      ? yearsIn(text)
      : unit.row.cells.flatMap(({ year }) => (year === null ? [] : [year]));
  const told = own.length > 0 ? own : yearsIn(around.replace(/_/g, ' '));
  return told.length === 0 || told.some((year) => years.includes(year)) ? null : 'other year';
}

/** True for text whose passage alone names it, and whose heading or document does not name another one. */
function isOf(text: string, around: string, passage: Passage, { entity, others }: SubQuestion): boolean {
  if (entity === null || mentions(text, entity) || mentions(around, entity)) return true;
  const isOfOther = others.some((other) => mentions(text, other) || mentions(around, other));
  return !isOfOther && mentions(passage.text, entity);
}

/** Whom a number is of: who is compared, else whom the question names; null: whom its document is of. */
function entityOf({ unit, passage }: Evidence, { entity }: SubQuestion, { names }: Question): string | null {
  if (entity !== null) return entity;
  const text = unit.kind === 'sentence' ? unit.sentence.text : '';
  const around = `${passage.heading ?? ''} ${passage.docName}`;
  return names.find((name) => [text, around, passage.text].some((one) => mentions(one, name))) ?? null;
}

/** Passages are asked again and again, unit by unit. */
const PLAIN_ENTRIES_MAX = 500;
const PLAIN = new QuickCache<string, string>(PLAIN_ENTRIES_MAX);

function plain(text: string): string {
  const known = PLAIN.get(text);
  if (known !== undefined) return known;
  const made = plainOf(text);
  PLAIN.set(text, made);
  return made;
}

const plainOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** As words of the text; `Best Buy` is also `bestbuy`. */
function mentions(text: string, name: string): boolean {
  const [all, one] = [plain(text), plain(name)];
  return all.includes(one) || (one.trim().includes(' ') && all.includes(` ${one.replaceAll(' ', '')} `));
}
