/**
 * Which version of a row came after which: a statement that meets a row of its snapshot changed looks at the
 * newest version. Entries live while a snapshot from before the change does.
 */

/** Those of more rows are asked one after the other, and not put together. */
const JOINED_COUNT_MAX = 1_024;

/** Row numbers: what one transaction replaced in one slot. */
export interface Replacements {
  readonly size: number;
  /** Numbers of committed rows. */
  replaced(): Iterable<number>;
  /** Number of the row that replaced it. */
  next(old: number): number | undefined;
}

interface Commit {
  readonly sequence: number;
  readonly slot: number;
  readonly replacements: Replacements;
}

interface Chain {
  readonly joined: Map<number, number>;
  large: readonly Replacements[];
}

export class Successors {
  readonly #chains = new Map<number, Chain>();
  #commits: Commit[] = [];

  /** Sequences never fall. */
  add(sequence: number, slot: number, replacements: Replacements): void {
    const chain = this.#chains.get(slot) ?? { joined: new Map<number, number>(), large: [] };
    this.#chains.set(slot, chain);
    this.#commits.push({ sequence, slot, replacements });
    if (replacements.size > JOINED_COUNT_MAX) {
      chain.large = [...chain.large, replacements];
      return;
    }
    for (const old of replacements.replaced()) {
      const next = replacements.next(old);
      if (next !== undefined) chain.joined.set(old, next);
    }
  }

  /** The newest version of a row, which may be deleted by now; the row itself when nothing replaced it. */
  newest(slot: number, row: number): number {
    const chain = this.#chains.get(slot);
    let newest = row;
    if (chain === undefined) return newest;
    for (let after = nextOf(chain, row); after !== undefined; after = nextOf(chain, after)) newest = after;
    return newest;
  }

  /** Forgets what every snapshot from `oldest` on has seen. */
  prune(oldest: number): void {
    if (this.#commits.length === 0) return;
    let seen = 0;
    for (const { sequence, slot, replacements } of this.#commits) {
      if (sequence > oldest) break;
      seen++;
      const chain = this.#chains.get(slot);
      if (chain === undefined) continue;
      if (replacements.size > JOINED_COUNT_MAX)
        chain.large = chain.large.filter((one) => one !== replacements);
      else for (const old of replacements.replaced()) chain.joined.delete(old);
      if (chain.joined.size === 0 && chain.large.length === 0) this.#chains.delete(slot);
    }
    if (seen > 0) this.#commits = this.#commits.slice(seen);
  }
}

function nextOf({ joined, large }: Chain, row: number): number | undefined {
  const next = joined.get(row);
  if (next !== undefined) return next;
  for (const replacements of large) {
    const found = replacements.next(row);
    if (found !== undefined) return found;
  }
  return undefined;
}
