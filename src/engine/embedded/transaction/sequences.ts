/**
 * Numbers of sequences. As in PostgreSQL they are drawn outside of transactions: nobody waits, and a rollback
 * leaves a gap. What a transaction has drawn is stored with its commit, so that no number it used comes again.
 */
import type { SequenceDefinition } from '../../../catalog/model.ts';
import { numberAfter, type SequenceState, startOf } from '../../../catalog/sequences.ts';
import type { Journal } from '../commit/journal.ts';
import type { Records } from '../commit/records.ts';

export class Sequences {
  readonly #records: Records;
  readonly #journal: Journal;
  readonly #states = new Map<number, SequenceState>();

  constructor(records: Records, journal: Journal) {
    this.#records = records;
    this.#journal = journal;
  }

  state(sequence: number, definition: SequenceDefinition): SequenceState {
    const known = this.#states.get(sequence);
    if (known !== undefined) return known;
    const stored = this.#stored(sequence);
    const state =
      stored === null ? startOf(definition) : { last: BigInt(stored.last), called: stored.called };
    this.#states.set(sequence, state);
    return state;
  }

  #stored(sequence: number): { readonly last: string; readonly called: boolean } | null {
    const linked = this.#journal.sequence(sequence);
    if (linked === undefined) return this.#records.sequence(sequence);
    const [, last, called] = linked;
    return { last, called };
  }

  set(sequence: number, state: SequenceState): void {
    this.#states.set(sequence, state);
  }

  /** @returns null when there are no more. */
  next(sequence: number, definition: SequenceDefinition): bigint | null {
    const value = numberAfter(definition, this.state(sequence, definition));
    if (value !== null) this.set(sequence, { last: value, called: true });
    return value;
  }

  /** A sequence that was made and rolled back: another one may get its OID. */
  forget(sequence: number): void {
    this.#states.delete(sequence);
  }
}
