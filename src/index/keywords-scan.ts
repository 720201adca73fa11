/**
 * A search of a segment in the memory of the kernels: writes the work order for `wasm/keywords.ts` into
 * scratch memory, field by field, and reads the best rows back.
 *
 * Order: job, heap, terms, two sums a term, scores and rows of the heap, ties, order of terms, places of a
 * phrase and their cursors, mask.
 */
import type { KeywordSearch } from './keywords-search.ts';
import { type KeywordMemory, type Scratch, WINDOW_ROWS } from './keywords-memory.ts';
import type { KeywordQuery } from './keywords-query.ts';
import type { SegmentIndex, StoredList } from './keywords-segment.ts';
import { type Hits, TIES_MAX } from './structure.ts';

const JOB_BYTES = 88;
const TOP_BYTES = 32;
const TERM_BYTES = 96;
/** A kernel looks at so many rows while the cursors of `postings.ts` look at one. */
const SPEED = 4;

/** Smaller weights are lost in the kernels' sums, which are f32. */
const WEIGHT_MIN = 1e-20;

/** Whether the kernels can answer it. */
export function kernelsTake({ terms, phrase }: KeywordQuery): boolean {
  return terms.every(({ weight }) => weight >= WEIGHT_MIN) && (phrase === null || phrase.slop === 0);
}

interface WeightedList {
  readonly weight: number;
  readonly list: StoredList;
}

function listsOf(index: SegmentIndex, { terms }: KeywordQuery): readonly WeightedList[] {
  const lists: WeightedList[] = [];
  for (const { term, weight } of terms) {
    const list = index.listOf(term);
    if (list !== null) lists.push({ weight, list });
  }
  return lists;
}

export class KernelScan implements Disposable {
  readonly #memory: KeywordMemory;
  readonly #scratch: Scratch;
  readonly #run: (job: number, rows: number) => number;

  /** @param capacity rows wanted, but for ties. */
  constructor(index: SegmentIndex, memory: KeywordMemory, search: KeywordSearch, capacity: number) {
    const { query, mask, limit } = search;
    const { kernels } = memory;
    const lists = listsOf(index, query);
    const terms = lists.length;
    const places = query.phrase?.places.length ?? 0;
    const sums = JOB_BYTES + TOP_BYTES + terms * TERM_BYTES;
    const heap = sums + terms * 16;
    const order = heap + capacity * 16 + TIES_MAX * 4;
    const phrase = order + terms * 4;
    const bitset = phrase + places * 12;
    this.#memory = memory;
    this.#scratch = memory.borrow(bitset + (mask?.byteLength ?? 0));
    const job = this.#scratch.address;
    const { words, floats } = memory;
    floats[job >> 3] = query.norm.base;
    floats[(job >> 3) + 1] = query.norm.slope;
    floats[(job >> 3) + 2] = query.phrase?.weight ?? 0;
    const { addresses } = index;
    words.set(
      [
        addresses.postings,
        addresses.positions,
        addresses.lengths,
        job + JOB_BYTES + TOP_BYTES,
        terms,
        job + order,
        job + sums,
        job + sums + terms * 8,
        memory.window,
        WINDOW_ROWS,
        mask === null ? 0 : job + bitset,
        limit,
        places > 0 ? job + phrase : 0,
        places,
        job + phrase + places * 8,
      ],
      (job >> 2) + 6,
    );
    const top = (job + JOB_BYTES) >> 2;
    const rows = job + heap + capacity * 8;
    words.set([job + heap, rows, rows + capacity * 4, capacity, TIES_MAX, 0, 0], top);
    this.#writeTerms(lists);
    for (let place = 0; place < places; place++) {
      const at = ((job + phrase) >> 2) + 2 * place;
      words[at] = query.phrase?.places[place] as number;
      words[at + 1] = query.phrase?.offsets[place] as number;
    }
    if (mask !== null) words.set(mask, (job + bitset) >> 2);
    const any = query.mode === 'any';
    this.#run = any ? kernels.searchAny : kernels.searchAll;
    (any ? kernels.beginAny : kernels.beginAll)(job);
  }

  #writeTerms(lists: readonly WeightedList[]): void {
    const { words, floats } = this.#memory;
    let at = this.#scratch.address + JOB_BYTES + TOP_BYTES;
    for (const { weight, list } of lists) {
      floats[at >> 3] = weight;
      words[(at >> 2) + 4] = list.blocks;
      words[(at >> 2) + 5] = list.blockCount;
      words[(at >> 2) + 6] = list.count;
      at += TERM_BYTES;
    }
  }

  /** Looks at about `rows` rows as the cursors count them. @returns true when done. */
  run(rows: number): boolean {
    return this.#run(this.#scratch.address, rows * SPEED) !== 0;
  }

  hits(strategy: string): Hits {
    const { words, floats, kernels } = this.#memory;
    kernels.endKeywords(this.#scratch.address);
    const top = (this.#scratch.address + JOB_BYTES) >> 2;
    const field = (at: number): number => words[top + at] as number;
    const [scoresAt, rowsAt, tiesAt, count, tieCount] = [field(0), field(1), field(2), field(5), field(6)];
    const rows = new Uint32Array(count + tieCount);
    const scores = new Float64Array(count + tieCount);
    for (let i = 0; i < count; i++) {
      rows[i] = words[(rowsAt >> 2) + i] as number;
      scores[i] = floats[(scoresAt >> 3) + i] as number;
    }
    if (tieCount > 0) {
      rows.set(words.subarray(tiesAt >> 2, (tiesAt >> 2) + tieCount), count);
      rows.subarray(count).sort();
      scores.fill(scores[count - 1] as number, count);
    }
    return { rows, scores, strategy };
  }

  [Symbol.dispose](): void {
    this.#memory.giveBack(this.#scratch);
  }
}
