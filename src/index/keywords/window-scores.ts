/** Room in which the scores of a window of rows are added up. */

export const WINDOW_ROWS = 4096;

/** Scores of a window's rows, and a bit for each row that has one; all zero between two windows. */
export class WindowScores {
  scores = new Float64Array(0);
  touched = new Uint32Array(0);
  /** Sums of the squared odds of one word in several fields. */
  squares = new Float64Array(0);

  /** Takes memory when first needed. */
  open(): this {
    if (this.scores.length === 0) {
      this.scores = new Float64Array(WINDOW_ROWS);
      this.touched = new Uint32Array(WINDOW_ROWS / 32);
    }
    return this;
  }

  /** With room for words in several fields. */
  openFields(): this {
    if (this.squares.length === 0) this.squares = new Float64Array(WINDOW_ROWS);
    return this.open();
  }
}
