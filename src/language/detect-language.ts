/**
 * The language a text is in, among those that analysis knows: by `eld`, which compares the pieces of words with those
 * of 60 languages. The only file that imports it; 30 MB that are loaded (in 0.2 s) when a text is first asked about. One
 * thing to know: the same text is always of the same language, whoever asks, as heads and merges analyse it anew.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Looked at: eld itself stops soon after, and takes 0.1 ms for as many. */
const CHARACTERS_MAX = 300;
/** Language of a text too short to tell, or of names only. */
const UNCERTAIN = 'english';

/** The detector's names for the languages that have stems and stop words; others are only folded. */
const NAMES: Readonly<Record<string, string>> = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  ca: 'catalan',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  el: 'greek',
  hu: 'hungarian',
  it: 'italian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
};
const FOLDED = 'simple';
const PAIRS = 'cjk';
const PAIRED_CODES: ReadonlySet<string> = new Set(['zh', 'ja', 'ko']);

/** As `detectLanguage` names it. @param code of ISO 639-1, maybe with a region. @returns null for one that it does not tell. */
export function languageOfCode(code: string): string | null {
  const [plain = ''] = code.toLowerCase().split(/[-_]/);
  return PAIRED_CODES.has(plain) ? PAIRS : (NAMES[plain] ?? null);
}

/** The code of ISO 639-1 for a name that `detectLanguage` gives; English where it is of no one language. */
export const codeOfLanguage = (name: string): string =>
  name === PAIRS ? 'zh' : (Object.keys(NAMES).find((code) => NAMES[code] === name) ?? 'en');

/** All that `detectLanguage` gives, by name. */
export const DETECTED_LANGUAGES: readonly string[] = [...Object.values(NAMES), FOLDED, PAIRS].sort();

const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]/gu;
const LETTER = /\p{L}/gu;
const BEYOND_ALPHABETS = /[^\0-\u10ff]/;
/** Names and terms in Latin letters are common in such texts. */
const CJK_SHARE = 1 / 4;

interface Detector {
  detect(text: string): { readonly language: string; isReliable(): boolean };
  /** With settings of its own. */
  newInstance(): Detector;
}

let detector: Detector | null = null;

function load(): Detector {
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'));
  const loaded: { readonly eld: Detector } = createRequire(import.meta.url)(path);
  return loaded.eld.newInstance();
}

/** @returns one of DETECTED_LANGUAGES. */
export const detectLanguage = (text: string): string => knownLanguage(text) ?? UNCERTAIN;

/** Null where a text is too short to tell. */
export function knownLanguage(text: string): string | null {
  const begin = text.slice(0, CHARACTERS_MAX);
  if (BEYOND_ALPHABETS.test(begin) && count(CJK, begin) > CJK_SHARE * count(LETTER, begin)) return PAIRS;
  if (count(LETTER, begin) === 0) return null;
  detector ??= load();
  const found = detector.detect(begin);
  return found.isReliable() ? (NAMES[found.language] ?? FOLDED) : null;
}

/** Pieces of a document that are looked at. */
const PIECES_MAX = 20;
/** Languages that fewer of the pieces are in are names, quotes and mistakes. */
const PIECES_SHARE = 1 / 5;

/** Languages of a document by their ISO 639-1 codes, the most common first; of none that is sure, none. */
export function documentLanguages(texts: Pick<readonly string[], 'length' | 'at'>): readonly string[] {
  const step = Math.max(1, texts.length / PIECES_MAX);
  const pieces = Array.from({ length: Math.min(texts.length, PIECES_MAX) }, (_, i) =>
    texts.at(Math.floor(i * step)),
  );
  const counts = new Map<string, number>();
  for (const piece of pieces) {
    const begin = piece?.slice(0, CHARACTERS_MAX) ?? '';
    if (count(LETTER, begin) === 0) continue;
    detector ??= load();
    const found = detector.detect(begin);
    if (found.isReliable()) counts.set(found.language, (counts.get(found.language) ?? 0) + 1);
  }
  const sure = [...counts.values()].reduce((sum, each) => sum + each, 0);
  return [...counts]
    .filter(([, each]) => each >= PIECES_SHARE * sure)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([language]) => language);
}

const count = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;
