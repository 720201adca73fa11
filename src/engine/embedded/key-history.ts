/**
 * What unique keys pointed to before recent commits. The store has the newest row of every key; a snapshot
 * that is older than a change finds the row it knew here. Entries live while such a snapshot does.
 */
interface Change {
  readonly sequence: number;
  /** Row number before the change; -1: none. */
  readonly before: number;
}

export class KeyHistory {
  readonly #changes = new Map<string, Change[]>();
  readonly #queue: { sequence: number; key: string }[] = [];
  #first = 0;

  /** Sequences never fall. */
  add(key: string, sequence: number, before: number): void {
    const changes = this.#changes.get(key);
    if (changes === undefined) this.#changes.set(key, [{ sequence, before }]);
    else changes.push({ sequence, before });
    this.#queue.push({ sequence, key });
  }

  /** The row a snapshot at `sequence` sees under `key`, given the store's newest. */
  at(key: string, sequence: number, newest: number): number {
    const change = this.#changes.get(key)?.find((c) => c.sequence > sequence);
    return change === undefined ? newest : change.before;
  }

  /** Takes back what a failed commit added. */
  undo(sequence: number): void {
    while (this.#queue.length > this.#first && this.#queue[this.#queue.length - 1]?.sequence === sequence) {
      const key = this.#queue.pop()?.key ?? '';
      const changes = this.#changes.get(key);
      changes?.pop();
      if (changes?.length === 0) this.#changes.delete(key);
    }
  }

  /** Forgets changes that every snapshot from `oldest` on has seen. */
  prune(oldest: number): void {
    while (this.#first < this.#queue.length) {
      const { sequence, key } = this.#queue[this.#first] as { sequence: number; key: string };
      if (sequence > oldest) break;
      const changes = this.#changes.get(key);
      changes?.shift();
      if (changes?.length === 0) this.#changes.delete(key);
      this.#first++;
    }
    if (this.#first === this.#queue.length || this.#first > 65_536) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
