/** Reading of a question from its words: terms, periods, the kind of answer. Reading is all that is done. */
import { QuickCache } from '../bounded-cache.ts';
import { type Analyser, createAnalyser } from '../language/analyse.ts';
import { detectLanguage } from '../language/detect-language.ts';
import { ALL_DOMAINS, type Concept, type Vocabulary } from '../language/domains/vocabulary.ts';

export type AnswerKind = 'number' | 'time' | 'reason' | 'list' | 'yes or no' | 'text';

export interface Question {
  readonly text: string;
  /** Without what it says about the answer's form. */
  readonly core: string;
  readonly language: string;
  readonly kind: AnswerKind;
  /** Stems that carry it, in order, each once. */
  readonly terms: readonly string[];
  /** Years, ascending. */
  readonly years: readonly number[];
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
    const core = withoutForm(plain.slice(0, LOOKED_AT_CHARACTERS_MAX)) + rest;
    const language = given ?? detectLanguage(core);
    const years = yearsIn(core);
    const about = core.replace(ASKING, ' ');
    const terms = [...new Set(this.terms(about, language))]
      .filter((term) => !/^(?:fy)?\d{4}$/.test(term))
      .slice(0, TERMS_COUNT_MAX);
    return {
      text,
      core,
      language,
      kind: kindOf(core),
      terms,
      years,
      concepts: vocabulary.conceptsIn(text.slice(0, LOOKED_AT_CHARACTERS_MAX), language),
      vocabulary,
      isOfPartOfYear: isPartOfYear(core),
      page: pageIn(core),
      names: namesIn(core),
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

/** Sentences about how to answer, not about what. */
const FORM =
  /^(?:please |then |directly |just )*(?:answer|give|respond|response|round|write|express|format|calculate what|use|address|assume|state|provide|rely|return|report your)\b/i;
const FORM_CLAUSE =
  /[,;(]?\s*(?:please\s+)?(?:answer in|round (?:your )?(?:the )?(?:answer|result)?|write (?:down )?the answer|directly answer|give me (?:an|a)|in units of)\b.*$/i;
const IRRELEVANT = /^if\b.*\b(?:not|isn't)\b.*\b(?:then|please|state|explain)\b/i;

function withoutForm(text: string): string {
  const sentences = text.match(/[^.?!:]+(?:[.:](?=\d)[^.?!:]+)*[.?!:]*/g) ?? [text];
  const kept = sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => !FORM.test(sentence) && !IRRELEVANT.test(sentence))
    .map((sentence) => sentence.replace(FORM_CLAUSE, ''));
  const core = kept.join(' ').trim();
  return core.length < 8 ? text : core;
}

/** Words of asking, which say what is wanted and not what it is about. */
const ASKING =
  /\b(?:(?:what|which) (?:fiscal |financial |calendar )?years?(?= (?:is|was|has|had|did|does|saw|were|are)\b)|what|which|who|whom|whose|when|where|why|how|many|much|is|are|was|were|do|does|did|has|have|had|the following|amount|value|total number|respective|respectively|company|company's|please|said|say|says|tell|told|mentioned|according|(?:on|of|from) page \d+)\b/gi;

const YEAR = /\b(?:FY\s?|fiscal(?: year)? )?((?:19|20)\d{2})(?:\s?[-–]\s?((?:19|20)\d{2}|\d{2}))?\b/gi;

/** `2017-2019` is three of them. */
export function yearsIn(text: string): readonly number[] {
  const years = new Set<number>();
  for (const [, first, last] of text.matchAll(YEAR)) {
    const from = Number(first);
    const to =
      last === undefined
        ? from
        : last.length === 2
          ? Math.floor(from / 100) * 100 + Number(last)
          : Number(last);
    for (let year = from; year <= to && year < from + 10; year++) years.add(year);
  }
  for (const [, short] of text.matchAll(/\bFY\s?'?(\d{2})\b/g)) years.add(2000 + Number(short));
  for (const [, year] of text.matchAll(/\b(?:FY|Q[1-4])?\s?((?:19|20)\d{2})(?:Q[1-4])\b/gi))
    years.add(Number(year));
  return [...years].sort((a, b) => a - b);
}

/** `Three Months Ended`, `13 weeks`, `Q2`; of a year there are fifty weeks and more. */
export const isPartOfYear = (text: string): boolean =>
  /\b(?:three|six|nine|[369])[- ]months?\b|\b(?:[1-3]?\d)[- ]weeks?\b|\b(?:first|second|third|fourth)?[- ]?quarter(?:ly)?\b|(?:\b|\d)Q[1-4]\b/i.test(
    text,
  );

const KINDS: readonly (readonly [kind: AnswerKind, pattern: RegExp])[] = [
  [
    'reason',
    /\bwhy\b|\breasons?\b|\bwhat (?:drove|caused|led|explains)\b|\bdue to what\b|\bwarum\b|\bpourquoi\b|\bpor qué\b/i,
  ],
  [
    'time',
    /\bwhen\b|\b(?:which|what) (?:fiscal )?(?:year|years|quarter|month|date|period)s?\b|\bwann\b|\bquand\b|\bcuándo\b/i,
  ],
  [
    'list',
    /\b(?:which|what) (?:are|were)\b|\blist\b|\bwhat (?:types|kinds|components|factors)\b|\bname the\b/i,
  ],
  [
    'number',
    /\bhow (?:many|much|long|old|large|high)\b|\bwhat (?:percent|percentage|proportion|share|amount|number)\b|\b(?:amount|ratio|rate|percentage|percent|average|difference|change|increase|decrease|total|value|number|cost|price|expenses?|revenues?|sales|income|balance|margin|capital expenditures?)\b|\bwie ?viele?\b|\bcombien\b|\bcuánt[oa]s?\b/i,
  ],
  [
    'yes or no',
    /^(?:[\w\s,]*, )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b/i,
  ],
];

function kindOf(core: string): AnswerKind {
  const isYesNo = KINDS.find(([kind, pattern]) => kind === 'yes or no' && pattern.test(core));
  if (isYesNo !== undefined) return 'yes or no';
  return KINDS.find(([, pattern]) => pattern.test(core))?.[0] ?? 'text';
}

function pageIn(core: string): number | null {
  const [, page] = /\b(?:on|of|from) page (\d{1,5})\b/i.exec(core) ?? [];
  return page === undefined ? null : Number(page);
}

/** Quoted words, and words with capitals that do not begin the question. */
export function namesIn(core: string): readonly string[] {
  const quoted = [...core.matchAll(/["“`']([^"”`']{2,60})["”`']/g)].map(([, name]) => name as string);
  const capital = [
    ...core.matchAll(/(?<=\S\s)(?:\p{Lu}[\p{L}\p{N}&.'’-]*)(?:\s\p{Lu}[\p{L}\p{N}&.'’-]*)*/gu),
  ];
  return [...new Set([...quoted, ...capital.map(([name]) => name.replace(/['’]s$/, ''))])];
}
