/**
 * Which version of a row came after which: a statement that meets a row of its snapshot changed looks at the
 * newest version. Entries live while a snapshot from before the change does.
 */

/** Row numbers: the version replaced, and its replacement. */
export type Replacement = readonly [old: number, next: number];

interface Commit {
  readonly sequence: number;
  readonly slot: number;
  readonly replacements: readonly Replacement[];
}

export class Successors {
  readonly #next = new Map<number, Map<number, number>>();
  #commits: Commit[] = [];

  /** Sequences never fall. */
  add(sequence: number, slot: number, replacements: readonly Replacement[]): void {
    const next = this.#next.get(slot) ?? new Map<number, number>();
    this.#next.set(slot, next);
    for (const [old, replacement] of replacements) next.set(old, replacement);
    this.#commits.push({ sequence, slot, replacements });
  }

  /** The newest version of a row, which may be deleted by now; the row itself when nothing replaced it. */
  newest(slot: number, row: number): number {
    const next = this.#next.get(slot);
    let newest = row;
    for (let after = next?.get(row); after !== undefined; after = next?.get(after)) newest = after;
    return newest;
  }

  /** Forgets what every snapshot from `oldest` on has seen. */
  prune(oldest: number): void {
    if (this.#commits.length === 0) return;
    let seen = 0;
    for (const { sequence, slot, replacements } of this.#commits) {
      if (sequence > oldest) break;
      seen++;
      const next = this.#next.get(slot);
      for (const [old] of replacements) next?.delete(old);
      if (next?.size === 0) this.#next.delete(slot);
    }
    if (seen > 0) this.#commits = this.#commits.slice(seen);
  }
}
