/**
 * Background work: heads become segments, small segments become large ones, garbage goes. One job at a time;
 * rows are merged in a worker, and the main thread stores the blocks and swaps the runs in one commit.
 */
import { AssertionError } from '../../assert.ts';
import type { Operation } from '../../storage/store.ts';
import { countBits } from '../../types/bitset.ts';
import type { CommitQueue, Round } from './commit-queue.ts';
import type { Database } from './database.ts';
import { removeSegment, removeStorage } from './garbage.ts';
import { Head } from './head.ts';
import type { MergeResult } from './merge-job.ts';
import { mergePart } from './merge-part.ts';
import type { Merger } from './merger.ts';
import { numberKey } from './records.ts';
import { blockOperations, type Manifest, Segment } from './segment.ts';
import type { Run, Source } from './source.ts';
import type { Slot } from './table.ts';

const BLOCKS_IN_WRITE = 64;

interface Job {
  readonly slot: Slot;
  readonly runs: readonly Run[];
}

export class Maintenance {
  readonly #database: Database;
  readonly #queue: CommitQueue;
  readonly #merger: Merger;
  readonly #report: (error: unknown) => void;
  readonly #dirty = new Set<Slot>();
  readonly #removals = new Set<Promise<void>>();
  #running: Promise<void> | null = null;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  /** @param report hears of background work that failed; the data is safe, the work is tried again. */
  constructor(database: Database, queue: CommitQueue, merger: Merger, report: (error: unknown) => void) {
    this.#database = database;
    this.#queue = queue;
    this.#merger = merger;
    this.#report = report;
    database.onRetired = (source) => this.#retire(source);
    database.onGarbage = (storage) => this.#remove(removeStorage, storage);
    const { idleMs } = database.settings;
    if (idleMs > 0) {
      const seen = new Map<Slot, number>();
      this.#idle = setInterval(() => this.#freezeIdle(seen), idleMs).unref();
    }
  }

  /** After a commit to `slot`, between rounds. */
  consider(slot: Slot): void {
    const { headRows, headBytes } = this.#database.settings;
    const last = slot.newest.runs[slot.newest.runs.length - 1];
    if (last?.source instanceof Head && (last.rowCount >= headRows || last.source.bytes >= headBytes)) {
      last.source.frozen = true;
    }
    this.#wake(slot);
  }

  /** All heads into segments; resolves when that and the merges it calls for are done. */
  async flush(): Promise<void> {
    await this.#queue.submit({
      prepare: () => () => {
        for (const slot of this.#database.allSlots()) {
          for (const { source } of slot.newest.runs) if (source instanceof Head) source.frozen = true;
          this.#wake(slot);
        }
      },
    });
    await this.#running;
    await Promise.all(this.#removals);
  }

  /** Removes what an earlier process left. */
  collect(storages: readonly number[], segments: readonly number[]): void {
    for (const storage of storages) this.#remove(removeStorage, storage);
    for (const segment of segments) this.#remove(removeSegment, segment);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle !== null) clearInterval(this.#idle);
    await this.#merger.close();
    await this.#running;
    await Promise.all(this.#removals);
  }

  #wake(slot: Slot): void {
    if (this.#closed) return;
    this.#dirty.add(slot);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    await null;
    for (const slot of this.#dirty) {
      this.#dirty.delete(slot);
      try {
        for (let job = this.#pick(slot); job !== null && !this.#closed; job = this.#pick(slot)) {
          await this.#merge(job);
        }
      } catch (error) {
        if (!this.#closed && !(error instanceof Abandoned)) this.#report(error);
      }
    }
    this.#running = null;
  }

  #freezeIdle(seen: Map<Slot, number>): void {
    for (const slot of this.#database.allSlots()) {
      const { sequence, runs } = slot.newest;
      const last = runs[runs.length - 1];
      const quiet = seen.get(slot) === sequence;
      seen.set(slot, sequence);
      if (quiet && last?.source instanceof Head && last.rowCount >= this.#database.settings.idleRows) {
        last.source.frozen = last.rowCount === last.source.rowCount;
        this.#wake(slot);
      }
    }
  }

  #pick(slot: Slot): Job | null {
    const { runs, exists } = slot.newest;
    if (!exists || !this.#database.catalog.relations.has(slot.relation)) return null;
    const frozen = runs.find((run) => run.source instanceof Head && run.source.frozen);
    if (frozen !== undefined) return { slot, runs: [frozen] };
    const segments = runs.filter((run) => run.source instanceof Segment);
    const holed = segments.find((run) => run.visible !== null && countBits(run.visible) < 0.6 * run.rowCount);
    if (holed !== undefined) return { slot, runs: [holed] };
    const window = this.#pickWindow(segments);
    return window === null ? null : { slot, runs: window };
  }

  /** Neighbours of which none has more than half of their rows. */
  #pickWindow(segments: readonly Run[]): readonly Run[] | null {
    const { mergeCount, segmentRowsMax } = this.#database.settings;
    for (let start = segments.length - mergeCount; start >= 0; start--) {
      const window = segments.slice(start, start + mergeCount);
      const total = window.reduce((sum, run) => sum + run.rowCount, 0);
      const largest = Math.max(...window.map((run) => run.rowCount));
      if (total <= segmentRowsMax && largest <= total / 2) return window;
    }
    return null;
  }

  async #merge(job: Job): Promise<void> {
    const { slot, runs } = job;
    const relation = this.#database.catalog.relations.get(slot.relation);
    if (relation === undefined) return;
    const { records, pause } = this.#database;
    const storage = slot.newest.storage.id;
    const parts = [];
    for (const run of runs) parts.push(await mergePart(relation, run, { cipher: records.names, pause }));
    const result = await this.#merger.run({ relation, parts });
    if (result.rowCount === 0) return this.#swap(job, storage, null);
    const manifest = manifestOf(this.#database.newId(), result);
    const segment = new Segment(records, manifest, pause, result.sections);
    try {
      await this.#store(manifest, result);
      await this.#swap(job, storage, segment);
    } catch (error) {
      this.#remove(removeSegment, manifest.segment);
      throw error;
    }
  }

  async #store(manifest: Manifest, result: MergeResult): Promise<void> {
    let operations: Operation[] = [];
    for (const operation of blockOperations(this.#database.records, manifest, result.sections)) {
      operations.push(operation);
      await this.#database.pause();
      if (operations.length < BLOCKS_IN_WRITE) continue;
      await this.#database.records.store.write(operations);
      operations = [];
    }
    await this.#database.records.store.write(operations);
  }

  async #swap({ slot, runs }: Job, storage: number, segment: Segment | null): Promise<void> {
    const sources = new Set<Source>(runs.map((run) => run.source));
    const { records } = this.#database;
    const prepare = (round: Round): (() => void) => {
      const there = slot.newest.runs.filter((run) => sources.has(run.source)).length;
      const draft = round.draft(slot);
      if (there !== sources.size || draft.storage.id !== storage || draft.swap !== null)
        throw new Abandoned();
      draft.swap = { sources, replacement: segment };
      for (const source of sources) {
        if (source instanceof Head) {
          for (const firstRow of source.chunks) round.operations.push(records.removeChunk(storage, firstRow));
        } else if (source instanceof Segment) {
          const key = numberKey(storage, source.manifest.segment);
          round.operations.push({ kind: 'remove', space: 'segments', key });
        }
      }
      if (segment !== null) {
        const { manifest } = segment;
        round.operations.push(records.putJson('segments', numberKey(storage, manifest.segment), manifest));
      }
      return () => {};
    };
    await this.#queue.submit({ prepare });
  }

  #retire(source: Source): void {
    source.release();
    if (source instanceof Segment) this.#remove(removeSegment, source.manifest.segment);
  }

  #remove(remove: typeof removeSegment, number: number): void {
    const { store } = this.#database.records;
    const done = remove(store, number, () => !this.#closed)
      .catch((error: unknown) => {
        if (!this.#closed) this.#report(error);
      })
      .finally(() => this.#removals.delete(done));
    this.#removals.add(done);
  }
}

/** The table was truncated or dropped while its rows were merged. */
class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

function manifestOf(segment: number, result: MergeResult): Manifest {
  const rows = result.sections.get('rows');
  if (rows === undefined) throw new AssertionError('a merge gives row numbers');
  const numbers = new Float64Array(rows.buffer, rows.byteOffset, result.rowCount);
  return {
    segment,
    rowCount: result.rowCount,
    firstRow: numbers[0] as number,
    lastRow: numbers[result.rowCount - 1] as number,
    sections: [...result.sections].map(([name, bytes]) => ({ name, size: bytes.length })),
    columns: result.columns,
    keys: result.keys,
    structures: result.structures,
  };
}
