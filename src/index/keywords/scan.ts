/**
 * A search of a segment in the memory of the kernels: writes the work order for `wasm/keywords.ts` into
 * scratch memory, field by field, and reads the best rows back.
 *
 * Order: job, heap, terms, two sums a term, scores and rows of the heap, ties, order of terms, places of a
 * phrase and their cursors, candidates, mask.
 */
import { TIES_MAX } from '../../limits.ts';
import type { KeywordQuery, KeywordSearch, Phrase } from './query.ts';
import { type KeywordMemory, type Scratch, WINDOW_ROWS } from './memory.ts';
import type { SegmentIndex, StoredList } from './segment.ts';
import type { Hits } from '../structure.ts';

const JOB_BYTES = 96;
const TOP_BYTES = 32;
const TERM_BYTES = 96;
/** Rows that are looked for in a list at a time. */
const BATCH_ROWS = 64;
/** Rows that a kernel looks at while the cursors of `postings.ts` look at one. */
const SPEED = { any: 8, all: 1, phrase: 1 } as const;

/** Smaller weights are lost in the kernels' sums, which are f32. */
const WEIGHT_MIN = 1e-20;

/** True when the kernels can answer it. */
export function kernelsTake(index: SegmentIndex, { terms, phrase }: KeywordQuery): boolean {
  if (phrase !== null && phrase.slop !== 0) return false;
  return terms.every(({ term, weight }) => weight >= WEIGHT_MIN && index.isForKernels(term));
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

/** Offsets of a search's areas in its scratch memory, and their size without the mask. */
function layoutOf(terms: number, places: number, capacity: number) {
  const sums = JOB_BYTES + TOP_BYTES + terms * TERM_BYTES;
  const scores = sums + terms * 16;
  const rows = scores + capacity * 8;
  const ties = rows + capacity * 4;
  const order = ties + (TIES_MAX + capacity) * 4;
  const phrase = order + terms * 4;
  const cursors = phrase + places * 8;
  const candidates = cursors + places * 4;
  return { sums, scores, rows, ties, order, phrase, cursors, candidates, end: candidates + BATCH_ROWS * 4 };
}

export class KernelScan implements Disposable {
  readonly #memory: KeywordMemory;
  readonly #scratch: Scratch;
  readonly #run: (job: number, rows: number) => number;
  readonly #speed: number;

  /** @param capacity rows wanted, but for ties. */
  constructor(index: SegmentIndex, memory: KeywordMemory, search: KeywordSearch, capacity: number) {
    const { query, mask, limit } = search;
    const { kernels } = memory;
    const lists = listsOf(index, query);
    const places = query.phrase?.places.length ?? 0;
    const layout = layoutOf(lists.length, places, capacity);
    this.#memory = memory;
    this.#scratch = memory.borrow(layout.end + (mask?.byteLength ?? 0));
    const job = this.#scratch.address;
    const { words, floats } = memory;
    floats[job >> 3] = query.norm.base;
    floats[(job >> 3) + 1] = query.norm.slope;
    floats[(job >> 3) + 2] = query.phrase?.weight ?? 0;
    const fields = [
      index.addresses.postings,
      index.addresses.positions,
      index.addresses.lengths,
      job + JOB_BYTES + TOP_BYTES,
      lists.length,
      job + layout.order,
      job + layout.sums,
      job + layout.sums + lists.length * 8,
      memory.window,
      WINDOW_ROWS,
      mask === null ? 0 : job + layout.end,
      limit,
      places > 0 ? job + layout.phrase : 0,
      places,
      job + layout.cursors,
      job + layout.candidates,
    ];
    words.set(fields, (job >> 2) + 6);
    const top = [job + layout.scores, job + layout.rows, job + layout.ties, capacity, TIES_MAX, 0, 0];
    words.set(top, (job + JOB_BYTES) >> 2);
    if (mask !== null) words.set(mask, (job + layout.end) >> 2);
    this.#writeTerms(lists);
    if (query.phrase !== null) this.#writePlaces(query.phrase, job + layout.phrase);
    this.#speed = SPEED[query.mode];
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

  #writePlaces({ places, offsets }: Phrase, address: number): void {
    const { words } = this.#memory;
    let at = address >> 2;
    for (let place = 0; place < places.length; place++) {
      words[at++] = places[place] as number;
      words[at++] = offsets[place] as number;
    }
  }

  /** Looks at about `rows` rows as the cursors count them. @returns true when done. */
  run(rows: number): boolean {
    return this.#run(this.#scratch.address, rows * this.#speed) !== 0;
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
      scores.fill(scores[count - 1] as number, count);
    }
    return { rows, scores, strategy };
  }

  [Symbol.dispose](): void {
    this.#memory.giveBack(this.#scratch);
  }
}
