/**
 * Writes a segment's inverted index. Sections, numbers little-endian:
 *
 * | section      | holds                                                                                   |
 * |--------------|-----------------------------------------------------------------------------------------|
 * | terms        | UTF-8 of all terms, ascending bytewise, one after the other                              |
 * | term-offsets | u32 × (terms + 1) into `terms`                                                           |
 * | term-table   | per term: u32 rows, first block                                                          |
 * | blocks       | per block of 128 rows: the u32 of `BLOCK_FIELD`                                          |
 * | postings     | per block: varint row deltas, then varint frequencies − 1                                |
 * | positions    | per row: varint position deltas                                                          |
 * | lengths      | u32 × rows: terms in the row                                                             |
 */
import { ByteWriter, shareBytes } from './byte-writer.ts';
import { BLOCK_ROWS, IMPACTS, impactsOf } from './postings.ts';

/** Of a block: its last row, offsets in `postings` and `positions`, and pairs of frequency and field length. */
export const BLOCK_FIELD = { lastRow: 0, postings: 1, positions: 2, impacts: 3 } as const;
export const BLOCK_FIELDS = BLOCK_FIELD.impacts + 2 * IMPACTS;

/** Rows of one term, ascending; the positions of all rows one after the other. */
export interface TermPostings {
  readonly rows: number[];
  readonly frequencies: number[];
  readonly positions: number[];
}

export class SegmentWriter {
  readonly #terms = new ByteWriter();
  readonly #termOffsets = new ByteWriter();
  readonly #termTable = new ByteWriter();
  readonly #blocks = new ByteWriter();
  readonly #postings = new ByteWriter();
  readonly #positions = new ByteWriter();
  readonly #lengths: Uint32Array;
  #blockCount = 0;

  /** @param lengths terms in each row. */
  constructor(lengths: Uint32Array) {
    this.#lengths = lengths;
    this.#termOffsets.writeUint32(0);
  }

  /** Terms come in ascending order; one without rows is left out. */
  add(term: Uint8Array, postings: TermPostings): void {
    const count = postings.rows.length;
    if (count === 0) return;
    this.#terms.writeBytes(term);
    this.#termOffsets.writeUint32(this.#terms.size);
    this.#termTable.writeUint32(count);
    this.#termTable.writeUint32(this.#blockCount);
    let position = 0;
    let previous = 0;
    for (let from = 0; from < count; from += BLOCK_ROWS) {
      const to = Math.min(count, from + BLOCK_ROWS);
      position = this.#addBlock(postings, { from, to, position, previous });
      previous = postings.rows[to - 1] as number;
    }
  }

  finish(): ReadonlyMap<string, Uint8Array> {
    return new Map([
      ['terms', this.#terms.toShared()],
      ['term-offsets', this.#termOffsets.toShared()],
      ['term-table', this.#termTable.toShared()],
      ['blocks', this.#blocks.toShared()],
      ['postings', this.#postings.toShared()],
      ['positions', this.#positions.toShared()],
      ['lengths', shareBytes(new Uint8Array(this.#lengths.buffer, 0, this.#lengths.byteLength))],
    ]);
  }

  /** @returns where the next block's positions begin. */
  #addBlock(
    postings: TermPostings,
    block: { from: number; to: number; position: number; previous: number },
  ): number {
    const { rows, frequencies, positions } = postings;
    const { from, to } = block;
    this.#blocks.writeUint32(rows[to - 1] as number);
    this.#blocks.writeUint32(this.#postings.size);
    this.#blocks.writeUint32(this.#positions.size);
    const impacts = impactsOf(
      frequencies.slice(from, to),
      rows.slice(from, to).map((row) => this.#lengths[row] as number),
    );
    for (let i = 0; i < IMPACTS; i++) {
      this.#blocks.writeUint32(impacts.frequencies[i] ?? 0);
      this.#blocks.writeUint32(impacts.lengths[i] ?? 0);
    }
    this.#blockCount++;
    let previous = block.previous;
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      this.#postings.writeVarint(row - previous);
      previous = row;
    }
    for (let i = from; i < to; i++) this.#postings.writeVarint((frequencies[i] as number) - 1);
    let at = block.position;
    for (let i = from; i < to; i++) {
      let last = 0;
      for (let n = frequencies[i] as number; n > 0; n--) {
        const position = positions[at++] as number;
        this.#positions.writeVarint(position - last);
        last = position;
      }
    }
    return at;
  }
}
