/**
 * Writes a segment's inverted index. Rows, frequencies and positions are not packed to the bit: numbers of one
 * width a block are searched where they lie, by the kernels and here. Sections, numbers little-endian:
 *
 * | section      | holds                                                                                   |
 * |--------------|-----------------------------------------------------------------------------------------|
 * | terms        | UTF-8 of all terms, ascending bytewise, one after the other                              |
 * | term-offsets | u32 × (terms + 1) into `terms`                                                           |
 * | term-table   | per term: u32 rows, first block                                                          |
 * | blocks       | per block of 128 rows: the u32 of `BLOCK_FIELD`; behind several blocks of a term one of  |
 * |              | them all, of which only the impacts count                                                |
 * | postings     | per block: rows less the first they may be, one after the last block's last; frequencies; |
 * |              | lengths of the rows                                                                      |
 * | positions    | per block: ascending word positions, row by row                                          |
 * | lengths      | u32 × rows: terms in the row                                                             |
 */
import { ByteWriter } from '../../types/column/byte-writer.ts';
import { shareBytes, widthOf } from '../shared-bytes.ts';
import { BLOCK_ROWS, IMPACTS, type Impacts, impactsOf } from './postings.ts';

/**
 * Layout of a block: its last row; offsets in `postings` and `positions`; bytes of a row, a frequency (8 bits
 * on), a length (16) and a position (24), as powers of two; pairs of frequency and field length. Each run of numbers
 * begins at a multiple of 4.
 */
export const BLOCK_FIELD = { lastRow: 0, postings: 1, positions: 2, widths: 3, impacts: 4 } as const;
export const BLOCK_FIELDS = BLOCK_FIELD.impacts + 2 * IMPACTS;

/** Rows of one term, ascending; the positions of all rows one after the other. */
export interface TermPostings {
  readonly rows: number[];
  readonly frequencies: number[];
  readonly positions: number[];
}

export class SegmentWriter {
  readonly #terms = new ByteWriter(1024);
  readonly #termOffsets = new ByteWriter(1024);
  readonly #termTable = new ByteWriter(1024);
  readonly #blocks = new ByteWriter(1024);
  readonly #postings = new ByteWriter(1024);
  readonly #positions = new ByteWriter(1024);
  readonly #lengths: Uint32Array;
  #blockCount = 0;

  /** @param lengths terms in each row. */
  constructor(lengths: Uint32Array) {
    this.#lengths = lengths;
    this.#termOffsets.writeUint32Le(0);
  }

  /** Terms come in ascending order; one without rows is left out. */
  add(term: Uint8Array, postings: TermPostings): void {
    const count = postings.rows.length;
    if (count === 0) return;
    this.#terms.writeBytes(term);
    this.#termOffsets.writeUint32Le(this.#terms.size);
    this.#termTable.writeUint32Le(count);
    this.#termTable.writeUint32Le(this.#blockCount);
    const impacts: Impacts[] = [];
    let position = 0;
    for (let from = 0; from < count; from += BLOCK_ROWS) {
      const to = Math.min(count, from + BLOCK_ROWS);
      let end = position;
      for (let i = from; i < to; i++) end += postings.frequencies[i] as number;
      impacts.push(this.#addBlock(postings, { from, to, position, end }));
      position = end;
    }
    if (impacts.length > 1) this.#addSummary(impacts);
  }

  finish(): ReadonlyMap<string, Uint8Array> {
    return new Map([
      ['terms', shareBytes(this.#terms.finish())],
      ['term-offsets', shareBytes(this.#termOffsets.finish())],
      ['term-table', shareBytes(this.#termTable.finish())],
      ['blocks', shareBytes(this.#blocks.finish())],
      ['postings', shareBytes(this.#postings.finish())],
      ['positions', shareBytes(this.#positions.finish())],
      ['lengths', shareBytes(new Uint8Array(this.#lengths.buffer, 0, this.#lengths.byteLength))],
    ]);
  }

  /** @param block its rows, and where their positions lie. */
  #addBlock(
    { rows, frequencies, positions }: TermPostings,
    block: { from: number; to: number; position: number; end: number },
  ): Impacts {
    const { from, to } = block;
    const base = from > 0 ? (rows[from - 1] as number) + 1 : 0;
    const own = {
      rows: rows.slice(from, to),
      frequencies: frequencies.slice(from, to),
      lengths: rows.slice(from, to).map((row) => this.#lengths[row] as number),
      positions: positions.slice(block.position, block.end),
    };
    const last = rows[to - 1] as number;
    const rowWidth = widthOf(last - base);
    const frequencyWidth = widthOf(largest(own.frequencies));
    const lengthWidth = widthOf(largest(own.lengths));
    const positionWidth = widthOf(largest(own.positions));
    const offset = this.#postings.writeNumbers(
      own.rows.map((row) => row - base),
      rowWidth,
    );
    this.#postings.writeNumbers(own.frequencies, frequencyWidth);
    this.#postings.writeNumbers(own.lengths, lengthWidth);
    const impacts = impactsOf(own.frequencies, own.lengths);
    const widths = rowWidth | (frequencyWidth << 8) | (lengthWidth << 16) | (positionWidth << 24);
    const positionsAt = this.#positions.writeNumbers(own.positions, positionWidth);
    this.#addEntry([last, offset, positionsAt, widths], impacts);
    return impacts;
  }

  #addSummary(blocks: readonly Impacts[]): void {
    const all = impactsOf(
      blocks.flatMap(({ frequencies }) => frequencies),
      blocks.flatMap(({ lengths }) => lengths),
    );
    this.#addEntry([0, 0, 0, 0], all);
  }

  #addEntry(fields: readonly number[], { frequencies, lengths }: Impacts): void {
    for (const field of fields) this.#blocks.writeUint32Le(field);
    for (let i = 0; i < IMPACTS; i++) {
      this.#blocks.writeUint32Le(frequencies[i] ?? 0);
      this.#blocks.writeUint32Le(lengths[i] ?? 0);
    }
    this.#blockCount++;
  }
}

function largest(values: readonly number[]): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
