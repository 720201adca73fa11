/** Decides whether two pieces are one word, over a hyphen or over a blank that a program left: what is written elsewhere tells. */

/** How much more often than its pieces a torn word is written whole. */
const WHOLE_MIN = 3;
const WHOLE_TIMES = 5;

export class Vocabulary {
  readonly #words = new Map<string, number>();

  add(texts: readonly string[]): void {
    // The last word may be the half of one.
    for (let index = 0; index < texts.length - 1; index++) {
      const word = bare(texts[index] as string);
      this.#words.set(word, this.#count(word) + 1);
    }
  }

  #count(word: string): number {
    return this.#words.get(word) ?? 0;
  }

  /** @param first ends with a hyphen. @returns whether `first` and `second` are one word without it. */
  joins(first: string, second: string): boolean {
    if (first.endsWith('\u00ad')) return true;
    if (!/\p{L}[-‐]$/u.test(first) || !/^\p{Ll}/u.test(second)) return false;
    const [start, end] = [bare(first.slice(0, -1)), bare(second)];
    if (this.#words.has(`${start}${end}`)) return true;
    if (this.#words.has(`${start}-${end}`)) return false;
    const last = start.split('-').at(-1) as string;
    return !(start.includes('-') || (this.#words.has(last) && this.#words.has(end) && last.length > 2));
  }

  /** `Balance Shee t`: the last letters of a word, a blank before them. */
  isTorn(first: string, second: string): boolean {
    if (second.length > 2 || !/^\p{L}{1,2}$/u.test(second) || !/\p{L}{3}$/u.test(first)) return false;
    const [start, end] = [bare(first), bare(second)];
    const whole = this.#count(start + end);
    if (whole < WHOLE_MIN || whole <= this.#count(end)) return false;
    return second.length === 1 || whole >= WHOLE_TIMES * Math.max(this.#count(start), this.#count(end));
  }
}

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('‐', '-')
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/** True when a line's last word is cut at its end. */
export const isCut = (text: string): boolean => /\p{L}[-‐\u00ad]$/u.test(text);
