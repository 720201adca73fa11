/** Text put together word by word, with the place of each. */
import type { Box, PlacedText } from './document.ts';

export class PlacedTextBuilder {
  #text = '';
  readonly #rows: {
    readonly start: number;
    readonly end: number;
    readonly page: number;
    readonly box: Box;
  }[] = [];

  get length(): number {
    return this.#text.length;
  }

  /** Empty at the beginning. */
  get lastWord(): string {
    const last = this.#rows.at(-1);
    return last === undefined ? '' : this.#text.slice(last.start, last.end);
  }

  /** Adds a gap between words. */
  gap(text: string): void {
    this.#text += text;
  }

  word(text: string, page: number, box: Box): void {
    const start = this.#text.length;
    this.#text += text;
    this.#rows.push({ start, end: this.#text.length, page, box });
  }

  /** Takes back what was put last, as far as it is `text`: a hyphen at a line's end. */
  takeBack(text: string): void {
    if (!this.#text.endsWith(text)) return;
    this.#text = this.#text.slice(0, -text.length);
    const last = this.#rows.at(-1);
    if (last !== undefined) this.#rows[this.#rows.length - 1] = { ...last, end: this.#text.length };
  }

  build(): PlacedText {
    const rows = this.#rows;
    const boxes = new Float32Array(rows.length * 4);
    for (const [index, { box }] of rows.entries()) boxes.set(box, index * 4);
    return {
      text: this.#text,
      words: {
        starts: Uint32Array.from(rows, ({ start }) => start),
        ends: Uint32Array.from(rows, ({ end }) => end),
        pages: Uint32Array.from(rows, ({ page }) => page),
        boxes,
      },
    };
  }
}
