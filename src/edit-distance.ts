/**
 * How many letters have to be inserted, deleted or replaced to make one word of another (Levenshtein); with `swaps`,
 * two exchanged neighbours are one change (optimal string alignment).
 */

/** Rows of the dynamic program, one for each prefix of a candidate: candidates that share one share its rows. */
export class DistanceTable {
  readonly #wanted: string;
  readonly #swaps: boolean;
  readonly #rows: Uint16Array[] = [];

  constructor(wanted: string, { swaps }: { readonly swaps: boolean }) {
    this.#wanted = wanted;
    this.#swaps = swaps;
    const first = this.#row(0);
    for (let j = 0; j <= wanted.length; j++) first[j] = j;
  }

  /** The distance of a candidate's first `depth` units, whose rows are made. */
  distance(depth: number): number {
    return this.#row(depth)[this.#wanted.length] as number;
  }

  /** Makes the row of the candidate's first `depth` units. @returns its smallest distance. */
  extend(depth: number, candidate: string): number {
    const wanted = this.#wanted;
    const unit = candidate.charCodeAt(depth - 1);
    const before = candidate.charCodeAt(depth - 2);
    const row = this.#row(depth);
    const last = this.#rows[depth - 1] as Uint16Array;
    const beforeLast = this.#swaps && depth > 1 ? (this.#rows[depth - 2] as Uint16Array) : null;
    row[0] = depth;
    let smallest = depth;
    for (let j = 1; j <= wanted.length; j++) {
      const own = wanted.charCodeAt(j - 1);
      let edits = Math.min((last[j - 1] as number) + (unit === own ? 0 : 1), (last[j] as number) + 1);
      edits = Math.min(edits, (row[j - 1] as number) + 1);
      if (beforeLast !== null && j > 1 && unit === wanted.charCodeAt(j - 2) && before === own) {
        edits = Math.min(edits, (beforeLast[j - 2] as number) + 1);
      }
      row[j] = edits;
      if (edits < smallest) smallest = edits;
    }
    return smallest;
  }

  /** The candidate's distance when at most `most`, else `most + 1`. */
  distanceTo(candidate: string, most: number): number {
    if (Math.abs(candidate.length - this.#wanted.length) > most) return most + 1;
    for (let depth = 1; depth <= candidate.length; depth++) {
      if (this.extend(depth, candidate) > most) return most + 1;
    }
    return Math.min(most + 1, this.distance(candidate.length));
  }

  #row(depth: number): Uint16Array {
    while (this.#rows.length <= depth) this.#rows.push(new Uint16Array(this.#wanted.length + 1));
    return this.#rows[depth] as Uint16Array;
  }
}
