/**
 * Writes the words of a segment as they were written, beside its terms (`../writer.ts`). A word that alone stands for
 * a term shares the term's list: where both are spelt alike, a bit says so and nothing else is stored. Sections:
 *
 * | section       | holds                                                                                  |
 * |---------------|----------------------------------------------------------------------------------------|
 * | word-terms    | a bit per term: it is itself a written word, and the only one in its list                |
 * | words         | all other words, ascending bytewise, in groups of 16: bytes shared with the word before   |
 * |               | in the group, bytes of its own, these; 2 × rows and the size of its list in               |
 * |               | `word-postings`, or 1 + 2 × the place of the term whose list it shares                     |
 * | word-groups   | per group u32 × 3: where it begins in `words`, `word-postings`, `word-blocks`; at last     |
 * |               | the number of words                                                                     |
 * | word-postings | per block of 128 rows, for each: 2 × rows after the one before, + 1 when a frequency above  |
 * |               | 1 follows; then each row's ascending word positions, less the one before                   |
 * | word-blocks   | per 128 rows of a list of more: u32 last row, where it begins in the list, largest          |
 * |               | frequency, shortest row                                                                 |
 *
 * Numbers of `words` and `word-postings` are varints.
 */
import { ByteWriter } from '../../../types/column/byte-writer.ts';
import { shareBytes } from '../../shared-bytes.ts';
import { BLOCK_ROWS } from '../postings.ts';
import type { TermPostings } from '../writer.ts';
import { writeVarint } from './varint.ts';

export const WORD_SECTIONS = ['word-terms', 'words', 'word-groups', 'word-postings', 'word-blocks'] as const;
export const GROUP_WORDS = 16;
export const GROUP_FIELDS = 3;
export const WORD_BLOCK = { lastRow: 0, start: 1, frequency: 2, length: 3, fields: 4 } as const;

export class WordsWriter {
  readonly #lengths: Uint32Array;
  readonly #words = new ByteWriter(1024);
  readonly #groups = new ByteWriter(1024);
  readonly #postings = new ByteWriter(1024);
  readonly #blocks = new ByteWriter(1024);
  #count = 0;
  #last: Uint8Array = new Uint8Array(0);

  /** @param lengths terms in each row. */
  constructor(lengths: Uint32Array) {
    this.#lengths = lengths;
  }

  /** Words come in ascending order. @param term place of the term whose rows are the word's. */
  addShared(word: Uint8Array, term: number): void {
    this.#begin(word);
    writeVarint(this.#words, 2 * term + 1);
  }

  addOwn(word: Uint8Array, postings: TermPostings): void {
    const { rows, frequencies } = postings;
    if (rows.length === 0) return;
    this.#begin(word);
    const start = this.#postings.size;
    let position = 0;
    for (let from = 0; from < rows.length; from += BLOCK_ROWS) {
      const to = Math.min(rows.length, from + BLOCK_ROWS);
      if (rows.length > BLOCK_ROWS) this.#describe(rows, frequencies, { from, to, start });
      position = this.#addBlock(postings, { from, to, position });
    }
    writeVarint(this.#words, 2 * rows.length);
    writeVarint(this.#words, this.#postings.size - start);
  }

  /** @param wordTerms a bit for each term. */
  finish(wordTerms: Uint32Array): ReadonlyMap<string, Uint8Array> {
    this.#groups.writeUint32Le(this.#count);
    const sections: Record<(typeof WORD_SECTIONS)[number], Uint8Array> = {
      'word-terms': new Uint8Array(wordTerms.buffer, wordTerms.byteOffset, wordTerms.byteLength),
      words: this.#words.finish(),
      'word-groups': this.#groups.finish(),
      'word-postings': this.#postings.finish(),
      'word-blocks': this.#blocks.finish(),
    };
    return new Map(Object.entries(sections).map(([name, bytes]) => [name, shareBytes(bytes)]));
  }

  #begin(word: Uint8Array): void {
    let shared = 0;
    if (this.#count % GROUP_WORDS === 0) {
      this.#groups.writeUint32Le(this.#words.size);
      this.#groups.writeUint32Le(this.#postings.size);
      this.#groups.writeUint32Le(this.#blocks.size / (4 * WORD_BLOCK.fields));
    } else {
      while (shared < word.length && word[shared] === this.#last[shared]) shared++;
    }
    writeVarint(this.#words, shared);
    writeVarint(this.#words, word.length - shared);
    this.#words.writeBytes(word, shared);
    this.#last = word;
    this.#count++;
  }

  #describe(
    rows: readonly number[],
    frequencies: readonly number[],
    { from, to, start }: { from: number; to: number; start: number },
  ): void {
    let frequency = 0;
    let length = 0xffffffff;
    for (let i = from; i < to; i++) {
      frequency = Math.max(frequency, frequencies[i] as number);
      length = Math.min(length, this.#lengths[rows[i] as number] as number);
    }
    for (const field of [rows[to - 1] as number, this.#postings.size - start, frequency, length]) {
      this.#blocks.writeUint32Le(field);
    }
  }

  /** @returns where the positions of the next block begin. */
  #addBlock(
    { rows, frequencies, positions }: TermPostings,
    { from, to, position }: { from: number; to: number; position: number },
  ): number {
    const writer = this.#postings;
    let next = from === 0 ? 0 : (rows[from - 1] as number) + 1;
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      const frequency = frequencies[i] as number;
      writeVarint(writer, 2 * (row - next) + (frequency > 1 ? 1 : 0));
      if (frequency > 1) writeVarint(writer, frequency);
      next = row + 1;
    }
    let at = position;
    for (let i = from; i < to; i++) {
      let before = 0;
      for (let left = frequencies[i] as number; left > 0; left--, at++) {
        const own = positions[at] as number;
        writeVarint(writer, own - before);
        before = own;
      }
    }
    return at;
  }
}
