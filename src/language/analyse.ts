/**
 * Text to terms: Unicode words, lower case, folded accents, stop words left out, stems; Chinese, Japanese
 * and Korean as pairs of characters. One thing to know: a term left out keeps its position, so that phrases
 * stay as far apart as they were written.
 */
import { QuickCache } from '../bounded-cache.ts';
import { AutoAnalyser } from './auto-analyser.ts';
import { SqlError } from '../errors.ts';
import { type Language, LANGUAGE_NAMES, languageByName, stopWordsOf } from './languages.ts';
import { parseSynonyms, type Synonyms } from './synonyms.ts';

/** A term with its position in words and where it lies in the text, in UTF-16 units. */
export interface Term {
  readonly term: string;
  /** The word as written: folded, not stemmed; '' for all but the first of several terms of one word. */
  readonly written: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
  /** Weight beside other terms of the same word; absent: 1. */
  readonly share?: number;
  /** One of the languages that a query is read in leaves the word out. */
  readonly dispensable?: boolean;
}

export interface Analyser {
  /** Terms in text order. @param from position of the first word. */
  analyse(text: string, from?: number): readonly Term[];
  /** As `analyse`, with the stop words: their term is ''. */
  read(text: string, from?: number): readonly Term[];
  /** Where each text has a language of its own. */
  readonly languages?: Languages;
}

export interface Languages {
  /** The one that a text is in, always the same for the same text. */
  of(text: string): string;
  in(language: string): Analyser;
}

/** Words between two elements of an array, so that no phrase runs over the border. */
export const ELEMENT_GAP = 100;
const TERM_CHARACTERS_MAX = 255;
const STOP_WORDS_CHARACTERS_MAX = 65_536;
const CACHE_ENTRIES_MAX = 50_000;

/** Letters and digits, with an apostrophe inside a word or a point or comma inside a number. */
const WORD =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:['’](?=\p{L})|(?<=\p{Nd})[.,](?=\p{Nd}))[\p{L}\p{N}\p{M}]+)*/gu;
const CJK = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}';
const CJK_RUN = new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu');
const IS_CJK = new RegExp(`^[${CJK}]`, 'u');
/** All of these scripts lie there. */
const BEYOND_ALPHABETS = /[^\0-\u10ff]/;
const ONLY_ASCII = /^[\0-\x7f]*$/;
const MARKED = /([\p{sc=Latin}\p{sc=Greek}])\p{M}+/gu;
const LIGATURES: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ё: 'е',
  ς: 'σ',
};
const LIGATURE = new RegExp(`[${Object.keys(LIGATURES).join('')}]`, 'g');

/** Latin and Greek letters without their marks, ligatures spelt out; other scripts as they are. */
export function foldAccents(word: string): string {
  if (ONLY_ASCII.test(word)) return word;
  const bare = word.normalize('NFD').replace(MARKED, '$1').normalize('NFC');
  return bare.replace(LIGATURE, (letter) => LIGATURES[letter] ?? letter);
}

/** Whole values as single case-sensitive terms. */
const wholeText = (text: string, from = 0): readonly Term[] => [
  { term: text, written: text, position: from, start: 0, end: text.length },
];
const EXACT: Analyser = { analyse: wholeText, read: wholeText };

/**
 * @param options of a keyword index: type, language, synonyms, stop_words.
 * @throws SqlError 22023 when the language is unknown or a synonym is no rule; 54000 for too many stop words.
 */
export function createAnalyser(options: Readonly<Record<string, string>>): Analyser {
  if (options.type === 'exact') return EXACT;
  if (options.language?.toLowerCase() === 'auto') {
    return new AutoAnalyser((language) => createAnalyser({ ...options, language }));
  }
  const language = withStopWords(languageByName(options.language ?? 'english'), options.stop_words);
  const plain = new TextAnalyser(language, new Map());
  if ((options.synonyms ?? '') === '') return plain;
  const termsOf = (words: string): readonly string[] => plain.analyse(words).map(({ term }) => term);
  return new TextAnalyser(language, parseSynonyms(options.synonyms ?? '', termsOf));
}

/** @param given `none`, a language whose stop words are meant, or the words themselves; undefined: the language's own. */
function withStopWords(language: Language, given: string | undefined): Language {
  if (given === undefined) return language;
  if (given.length > STOP_WORDS_CHARACTERS_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `stop words are longer than ${STOP_WORDS_CHARACTERS_MAX} characters`,
    );
  }
  const name = given.trim().toLowerCase();
  if (name === 'none') return { ...language, stopWords: new Set() };
  const words = given.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0) {
    throw new SqlError('invalid_parameter_value', 'there is no word in stop_words', {
      hint: "Write 'none', a language, or words like 'a, an, the'.",
    });
  }
  const folded = words.map((word) => foldAccents(word.toLowerCase().normalize('NFKC').replaceAll('’', "'")));
  return { ...language, stopWords: stopWordsOf(name) ?? new Set(folded) };
}

/**
 * Checks the option of a new index: a single word could be a language that there is not, or a list.
 *
 * @throws SqlError 22023, and as `createAnalyser`.
 */
export function checkStopWords(given: string): void {
  createAnalyser({ stop_words: given });
  const name = given.trim();
  const isOneWord = /^[^\s,;]+$/.test(name);
  if (!isOneWord || name.toLowerCase() === 'none' || stopWordsOf(name) !== undefined) return;
  throw new SqlError('invalid_parameter_value', `there are no stop words of a language "${name}"`, {
    hint: `Languages are ${LANGUAGE_NAMES.join(', ')}. A list of one word has a comma: '${name},'.`,
  });
}

interface Word {
  readonly word: string;
  readonly start: number;
}

/** Matches of `WORD`. Most words are plain ASCII and found without it, in a third of the time. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  let pattern: RegExp | null = null;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code < 128 && !isAsciiWord(code)) {
      at++;
      continue;
    }
    const end = code < 128 ? asciiWordEnd(text, at) : -1;
    if (end >= 0) {
      words.push({ word: text.slice(at, end), start: at });
      at = end;
      continue;
    }
    pattern ??= new RegExp(WORD);
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) break;
    words.push({ word: match[0], start: match.index });
    at = pattern.lastIndex;
  }
  return words;
}

/** Where the word that begins at `start` ends; -1 when it touches what is not ASCII. */
function asciiWordEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) return -1;
    if (isAsciiWord(code)) continue;
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    if (code === APOSTROPHE) {
      if (next >= 128) return -1;
      if (!isAsciiLetter(next)) return at;
    } else if (code === POINT || code === COMMA) {
      if (next >= 128) return -1;
      if (!isDigit(next) || !isDigit(text.charCodeAt(at - 1))) return at;
    } else return at;
  }
  return at;
}

const APOSTROPHE = 39;
const COMMA = 44;
const POINT = 46;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isAsciiLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;
const isAsciiWord = (code: number): boolean => isAsciiLetter(code) || isDigit(code);

/** A word folded, and its term: '' for a stop word. */
interface Known {
  readonly term: string;
  readonly written: string;
}

class TextAnalyser implements Analyser {
  readonly #language: Language;
  /** Terms of a text's words, by word. */
  readonly #cache = new QuickCache<string, Known>(CACHE_ENTRIES_MAX);

  readonly #synonyms: Synonyms;

  constructor(language: Language, synonyms: Synonyms) {
    this.#language = language;
    this.#synonyms = synonyms;
  }

  analyse(text: string, from = 0): readonly Term[] {
    return this.read(text, from).filter(({ term }) => term !== '');
  }

  read(text: string, from = 0): readonly Term[] {
    const terms: Term[] = [];
    const mixed = BEYOND_ALPHABETS.test(text);
    let position = from;
    for (const { word, start } of wordsOf(text)) {
      if (mixed && BEYOND_ALPHABETS.test(word)) {
        position = this.#addMixed(terms, word, start, position);
        continue;
      }
      position = this.#addWord(terms, word, start, position);
    }
    return terms;
  }

  /** @returns the position of the next word. */
  #addWord(terms: Term[], word: string, start: number, position: number): number {
    const { term, written } = this.#cache.get(word) ?? this.#cache.set(word, this.#wordOf(word));
    const end = start + word.length;
    const synonyms = term === '' ? undefined : this.#synonyms.get(term);
    if (synonyms === undefined) {
      terms.push({ term, written, position, start, end });
      return position + 1;
    }
    for (const [i, synonym] of synonyms.entries()) {
      terms.push({ term: synonym, written: i === 0 ? written : '', position: position + i, start, end });
    }
    return position + synonyms.length;
  }

  /** A word with characters beyond the alphabets: runs of CJK as pairs, the rest as words. */
  #addMixed(terms: Term[], word: string, start: number, from: number): number {
    let position = from;
    for (const { 0: run, index } of word.matchAll(CJK_RUN)) {
      if (!IS_CJK.test(run)) {
        position = this.#addWord(terms, run, start + index, position);
        continue;
      }
      const characters = [...run];
      let at = start + index;
      for (let i = 0; i < Math.max(1, characters.length - 1); i++) {
        const pair = characters.slice(i, i + 2).join('');
        const term = pair.normalize('NFKC');
        terms.push({ term, written: term, position: position++, start: at, end: at + pair.length });
        at += (characters[i] as string).length;
      }
      if (characters.length > 1) position++;
    }
    return position;
  }

  #wordOf(text: string): Known {
    const { stem, stopWords, elision, foldFirst } = this.#language;
    let word = text.slice(0, TERM_CHARACTERS_MAX).toLowerCase();
    if (!ONLY_ASCII.test(word)) word = word.normalize('NFKC').replaceAll('’', "'");
    const whole = foldAccents(word);
    if (stopWords.has(word) || stopWords.has(whole)) return stopWord(whole);
    if (elision !== null && word.includes("'")) {
      word = word.replace(elision, '');
      if (stopWords.has(word)) return stopWord(foldAccents(word));
    }
    word = word.replaceAll("'", '');
    const written = foldAccents(word);
    return { term: foldFirst ? stem(written) : foldAccents(stem(word)), written };
  }
}

const stopWord = (written: string): Known => ({ term: '', written: written.replaceAll("'", '') });
