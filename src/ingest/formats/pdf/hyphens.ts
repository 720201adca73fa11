/** Whether a hyphen at a line's end belongs to the word: what the document writes elsewhere tells. */

export class Vocabulary {
  readonly #words = new Set<string>();

  add(texts: readonly string[]): void {
    // The last word may be the half of one.
    for (let index = 0; index < texts.length - 1; index++) this.#words.add(bare(texts[index] as string));
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
}

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('‐', '-')
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/** Whether a line's last word is cut at its end. */
export const isCut = (text: string): boolean => /\p{L}[-‐\u00ad]$/u.test(text);
