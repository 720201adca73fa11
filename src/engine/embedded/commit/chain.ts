/**
 * The chain of the audit: each entry has a hash of itself and of the one before, so that what is taken out, changed or moved
 * shows. Entries are numbered and linked when their commit has its place among the others, in one place and one at a time;
 * the root says where the chain ends.
 */
import { chainHash } from '../../../text-hash.ts';
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { Int64Vector, TextVector } from '../../../types/column/vector.ts';
import type { ChainEnd } from '../../engine.ts';
import type { RowBatch } from './chunk.ts';

/** Attribute numbers of a chained relation. */
const SEQUENCE = 1;
const HASH = 2;
const ENTRY = 3;

/** Before the first entry. */
export const CHAIN_BEGIN: ChainEnd = { sequence: 0, hash: '' };

export class Chain {
  #end: ChainEnd;
  #isLonger = false;

  constructor(end: ChainEnd) {
    this.#end = end;
  }

  /** Null: nothing has been added. */
  get added(): ChainEnd | null {
    return this.#isLonger ? this.#end : null;
  }

  /** Rows with the numbers and hashes of their entries. */
  link(batch: RowBatch): RowBatch {
    const entries = batch.columns.get(ENTRY)?.vector;
    if (!(entries instanceof TextVector)) throw new SqlError('internal_error', 'an entry without a text');
    const sequences = new BigInt64Array(batch.length);
    const hashes: string[] = [];
    let { sequence, hash: previous } = this.#end;
    for (let row = 0; row < batch.length; row++) {
      sequences[row] = BigInt(++sequence);
      previous = chainHash(previous, sequence, entries.get(row) ?? '');
      hashes.push(previous);
    }
    this.#end = { sequence, hash: previous };
    this.#isLonger ||= batch.length > 0;
    return {
      ...batch,
      columns: new Map([
        ...batch.columns,
        [SEQUENCE, { type: OID.int8, vector: new Int64Vector(sequences) }],
        [HASH, { type: OID.text, vector: TextVector.fromStrings(hashes) }],
      ]),
    };
  }
}
