/**
 * Text to terms: Unicode words, lower case, folded accents, stop words left out, stems; Chinese, Japanese
 * and Korean as pairs of characters. One thing to know: a term left out keeps its position, so that phrases
 * stay as far apart as they were written.
 */
import { type Language, languageByName } from './languages.ts';

/** A term with its position in words and where it lies in the text, in UTF-16 units. */
export interface Term {
  readonly term: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

export interface Analyser {
  /** Terms in text order. @param from position of the first word. */
  analyse(text: string, from?: number): readonly Term[];
}

/** Words between two elements of an array, so that no phrase runs over the border. */
export const ELEMENT_GAP = 100;
const TERM_CHARACTERS_MAX = 255;
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
const EXACT: Analyser = {
  analyse: (text, from = 0) => [{ term: text, position: from, start: 0, end: text.length }],
};

/**
 * @param options of a keyword index: type, language.
 * @throws SqlError 22023 when the language is unknown.
 */
export function createAnalyser(options: Readonly<Record<string, string>>): Analyser {
  if (options.type === 'exact') return EXACT;
  return new TextAnalyser(languageByName(options.language ?? 'english'));
}

class TextAnalyser implements Analyser {
  readonly #language: Language;
  /** Written word to term; '' for a stop word. */
  readonly #cache = new Map<string, string>();

  constructor(language: Language) {
    this.#language = language;
  }

  analyse(text: string, from = 0): readonly Term[] {
    const terms: Term[] = [];
    let position = from;
    for (const match of text.matchAll(WORD)) {
      const word = match[0];
      const start = match.index;
      if (BEYOND_ALPHABETS.test(word)) {
        position = this.#addMixed(terms, word, start, position);
        continue;
      }
      this.#addWord(terms, word, start, position++);
    }
    return terms;
  }

  #addWord(terms: Term[], word: string, start: number, position: number): void {
    let term = this.#cache.get(word);
    if (term === undefined) {
      term = this.#termOf(word);
      if (this.#cache.size >= CACHE_ENTRIES_MAX) this.#cache.clear();
      this.#cache.set(word, term);
    }
    if (term !== '') terms.push({ term, position, start, end: start + word.length });
  }

  /** A word with characters beyond the alphabets: runs of CJK as pairs, the rest as words. */
  #addMixed(terms: Term[], word: string, start: number, from: number): number {
    let position = from;
    for (const { 0: run, index } of word.matchAll(CJK_RUN)) {
      if (!IS_CJK.test(run)) {
        this.#addWord(terms, run, start + index, position++);
        continue;
      }
      const characters = [...run];
      let at = start + index;
      for (let i = 0; i < Math.max(1, characters.length - 1); i++) {
        const pair = characters.slice(i, i + 2).join('');
        terms.push({ term: pair.normalize('NFKC'), position: position++, start: at, end: at + pair.length });
        at += (characters[i] as string).length;
      }
      if (characters.length > 1) position++;
    }
    return position;
  }

  #termOf(written: string): string {
    const { stem, stopWords, elision, foldFirst } = this.#language;
    let word = written.slice(0, TERM_CHARACTERS_MAX).toLowerCase();
    if (!ONLY_ASCII.test(word)) word = word.normalize('NFKC').replaceAll('’', "'");
    if (stopWords.has(word) || stopWords.has(foldAccents(word))) return '';
    if (elision !== null && word.includes("'")) {
      word = word.replace(elision, '');
      if (stopWords.has(word)) return '';
    }
    word = word.replaceAll("'", '');
    return foldFirst ? stem(foldAccents(word)) : foldAccents(stem(word));
  }
}

/** Spans of `text` whose terms are among `terms`, ascending UTF-16 starts and ends: for snippets. */
export function snippetSpans(analyser: Analyser, text: string, terms: ReadonlySet<string>): Uint32Array {
  const spans: number[] = [];
  for (const { term, start, end } of analyser.analyse(text)) if (terms.has(term)) spans.push(start, end);
  return Uint32Array.from(spans);
}
