/**
 * Background work: heads become segments, small segments become large ones, garbage goes. One job at a time;
 * rows are merged in a worker, and the main thread stores the blocks and swaps the runs in one commit.
 */
import { AssertionError } from '../../assert.ts';
import type { IndexBuildFact } from '../../catalog/system/context.ts';
import { MERGE_PROGRESS } from '../../index/structure.ts';
import { BLOCK_BYTES } from '../../limits.ts';
import type { Operation } from '../../storage/store.ts';
import type { BuildRequest } from '../engine.ts';
import type { CommitQueue, Round } from './commit-queue.ts';
import type { Database } from './database.ts';
import { removeSegment, removeStorage } from './garbage.ts';
import { Head } from './head.ts';
import { type BuildWaiter, type Progress, progressCounts } from './index-builds.ts';
import type { MergeResult } from './merge-job.ts';
import { mergePart } from './merge-part.ts';
import { lacksIndex, pickRuns } from './merge-policy.ts';
import type { Merger } from './merger.ts';
import { numberKey } from './records.ts';
import { blockOperations, type Manifest, Segment } from './segment.ts';
import type { Run, Source } from './source.ts';
import type { SectionRecord } from './section-reader.ts';
import type { Slot } from './table.ts';
import { wideBlocks, wideSections } from './wide-sections.ts';

const WRITE_BYTES = 4 * 1024 * 1024;
/** What a head leaves for the garbage collector: itself, what its columns grew out of, chunks of commits. */
const HEAD_GARBAGE = 3;

interface Job {
  readonly slot: Slot;
  readonly runs: readonly Run[];
  /** Structures are made anew of the columns. */
  readonly renewed: boolean;
}

export class Maintenance {
  readonly #database: Database;
  readonly #queue: CommitQueue;
  readonly #merger: Merger;
  readonly #report: (error: unknown) => void;
  readonly #dirty = new Set<Slot>();
  readonly #removals = new Set<Promise<void>>();
  /** Slots written to of late, with the sequence number of the commit that was the newest at the last look. */
  readonly #written = new Map<Slot, number>();
  /** Slots that nobody has written to for a while. */
  readonly #quiet = new Set<Slot>();
  /** Segments whose structures REINDEX wants made anew. */
  readonly #renewed = new Set<Source>();
  readonly #waiters = new Set<BuildWaiter>();
  #progress: Progress | null = null;
  #running: Promise<void> | null = null;
  #relieving: Promise<void> | null = null;
  /** Memory of heads when writers waited the last time. */
  #pinnedBefore = 0;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  /** @param report hears of background work that failed; the data is safe, the work is tried again. */
  constructor(database: Database, queue: CommitQueue, merger: Merger, report: (error: unknown) => void) {
    this.#database = database;
    this.#queue = queue;
    this.#merger = merger;
    this.#report = report;
    database.memory.relieve = () => this.#relieve();
    database.onRetired = (source) => this.#retire(source);
    database.onGarbage = (storage) => this.#remove(removeStorage, storage);
    const { idleMs } = database.settings;
    if (idleMs > 0) this.#idle = setInterval(() => this.#freezeIdle(), idleMs).unref();
  }

  /** After a commit to `slot`, between rounds. */
  consider(slot: Slot): void {
    if (!this.#written.has(slot)) this.#written.set(slot, 0);
    for (const { source } of slot.newest.runs) {
      if (source instanceof Head && source.isFull(this.#database.settings)) source.frozen = true;
    }
    this.#wake(slot);
  }

  /** All heads into segments; resolves when that and the merges it calls for are done. */
  async flush(): Promise<void> {
    await this.#freeze([...this.#database.allSlots()], 0);
    await this.#running;
    await Promise.all(this.#removals);
  }

  /** Removes what an earlier process left. */
  collect(storages: readonly number[], segments: readonly number[]): void {
    for (const storage of storages) this.#remove(removeStorage, storage);
    for (const segment of segments) this.#remove(removeSegment, segment);
  }

  /**
   * Waits until every segment of a relation has what its indexes keep, which it makes so at once.
   * @throws SqlError of the work that failed (53100, 22000 …), the signal's reason; what is missing is made
   *   later in the background all the same.
   */
  async build(relation: number, request: BuildRequest): Promise<void> {
    const { renews, signal } = request;
    signal.throwIfAborted();
    const slots = [...this.#database.slots(relation)];
    await this.#freeze(slots, this.#database.settings.idleRows);
    await this.#indexHeads(slots);
    const segments = slots.flatMap(({ newest }) => newest.runs.map(({ source }) => source));
    if (renews) for (const source of segments) if (source instanceof Segment) this.#renewed.add(source);
    if (this.#isBuilt(relation)) return;
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        if (request.stops) this.#stop(relation);
        waiter.end(signal.reason as Error);
      };
      const waiter: BuildWaiter = {
        ...request,
        relation,
        end: (error) => {
          signal.removeEventListener('abort', abort);
          this.#waiters.delete(waiter);
          if (error === null) resolve();
          else reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      for (const slot of slots) this.#wake(slot);
    });
  }

  /** Builds that somebody waits for. */
  *builds(): Generator<IndexBuildFact> {
    for (const { relation, index, command, processId } of this.#waiters) {
      const slots = [...this.#database.slots(relation)].filter(({ newest }) => newest.exists);
      const done = slots.filter((slot) => this.#isComplete(slot)).length;
      const partitions = { partitionsTotal: slots.length, partitionsDone: done };
      const own = this.#progress?.relation === relation ? this.#progress : null;
      yield { relation, index, command, processId, ...partitions, ...progressCounts(own) };
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { end } of this.#waiters) end(new Error('the engine was closed'));
    if (this.#idle !== null) clearInterval(this.#idle);
    await this.#merger.close();
    await this.#running;
    await Promise.all(this.#removals);
  }

  /** Heads of at least so many rows become segments. */
  async #freeze(slots: readonly Slot[], rows: number): Promise<void> {
    await this.#queue.submit({
      prepare: () => () => {
        for (const slot of slots) {
          for (const { source } of slot.newest.runs) {
            if (source instanceof Head && source.rowCount >= rows) source.frozen = true;
          }
          this.#wake(slot);
        }
      },
    });
  }

  /** Heads that stay take their rows into new indexes here, in steps, and not in the first query. */
  async #indexHeads(slots: readonly Slot[]): Promise<void> {
    const { catalog, records, pause } = this.#database;
    for (const { relation, newest } of slots) {
      const described = catalog.relations.get(relation);
      for (const { source } of newest.runs) {
        if (described !== undefined && source instanceof Head && !source.frozen) {
          await source.catchUp(described, records.names, pause);
        }
      }
    }
  }

  /** Ends a build that nobody else waits for. */
  #stop(relation: number): void {
    const waiting = [...this.#waiters].filter((waiter) => waiter.relation === relation);
    if (waiting.length > 1 || this.#progress?.relation !== relation) return;
    this.#progress.stopped = true;
    this.#merger.stop(new Abandoned());
  }

  #isBuilt(relation: number): boolean {
    return [...this.#database.slots(relation)].every((slot) => this.#isComplete(slot));
  }

  #isComplete({ relation, newest }: Slot): boolean {
    const described = this.#database.catalog.relations.get(relation);
    if (described === undefined || !newest.exists) return true;
    return newest.runs.every(({ source }) => {
      if (source instanceof Head) return !source.frozen;
      return !this.#renewed.has(source) && !(source instanceof Segment && lacksIndex(described, source));
    });
  }

  /** Tells who waits for a relation what has become of the work on it. */
  #settle(relation: number, error: unknown): void {
    for (const waiter of this.#waiters) {
      if (waiter.relation !== relation) continue;
      if (error !== null) waiter.end(error instanceof Error ? error : new Error(String(error)));
      else if (this.#isBuilt(relation)) waiter.end(null);
    }
  }

  /** Heads take too much memory: all of them become segments. */
  #relieve(): boolean {
    if (this.#closed) return false;
    if (this.#running !== null || this.#relieving !== null) return true;
    const { pinned } = this.#database.memory;
    // The last time nothing came of it, as on a disk that is full: the writer shall hear that.
    if (this.#pinnedBefore === pinned) return false;
    this.#pinnedBefore = pinned;
    this.#relieving = this.#freeze([...this.#database.allSlots()], 1)
      .catch(this.#report)
      .finally(() => {
        this.#relieving = null;
      });
    return true;
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
          this.#settle(slot.relation, null);
        }
        this.#settle(slot.relation, null);
      } catch (error) {
        // The timer tries again, also where nobody writes.
        this.#written.set(slot, slot.newest.sequence);
        if (!this.#closed && !(error instanceof Abandoned)) {
          this.#report(error);
          this.#settle(slot.relation, error);
        }
      } finally {
        this.#progress = null;
      }
    }
    this.#running = null;
  }

  /** Looks at each slot once after its last commit: ten thousand partitions at rest cost nothing. */
  #freezeIdle(): void {
    for (const [slot, seen] of this.#written) {
      const { sequence, runs } = slot.newest;
      const last = runs[runs.length - 1];
      this.#written.set(slot, sequence);
      if (seen !== sequence) continue;
      this.#written.delete(slot);
      this.#quiet.add(slot);
      if (last?.source instanceof Head && last.rowCount >= this.#database.settings.idleRows) {
        last.source.frozen = last.rowCount === last.source.rowCount;
      }
      this.#wake(slot);
    }
  }

  #pick(slot: Slot): Job | null {
    const { runs, exists } = slot.newest;
    const relation = this.#database.catalog.relations.get(slot.relation);
    if (!exists || relation === undefined) return null;
    const table = { relation, runs, renewed: this.#renewed, quiet: this.#quiet.has(slot) };
    const picked = pickRuns(table, this.#database.settings);
    if (picked === null) this.#quiet.delete(slot);
    else return { slot, runs: picked, renewed: picked.some(({ source }) => this.#renewed.has(source)) };
    return null;
  }

  async #merge(job: Job): Promise<void> {
    const { slot, runs, renewed } = job;
    const relation = this.#database.catalog.relations.get(slot.relation);
    if (relation === undefined) return;
    const { records, memory, pause } = this.#database;
    const storage = slot.newest.storage.id;
    const parts = [];
    const counts = new Int32Array(new SharedArrayBuffer(MERGE_PROGRESS.bytes));
    const progress = { relation: relation.oid, counts, blocksTotal: 0, blocksDone: 0, stopped: false };
    this.#progress = progress;
    for (const run of runs) {
      parts.push(await mergePart(relation, run, { cipher: records.names, pause, renewed }));
    }
    if (progress.stopped) throw new Abandoned();
    const { graphBytesMin } = this.#database.settings;
    const result = await this.#merger.run({ relation, parts, options: { graphBytesMin, progress: counts } });
    if (result.rowCount === 0) return this.#swap(job, storage, null);
    const wide = await wideSections(relation, runs, result);
    const manifest = manifestOf(this.#database.newId(), result, wide);
    const segment = new Segment(this.#database, manifest);
    progress.blocksTotal = manifest.sections.reduce((sum, section) => sum + blockCount(section), 0);
    try {
      await this.#store(blockOperations(records, manifest, result.sections));
      for (const [i, section] of wide.entries()) {
        const place = { segment: manifest.segment, number: result.sections.size + i };
        await this.#store(wideBlocks(records, place, section, runs));
      }
      for (const { source } of runs) if (source instanceof Segment) await segment.warm(relation, source);
      await this.#swap(job, storage, segment);
      let garbage = 0;
      for (const bytes of result.sections.values()) garbage += bytes.length;
      memory.announceGarbage(garbage);
    } catch (error) {
      this.#remove(removeSegment, manifest.segment);
      throw error;
    }
  }

  async #store(blocks: Iterable<Operation>): Promise<void> {
    let operations: Operation[] = [];
    const progress = this.#progress;
    let size = 0;
    for (const operation of blocks) {
      operations.push(operation);
      size += operation.kind === 'put' ? operation.value.length : 0;
      if (progress !== null) progress.blocksDone++;
      await this.#database.pause();
      if (size < WRITE_BYTES) continue;
      await this.#database.records.store.write(operations);
      operations = [];
      size = 0;
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
      for (const source of sources) this.#renewed.delete(source);
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
    this.#renewed.delete(source);
    if (source instanceof Head) this.#database.memory.announceGarbage(HEAD_GARBAGE * source.bytes);
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

/** The table was truncated or dropped while its rows were merged, or the statement that waited was canceled. */
class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

const blockCount = ({ size, block = BLOCK_BYTES }: SectionRecord): number => Math.ceil(size / block);

function manifestOf(segment: number, result: MergeResult, wide: readonly SectionRecord[]): Manifest {
  const rows = result.sections.get('rows');
  if (rows === undefined) throw new AssertionError('a merge gives row numbers');
  const numbers = new Float64Array(rows.buffer, rows.byteOffset, result.rowCount);
  return {
    segment,
    rowCount: result.rowCount,
    firstRow: numbers[0] as number,
    lastRow: numbers[result.rowCount - 1] as number,
    sections: [
      ...[...result.sections].map(([name, bytes]) => ({ name, size: bytes.length })),
      ...wide.map(({ name, size, block = BLOCK_BYTES }) => ({ name, size, block })),
    ],
    columns: result.columns,
    keys: result.keys,
    structures: result.structures,
    indexes: result.indexes,
  };
}
