/**
 * Numbers of sequences. As in PostgreSQL they are drawn outside of transactions: nobody waits, and a rollback
 * leaves a gap. What a transaction has drawn is stored with its commit, so that no number it used comes again.
 */
import type { SequenceDefinition } from '../../../catalog/model.ts';
import { numberAfter, type SequenceState, startOf } from '../../../catalog/sequences.ts';
import type { Records } from '../commit/records.ts';

export class Sequences {
  readonly #records: Records;
  readonly #states = new Map<number, SequenceState>();

  constructor(records: Records) {
    this.#records = records;
  }

  state(sequence: number, definition: SequenceDefinition): SequenceState {
    const known = this.#states.get(sequence);
    if (known !== undefined) return known;
    const stored = this.#records.sequence(sequence);
    const state =
      stored === null ? startOf(definition) : { last: BigInt(stored.last), called: stored.called };
    this.#states.set(sequence, state);
    return state;
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
