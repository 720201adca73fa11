/**
 * Numbers of sequences. As in PostgreSQL they are drawn outside of transactions: nobody waits, and a rollback
 * leaves a gap. What a transaction has drawn is stored with its commit, so that no number it used comes again.
 */
import type { SequenceState } from '../engine.ts';
import type { Records } from './records.ts';

const FRESH: SequenceState = { last: 0n, called: true };

export class Sequences {
  readonly #records: Records;
  readonly #states = new Map<number, SequenceState>();

  constructor(records: Records) {
    this.#records = records;
  }

  state(sequence: number): SequenceState {
    const known = this.#states.get(sequence);
    if (known !== undefined) return known;
    const stored = this.#records.sequence(sequence);
    const state = stored === null ? FRESH : { last: BigInt(stored.last), called: stored.called };
    this.#states.set(sequence, state);
    return state;
  }

  set(sequence: number, state: SequenceState): void {
    this.#states.set(sequence, state);
  }

  next(sequence: number): bigint {
    const { last, called } = this.state(sequence);
    const value = called ? last + 1n : last;
    this.set(sequence, { last: value, called: true });
    return value;
  }

  /** A sequence that was made and rolled back: another one may get its OID. */
  forget(sequence: number): void {
    this.#states.delete(sequence);
  }
}
