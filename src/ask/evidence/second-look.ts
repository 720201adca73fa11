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
  hasPerson,
  isCaption,
  isEntry,
  isOfContents,
  isOfThoseWhoDidNot,
  isSentence,
  leans,
  listsSeveral,
  sendsElsewhere,
} from './forms.ts';
import { documentKey, type Passage } from '../passage.ts';
import { isPartOfYear, type Question, type Reader, yearsIn } from '../question.ts';
import { hasWord } from '../question/has-word.ts';
import type { ReadPassage } from '../reading.ts';
import { WEIGHTS } from '../weights.ts';

/** Letters of a row's label that are looked at for a share: `% of sales`. */
const SHARE_CHARACTERS = 12;

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
      const key = documentKey(passage);
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
  held(unit: Unit, term: string): number {
    const { headers, around, passage, of, text } = unit;
    if (headers.has(term) || this.#naming.get(documentKey(passage))?.has(term) === true) return 1;
    if (!around.has(term)) return 0;
    const isOfEntry = of.kind === 'sentence' && isEntry(text) && this.#saysSome(unit);
    return isOfEntry ? WEIGHTS.aroundEntry : WEIGHTS.around;
  }

  /** True where it holds a word of the question itself. */
  #saysSome({ own }: Unit): boolean {
    return this.#question.terms.some((term) => own.has(term));
  }

  at(unit: Unit): Look {
    const isOther = this.#namingMost > 0 && this.#naming.get(documentKey(unit.passage))?.size === 0;
    const pack = this.#packs.get(unit.passage) ?? null;
    const factor = formFit(unit, this.#question, pack) * (isOther ? WEIGHTS.otherDocuments : 1);
    return { kind: kindFit(unit, this.#question, pack), years: yearFit(unit, this.#question), factor };
  }
}

/** Worth of a unit by its form, whatever it is about. */
function formFit({ of, text, passage }: Unit, question: Question, pack: string | null): number {
  const { kind, core } = question;
  const isDenied = (said: string): boolean =>
    hasWord(said, 'not', pack) && !hasWord(core, 'not', question.pack);
  if (of.kind === 'row') {
    const reasons =
      kind === 'reason' ? WEIGHTS.rowsForReasons : question.isVerdict ? WEIGHTS.rowsForVerdicts : 1;
    const isShare = isAboutShare(of.row.label.slice(0, SHARE_CHARACTERS)) && !isAboutShare(core);
    const heading = passage.heading?.split(' > ').at(-1) ?? '';
    const parts = isAboutPart(heading) && !isAboutPart(core) ? WEIGHTS.parts : 1;
    const denied = isDenied(of.row.label) ? WEIGHTS.denied : 1;
    return reasons * (isShare ? WEIGHTS.shares : 1) * parts * denied;
  }
  const isOpen = !isSentence(text);
  const isTitle = isOpen && !hasNumber(text) && !isEntry(text);
  const isName = isCaption(text) || isTitle || isBesideRows(of.sentence, passage);
  const isLabel = isOpen && (passage.kind === 'image' || isOfContents(text));
  const form = isLabel ? WEIGHTS.labels : isName ? WEIGHTS.titles : 1;
  const isNone = question.isOfAmount && !hasNumber(text);
  const isOfOthers = isOfThoseWhoDidNot(text) && !hasWord(core, 'not', question.pack);
  const isCauseless = kind === 'reason' && causeFit(text, pack) === 0;
  const said =
    (isNone ? WEIGHTS.numberless : 1) *
    (isOfOthers ? WEIGHTS.others : 1) *
    (isCauseless ? WEIGHTS.causeless : 1);
  return form * said * (leans(text) ? WEIGHTS.leaning : 1) * (sendsElsewhere(text) ? WEIGHTS.elsewhere : 1);
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
      return Number(hasNumber(text)) * (isOfAmount && !AMOUNT.test(text) ? WEIGHTS.unitless : 1);
    case 'reason':
      return of.kind === 'sentence' ? causeFit(text, pack) : 0;
    case 'person':
      if (of.kind === 'sentence') return Number(hasPerson(text));
      return Number(of.row.cells.some(({ value }) => hasPerson(value)) || hasPerson(of.row.label));
    case 'time':
      return Number(years.length === 0 ? /\d/.test(text) : true);
    case 'list':
      return of.kind === 'sentence' ? Number(listsSeveral(text)) : WEIGHTS.rowsForLists;
    default:
      if (of.kind !== 'sentence') return 0;
      return cause === null ? 1 : Math.max(WEIGHTS.besideCauses, causeFit(text, pack));
  }
}

/** How surely a sentence states a cause. */
const causeFit = (text: string, pack: string | null): number =>
  hasWord(text, 'because', pack) ? 1 : hasWord(text, 'perhaps because', pack) ? WEIGHTS.perhapsCause : 0;

/** Share of the years asked for that it has, its surroundings counting half; 1 where none is asked for. */
function yearFit({ of, passage, text }: Unit, { years, isOfPartOfYear }: Question): number {
  if (years.length === 0) return 1;
  const cells = of.kind === 'row' ? of.row.cells : [];
  const ofTime = cells.filter(({ column }) => isPartOfYear(column) === isOfPartOfYear);
  const own = new Set(of.kind === 'row' ? ofTime.map(({ year }) => year) : yearsIn(text));
  const around = new Set(yearsIn(`${passage.heading ?? ''} ${passage.docName}`));
  let held = 0;
  for (const year of years) held += own.has(year) ? 1 : around.has(year) ? WEIGHTS.yearAround : 0;
  return held / years.length;
}
