/**
 * A text as the sequence of characters that matter when a quote is looked for in it: without case, kinds of space,
 * quotation marks, dashes, ligatures and soft hyphens, and with numbers in one form. Every character knows its place
 * in the text.
 *
 * Two different numbers never become the same characters: a number is one word, with its sign, its decimals, its
 * percent sign, superscripts and letters that touch it. `docs/ask.md` (Placement) has the rules one by one.
 */
import { UNSPACED, wideAsPlain } from '../language/numbers/number-marks.ts';
import { type NumberToken, numberAt } from './number-token.ts';

/** Kinds of boundary between a character and the one before it. */
export const BOUNDARY = {
  /** Nothing: they are of one word. */
  none: 0,
  /** A hyphen beside a letter, which may as well be a space or nothing. */
  soft: 1,
  hard: 2,
  /** A number and the word that scales it: a quote neither begins nor ends here. */
  tied: 3,
} as const;

export type Boundary = (typeof BOUNDARY)[keyof typeof BOUNDARY];

export interface Folded {
  readonly characters: readonly string[];
  /** A boundary for each character, and one after the last. */
  readonly boundaries: readonly Boundary[];
  /** UTF-16 offsets of each character's origin in the text; a number's characters all have those of the number. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Numbers by the position of their first character. */
  readonly numbers: ReadonlyMap<number, NumberToken>;
}

const LIGATURES: Readonly<Record<string, string>> = {
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬃ: 'ffi',
  ﬄ: 'ffl',
  ﬅ: 'st',
  ﬆ: 'st',
};

const HYPHEN = /[-\u2010\u2011]/;
const IGNORED = /[\u00ad\u200b-\u200d\u2060\ufeff]/;
/** Comparisons and the like: `> 5` is not `< 5`. Those of tables and Markdown do not count. */
const SIGN = /^(?![=|~^`])\p{Sm}/u;
const WORD = /^[\p{L}\p{N}\p{M}_]/u;
/** A character that is a word's beginning and end, as there are no spaces to tell. */
const APART = new RegExp(`^[${UNSPACED}]`, 'u');
const LETTER = /\p{L}/u;
const CLUSTER = /\P{M}\p{M}*/uy;
/** Words that make a number before them another. */
export const SCALE = /^\s*(?:hundred|thousand|million|billion|trillion|percent|per\s+cent|mio|mrd)\b/i;

/**
 * @param groups whether commas between digits group thousands (`groupsByComma`); else numbers stay as written.
 */
export function fold(text: string, groups: boolean): Folded {
  const folder = new Folder(text, groups);
  while (folder.step());
  return folder.result();
}

class Folder {
  readonly #text: string;
  readonly #groups: boolean;
  readonly #characters: string[] = [];
  readonly #boundaries: Boundary[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #numbers = new Map<number, NumberToken>();
  #at = 0;
  #next: Boundary = BOUNDARY.hard;

  constructor(text: string, groups: boolean) {
    this.#text = text;
    this.#groups = groups;
  }

  /** @returns false at the end. */
  step(): boolean {
    const text = this.#text;
    if (this.#at >= text.length) return false;
    const isWithinWord = this.#next === BOUNDARY.none && WORD.test(text.charAt(this.#at));
    const number = isWithinWord ? null : numberAt(text, this.#at, this.#groups);
    if (number !== null) this.#number(number);
    else this.#cluster(clusterAt(text, this.#at));
    return true;
  }

  result(): Folded {
    return {
      characters: this.#characters,
      boundaries: [...this.#boundaries, this.#next === BOUNDARY.tied ? BOUNDARY.tied : BOUNDARY.hard],
      starts: this.#starts,
      ends: this.#ends,
      numbers: this.#numbers,
    };
  }

  #number(number: NumberToken): void {
    this.#separate(BOUNDARY.hard);
    this.#numbers.set(this.#characters.length, number);
    for (const character of number.form) this.#push(character, number.start, number.end);
    this.#at = number.end;
    this.#next = SCALE.test(this.#text.slice(number.end, number.end + 20)) ? BOUNDARY.tied : BOUNDARY.hard;
  }

  #cluster(cluster: string): void {
    const [start, end] = [this.#at, this.#at + cluster.length];
    this.#at = end;
    const composed = cluster.normalize('NFC');
    if (IGNORED.test(composed)) return;
    if (HYPHEN.test(composed)) this.#hyphen(start, end);
    else if (WORD.test(composed)) {
      const isUnspaced = APART.test(composed);
      if (isUnspaced) this.#separate(BOUNDARY.soft);
      const plain = LIGATURES[composed] ?? composed;
      for (const character of fullWidthAsPlain(plain).toLowerCase()) this.#push(character, start, end);
      if (isUnspaced) this.#separate(BOUNDARY.soft);
    } else if (SIGN.test(composed)) {
      this.#separate(BOUNDARY.hard);
      this.#push(composed, start, end);
      this.#separate(BOUNDARY.hard);
    } else this.#separate(BOUNDARY.hard);
  }

  /** Beside a letter it may as well not be there, also at the end of a line; between digits it parts them. */
  #hyphen(start: number, end: number): void {
    const before = this.#text.slice(0, start).at(-1) ?? '';
    const [gap = ''] = /^\s*/.exec(this.#text.slice(end, end + 40)) ?? [];
    const after = this.#text.charAt(end + gap.length);
    const joins = WORD.test(before) && WORD.test(after) && (gap === '' || gap.includes('\n'));
    const isWithin = joins && (LETTER.test(before) || LETTER.test(after));
    this.#separate(isWithin ? BOUNDARY.soft : BOUNDARY.hard);
    if (isWithin) this.#at = end + gap.length;
  }

  #separate(boundary: Boundary): void {
    if (this.#next !== BOUNDARY.tied) this.#next = Math.max(this.#next, boundary) as Boundary;
  }

  #push(character: string, start: number, end: number): void {
    this.#characters.push(character);
    this.#boundaries.push(this.#next);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#next = BOUNDARY.none;
  }
}

function clusterAt(text: string, at: number): string {
  CLUSTER.lastIndex = at;
  return CLUSTER.exec(text)?.[0] ?? text.charAt(at);
}

const fullWidthAsPlain = (text: string): string => text.replace(/[\uff01-\uff5e]/g, wideAsPlain);
