/**
 * A second look at what words have found: whether the years, the documents named, headings and names of columns are
 * those that the question has, whether it is the kind of thing that is asked for, and whether it says anything at all.
 * `bench ask` measures answers with it and without.
 */
import { PACKS } from '../../language/questions/packs.ts';
import { wordsSource } from '../../language/questions/words.ts';
import { knownLanguage } from '../../language/detect-language.ts';
import { namesOf, stemOf } from '../../session/datasets/ranking/naming.ts';
import type { Unit } from './evidence.ts';
import {
  isAboutPart,
  isAboutShare,
  isBesideRows,
  isCaption,
  isOfContents,
  isOfThoseWhoDidNot,
  isSentence,
  leans,
  listsSeveral,
  sendsElsewhere,
} from './forms.ts';
import type { Passage } from '../passage.ts';
import { isPartOfYear, type Question, type Reader, yearsIn } from '../question.ts';
import { hasWord } from '../question/has-word.ts';
import type { ReadPassage } from '../reading.ts';

/** How much a term counts that only the surroundings hold. */
const AROUND = 0.45;

/** Factors of the score, for what is seldom an answer. */
const SELDOM = {
  /** Rows tell no reasons. */
  rowsForReasons: 0.5,
  /** Factor for a segment, a quarter, the parent alone, or what would have been, where the question is of neither. */
  parts: 0.92,
  /** Factor for a sentence without a cause, where one is asked for. */
  causeless: 0.9,
  /** Factor for a row, where the question is whether something is one of a kind. */
  rowsForVerdicts: 0.85,
  /** `% of sales` where no share is asked for. */
  shares: 0.85,
  /** Factor for what names a table or figure, a title, or what is to come. */
  titles: 0.8,
  /** Factor for what sends the reader elsewhere, and what auditors say of every report. */
  elsewhere: 0.8,
  /** Factor for a document that the question does not name, where it names one. */
  otherDocuments: 0.85,
  /** Factor for a row that is of those who did not, where the question is of those who did. */
  denied: 0.6,
  /** Factor for what says `they` or `this` of something that stands before it. */
  leaning: 0.93,
  /** Factor for a sentence without a number, where the question is how much. */
  numberless: 0.8,
  /** Factor for a sentence of those who did not. */
  others: 0.9,
  /** Factor for labels within a picture, and lines of a table of contents. */
  labels: 0.85,
} as const;

/** Letters of a row's label that are looked at for a share: `% of sales`. */
const SHARE_CHARACTERS = 12;
/** Worth of a sentence that may state a cause, and of one that states none where a cause is asked for beside. */
const PERHAPS = 0.5;
const BESIDE_CAUSES = 0.6;

export interface Look {
  /** Fit to the kind, and to the years asked for: 0..1. */
  readonly kind: number;
  readonly years: number;
  readonly factor: number;
}

export class SecondLook {
  readonly #question: Question;
  /** Terms of the question that name a document, of each. */
  readonly #naming = new Map<string, ReadonlySet<string>>();
  readonly #namingMost: number;
  /** Packs of the passages’ languages, the question’s where one does not tell. */
  readonly #packs = new Map<Passage, string | null>();

  constructor(
    question: Question,
    terms: ReadonlyMap<string, number>,
    passages: readonly ReadPassage[],
    reader: Reader,
  ) {
    this.#question = question;
    const asked = namesOf(question.core);
    for (const { passage } of passages) {
      this.#packs.set(passage, knownLanguage(passage.text) ?? question.pack);
      const key = documentOf(passage);
      if (this.#naming.has(key)) continue;
      const names = new Set(namesOf(stemOf(passage.docName)));
      const said = asked.filter((name) => names.has(name) && !/^\d+$/.test(name));
      const words = namesOf(question.core).filter((word) => said.some((name) => name.includes(word)));
      const own = words.flatMap((word) => reader.terms(word, question.language));
      this.#naming.set(key, new Set(own.filter((term) => terms.has(term))));
    }
    this.#namingMost = Math.max(0, ...[...this.#naming.values()].map(({ size }) => size));
  }

  /** How much a term counts that the unit itself has not: its columns, its document's name, what stands around. */
  held({ headers, around, passage }: Unit, term: string): number {
    if (headers.has(term) || this.#naming.get(documentOf(passage))?.has(term) === true) return 1;
    return around.has(term) ? AROUND : 0;
  }

  at(unit: Unit): Look {
    const isOther = this.#namingMost > 0 && this.#naming.get(documentOf(unit.passage))?.size === 0;
    const pack = this.#packs.get(unit.passage) ?? null;
    const factor = formFit(unit, this.#question, pack) * (isOther ? SELDOM.otherDocuments : 1);
    return { kind: kindFit(unit, this.#question, pack), years: yearFit(unit, this.#question), factor };
  }
}

const documentOf = ({ dataset, docId }: Passage): string => `${dataset}\n${docId}`;

/** Worth of a unit by its form, whatever it is about. */
function formFit({ of, text, passage }: Unit, question: Question, pack: string | null): number {
  const { kind, core } = question;
  const isDenied = (said: string): boolean =>
    hasWord(said, 'not', pack) && !hasWord(core, 'not', question.pack);
  if (of.kind === 'row') {
    const reasons =
      kind === 'reason' ? SELDOM.rowsForReasons : question.isVerdict ? SELDOM.rowsForVerdicts : 1;
    const isShare = isAboutShare(of.row.label.slice(0, SHARE_CHARACTERS)) && !isAboutShare(core);
    const heading = passage.heading?.split(' > ').at(-1) ?? '';
    const parts = isAboutPart(heading) && !isAboutPart(core) ? SELDOM.parts : 1;
    const denied = isDenied(of.row.label) ? SELDOM.denied : 1;
    return reasons * (isShare ? SELDOM.shares : 1) * parts * denied;
  }
  const isOpen = !isSentence(text);
  const isTitle = isOpen && !hasNumber(text);
  const isName = isCaption(text) || isTitle || isBesideRows(of.sentence, passage);
  const isLabel = isOpen && (passage.kind === 'image' || isOfContents(text));
  const form = isLabel ? SELDOM.labels : isName ? SELDOM.titles : 1;
  const isNone = question.isOfAmount && !hasNumber(text);
  const isOfOthers = isOfThoseWhoDidNot(text) && !hasWord(core, 'not', question.pack);
  const isCauseless = kind === 'reason' && causeFit(text, pack) === 0;
  const said =
    (isNone ? SELDOM.numberless : 1) *
    (isOfOthers ? SELDOM.others : 1) *
    (isCauseless ? SELDOM.causeless : 1);
  return form * said * (leans(text) ? SELDOM.leaning : 1) * (sendsElsewhere(text) ? SELDOM.elsewhere : 1);
}

/** Besides years. */
const hasNumber = (text: string): boolean =>
  /\d/.test(text.replace(/\b(?:19|20)\d{2}(?:\s?[-–]\s?\d{2,4})?\b/g, ''));

const UNITS = wordsSource(
  PACKS.flatMap(({ scales, currencies }) => [...Object.keys(scales), ...Object.keys(currencies)]).filter(
    (word) => word.length > 2,
  ),
);
const AMOUNT = new RegExp(`\\p{Sc}\\s?\\d|\\d\\s?%|\\d ?${UNITS}`, 'iu');

/** Fit to the kind of thing that is asked for. */
function kindFit({ of, text }: Unit, question: Question, pack: string | null): number {
  const { kind, years, isOfAmount, cause } = question;
  switch (kind) {
    case 'number':
      if (of.kind === 'row') return Number(of.row.cells.length > 0);
      return Number(hasNumber(text)) * (isOfAmount && !AMOUNT.test(text) ? 0.3 : 1);
    case 'reason':
      return of.kind === 'sentence' ? causeFit(text, pack) : 0;
    case 'time':
      return Number(years.length === 0 ? /\d/.test(text) : true);
    case 'list':
      return of.kind === 'sentence' ? Number(listsSeveral(text)) : 0.5;
    default:
      if (of.kind !== 'sentence') return 0;
      return cause === null ? 1 : Math.max(BESIDE_CAUSES, causeFit(text, pack));
  }
}

/** How surely a sentence states a cause. */
const causeFit = (text: string, pack: string | null): number =>
  hasWord(text, 'because', pack) ? 1 : hasWord(text, 'perhaps because', pack) ? PERHAPS : 0;

/** Share of the years asked for that it has, its surroundings counting half; 1 where none is asked for. */
function yearFit({ of, passage, text }: Unit, { years, isOfPartOfYear }: Question): number {
  if (years.length === 0) return 1;
  const cells = of.kind === 'row' ? of.row.cells : [];
  const ofTime = cells.filter(({ column }) => isPartOfYear(column) === isOfPartOfYear);
  const own = new Set(of.kind === 'row' ? ofTime.map(({ year }) => year) : yearsIn(text));
  const around = new Set(yearsIn(`${passage.heading ?? ''} ${passage.docName}`));
  let held = 0;
  for (const year of years) held += own.has(year) ? 1 : around.has(year) ? 0.5 : 0;
  return held / years.length;
}
