/** Words of the packs, looked for in texts: whole words where a script has spaces, anywhere where it has none. */
import type { LanguagePack } from './language-pack.ts';
import { PACKS } from './packs.ts';

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const EDGE_BEFORE = '(?<![\\p{L}\\p{M}])';
const EDGE_AFTER = '(?![\\p{L}\\p{M}])';

/** A pattern's source for these words, the longest first; `*` stands for more letters. */
export function wordsSource(words: Iterable<string>): string {
  const sorted = [...new Set(words)].sort((a, b) => b.length - a.length);
  const [apart, joined] = [
    sorted.filter((word) => !UNSPACED.test(word)),
    sorted.filter((word) => UNSPACED.test(word)),
  ];
  const own = apart.length === 0 ? [] : [`${EDGE_BEFORE}(?:${apart.map(sourceOf).join('|')})${EDGE_AFTER}`];
  return `(?:${[...own, ...joined.map(sourceOf)].join('|')})`;
}

const sourceOf = (word: string): string =>
  word
    .replace(/[.?+^$[\]\\(){}|/]/g, '\\$&')
    .replaceAll('*', '\\p{L}*')
    .replaceAll(' ', '\\s+');

/** Finds what all packs list there. */
export const wordsPattern = (listed: (pack: LanguagePack) => readonly string[], flags = 'iu'): RegExp =>
  new RegExp(wordsSource(PACKS.flatMap(listed)), flags);

/** The source of a pattern of months, of all packs. */
export const monthSource = (): string =>
  wordsSource(PACKS.flatMap(({ months }) => months.flatMap((month) => month.split('|'))));

/** Shorter ones stand for much else. */
const SCALE_CHARACTERS_MIN = 4;

/** The source of a pattern of scales that are written out, of all packs: `thousands`. */
export const scaleSource = (): string =>
  wordsSource(
    PACKS.flatMap(({ scales }) =>
      Object.keys(scales).filter((word) => word.length >= SCALE_CHARACTERS_MIN || UNSPACED.test(word)),
    ),
  );

/** As `detectLanguage` names it, null where it is not known: asked for only where a word has several meanings. */
export type LanguageOf = () => string | null;

export const ANY_LANGUAGE: LanguageOf = () => null;

/** A word with what it is called by each pack that has it. */
export class WordTable<Value> {
  readonly #values = new Map<string, readonly { readonly pack: string; readonly value: Value }[]>();

  constructor(listed: (pack: LanguagePack) => Readonly<Record<string, Value>>) {
    for (const pack of PACKS) {
      for (const [word, value] of Object.entries(listed(pack))) {
        this.#values.set(word, [...(this.#values.get(word) ?? []), { pack: pack.name, value }]);
      }
    }
  }

  get words(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** @param language of the text; where it is none of those that know the word, the first pack's. */
  get(word: string, language: LanguageOf): Value | undefined {
    const plain = word.toLowerCase().replace(/\s+/g, ' ').replace(/\.$/, '');
    const known = this.#values.get(plain);
    if (known === undefined || known.every(({ value }) => value === known[0]?.value))
      return known?.[0]?.value;
    const name = language();
    return (known.find(({ pack }) => pack === name) ?? known[0])?.value;
  }
}
