/** Reading of a question from its words, once, into one object. Reading is all that is done. */
import { QuickCache } from '../bounded-cache.ts';
import { type Analyser, createAnalyser } from '../language/analyse.ts';
import { detectLanguage } from '../language/detect-language.ts';
import { ALL_DOMAINS, type Concept, type Vocabulary } from '../language/domains/vocabulary.ts';
import { daysIn } from '../tables/period-text.ts';
import { type Comparison, comparisonIn } from './question/comparison.ts';
import { coreOf, pageIn } from './question/core.ts';
import {
  type AnswerKind,
  causeIn,
  type Direction,
  directionIn,
  isOfAmount,
  isVerdict,
  kindOf,
} from './question/kind.ts';
import { namesIn } from './question/names.ts';
import { type Definition, definitionIn } from './question/definition.ts';
import { type Operation, operationIn } from './question/operation.ts';
import { isPartOfYear, type PartOfYear, partsIn, yearsIn } from './question/periods.ts';
import { allOf, phrased, withoutStretches } from './question/phrased.ts';

export { namesIn } from './question/names.ts';
export { isPartOfYear, yearsIn } from './question/periods.ts';
export type { AnswerKind } from './question/kind.ts';

export interface Question {
  readonly text: string;
  /** Without what it says about the answer's form. */
  readonly core: string;
  readonly language: string;
  /** Name of the pack that it is read by; null: none is for its language, and nothing is computed. */
  readonly pack: string | null;
  /** Kind of its main clause. */
  readonly kind: AnswerKind;
  /** Stems that carry it, in order, each once. */
  readonly terms: readonly string[];
  /** Years, ascending. */
  readonly years: readonly number[];
  /** Days as `2023-06-30`, ascending. */
  readonly days: readonly string[];
  /** Parts of years that it names, in order. */
  readonly parts: readonly PartOfYear[];
  /** Concepts that it names and documents call by other words. */
  readonly concepts: readonly Concept[];
  /** The terms that it is read with: those of its datasets. */
  readonly vocabulary: Vocabulary;
  /** It asks of a quarter or of months, not of years. */
  readonly isOfPartOfYear: boolean;
  /** 1-based, where it names one. */
  readonly page: number | null;
  /** Names and quoted words, as written. */
  readonly names: readonly string[];
  /** The calculation that it asks for; null for none, for reasons, and where it is not understood whole. */
  readonly operation: Operation | null;
  readonly comparison: Comparison | null;
  /** How it says itself that a figure is made up. */
  readonly definition: Definition | null;
  readonly direction: Direction | null;
  /** It asks whether something is one of a kind, or how it is to be called. */
  readonly isVerdict: boolean;
  /** It asks how much, not how many. */
  readonly isOfAmount: boolean;
  /** The thing it asks the cause of, in its words; of a question of another kind too: `…, and what drove that?` */
  readonly cause: string | null;
  /** The clause that says what to say where it does not apply. */
  readonly unless: string | null;
}

/** Bound on how far a question is read for forms and line items. */
const LOOKED_AT_CHARACTERS_MAX = 2_000;
const TERMS_COUNT_MAX = 100;
const TERMS_CACHE_ENTRIES_MAX = 20_000;
/** Longer texts come only once. */
const CACHED_CHARACTERS_MAX = 80;

/** Knows the terms of texts, language by language. */
export class Reader {
  readonly #analysers = new Map<string, Analyser>();
  readonly #terms = new QuickCache<string, readonly string[]>(TERMS_CACHE_ENTRIES_MAX);

  /** @throws nothing: an unknown language is English. */
  terms(text: string, language: string): readonly string[] {
    if (text.length > CACHED_CHARACTERS_MAX) return this.#termsOf(text, language);
    const key = `${language}\n${text}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const terms = this.#termsOf(text, language);
    this.#terms.set(key, terms);
    return terms;
  }

  #termsOf(text: string, language: string): readonly string[] {
    return this.#analyser(language)
      .analyse(text)
      .map(({ term }) => term);
  }

  /** @param given the question's language, where it is known. @param vocabulary of its datasets. */
  read(text: string, given?: string, vocabulary: Vocabulary = ALL_DOMAINS): Question {
    const plain = text.replace(/\s+/g, ' ').trim();
    const rest = plain.slice(LOOKED_AT_CHARACTERS_MAX);
    const begin = phrased(plain.slice(0, LOOKED_AT_CHARACTERS_MAX));
    const { text: coreBegin, unless } = coreOf(begin);
    const core = coreBegin + rest;
    const language = given ?? detectLanguage(core);
    const read = phrased(coreBegin, begin);
    const about = withoutStretches(read, allOf(read.grammar?.forms.asking ?? [], read.tokens)) + rest;
    const terms = [...new Set(this.terms(about, language))]
      .filter((term) => !/^(?:fy)?\d{4}$/.test(term))
      .slice(0, TERMS_COUNT_MAX);
    const kind = kindOf(read);
    return {
      text,
      core,
      language,
      pack: read.grammar?.name ?? null,
      kind,
      terms,
      years: yearsIn(core),
      days: daysIn(coreBegin).toSorted(),
      parts: partsIn(coreBegin),
      concepts: vocabulary.conceptsIn(text.slice(0, LOOKED_AT_CHARACTERS_MAX), language),
      vocabulary,
      isOfPartOfYear: isPartOfYear(core),
      page: pageIn(read),
      names: namesIn(core),
      operation: kind === 'reason' || rest !== '' ? null : operationIn(read),
      comparison: rest === '' ? comparisonIn(read) : null,
      definition: rest === '' ? definitionIn(begin, vocabulary) : null,
      direction: directionIn(read),
      isVerdict: kind === 'yes or no' && isVerdict(read),
      isOfAmount: isOfAmount(read),
      cause: causeIn(read),
      unless,
    };
  }

  #analyser(language: string): Analyser {
    const known = this.#analysers.get(language);
    if (known !== undefined) return known;
    const made = createAnalyser({ language: language === 'cjk' ? 'simple' : language });
    this.#analysers.set(language, made);
    return made;
  }
}
