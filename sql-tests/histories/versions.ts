/** Who wrote what, and in which order: what reads of lists tell of the versions of each key. */
import type { History, HistoryTransaction, Step } from './history.ts';

export type Append = Extract<Step, { kind: 'append' }>;
export type Read = Extract<Step, { kind: 'read' }>;

export class Versions {
  /** By value, the transaction that appended it. */
  readonly writers = new Map<number, HistoryTransaction>();
  /** By value, the next one of the same transaction and key. */
  readonly followed = new Map<number, number>();
  /** By key, the values of committed transactions. */
  readonly values = new Map<number, number[]>();
  /** By key, the longest list that was read. */
  readonly orders = new Map<number, readonly number[]>();
  /** By value, its place in that list. */
  readonly places = new Map<number, number>();
  /** Reads that are no beginning of it, or have a value twice. */
  readonly contradictions: Read[] = [];

  constructor(history: History) {
    for (const transaction of history) this.#noteAppends(transaction);
    const reads = history.filter(({ outcome }) => outcome === 'committed').flatMap(readsOf);
    for (const read of reads) this.#noteOrder(read);
    for (const values of this.orders.values())
      for (const [place, value] of values.entries()) this.places.set(value, place);
    for (const read of reads) if (!this.#agrees(read)) this.contradictions.push(read);
  }

  #noteAppends(transaction: HistoryTransaction): void {
    const last = new Map<number, number>();
    for (const step of transaction.steps) {
      if (step.kind === 'read') continue;
      this.writers.set(step.value, transaction);
      const before = last.get(step.key);
      if (before !== undefined) this.followed.set(before, step.value);
      last.set(step.key, step.value);
      if (transaction.outcome !== 'committed') continue;
      const values = this.values.get(step.key) ?? [];
      values.push(step.value);
      this.values.set(step.key, values);
    }
  }

  #noteOrder({ key, values, ordered }: Read): void {
    if (ordered && values.length > (this.orders.get(key)?.length ?? 0)) this.orders.set(key, values);
  }

  #agrees({ key, values, ordered }: Read): boolean {
    if (new Set(values).size < values.length) return false;
    return !ordered || values.every((value, i) => this.orders.get(key)?.[i] === value);
  }
}

export function readsOf({ steps }: HistoryTransaction): readonly Read[] {
  return steps.filter((step): step is Read => step.kind === 'read');
}
