/**
 * Background work: when heads become segments, small segments large ones, and garbage goes. One merge at a
 * time (`run-merge.ts`); what fails is reported and tried again later.
 */
import type { IndexBuildFact } from '../../../catalog/system/context.ts';
import type { BuildRequest } from '../../engine.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import type { Database } from '../database.ts';
import { removeSegment, removeStorage } from './garbage.ts';
import { HEAD_GARBAGE } from '../memory.ts';
import { Head } from '../head/head.ts';
import { shownRows } from '../head/hidden-rows.ts';
import { BuildWaiters, type Progress, progressCounts } from './index-builds.ts';
import { lacksIndex, pickRuns } from './policy.ts';
import type { MergeRunner } from './merger.ts';
import { Abandoned, type Job, RunMerge, type Surroundings } from './run-merge.ts';
import { SealAnew } from './seal-anew.ts';
import { Segment } from '../segment/segment.ts';
import type { Run, Source } from '../head/source.ts';
import type { Slot } from '../head/table.ts';
import { Turns } from '../../../storage/turns.ts';

/**
 * By itself the file is compacted for so many bytes at least, and where so many are to be copied at most:
 * a commit that comes meanwhile waits, about a second for 500 MB.
 */
const COMPACT_FREE_MIN = 8 * 1024 * 1024;
const COMPACT_USED_MAX = 256 * 1024 * 1024;

export class Maintenance {
  readonly #database: Database;
  readonly #queue: CommitQueue;
  readonly #merger: MergeRunner;
  /** Surroundings of merges, and who else makes segments. */
  readonly surroundings: Surroundings;
  readonly #dirty = new Set<Slot>();
  readonly #removals = new Set<Promise<void>>();
  readonly #removing = new Turns();
  /** Slots written to of late, with the sequence number of the commit that was the newest at the last look. */
  readonly #written = new Map<Slot, number>();
  /** Slots that nobody has written to for a while. */
  readonly #quiet = new Set<Slot>();
  /** Segments whose structures REINDEX wants made anew. */
  readonly #renewed = new Set<Source>();
  readonly #waiters = new BuildWaiters();
  #progress: Progress | null = null;
  #running: Promise<void> | null = null;
  #relieving: Promise<void> | null = null;
  /** Memory of heads when writers waited the last time. */
  #pinnedBefore = 0;
  #idle: NodeJS.Timeout | null = null;
  /** Commits when the timer came last, and when the file was last looked at. */
  #idleSequence = 0;
  #compacted = 0;
  #closed = false;

  constructor(database: Database, queue: CommitQueue, merger: MergeRunner) {
    this.#database = database;
    this.#queue = queue;
    this.#merger = merger;
    const discard = (segment: number): void => this.#remove(removeSegment, segment);
    this.surroundings = { database, queue, merger, discard };
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
    await this.#freeze([...this.#database.allSlots()], () => true);
    await this.#running;
    await Promise.all(this.#removals);
  }

  /** Heads with rows that are gone become segments without them; resolves at once where there are none. */
  async clean(relations: readonly number[]): Promise<void> {
    const slots = relations.flatMap((relation) => [...this.#database.slots(relation)]);
    const holed = slots.filter(({ newest }) => newest.runs.some(isHoledHead));
    if (holed.length === 0) return;
    await this.#freeze(holed, (run) => isHoledHead(run));
    await this.#running;
  }

  /** Seals anew what is sealed in epochs before, until there is nothing of it. */
  async sealAnew(epoch: number, signal: AbortSignal): Promise<void> {
    const surroundings = { database: this.#database, queue: this.#queue, removals: this.#removing };
    await new SealAnew(surroundings, epoch, signal).run();
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
    const { idleRows } = this.#database.settings;
    await this.#freeze(slots, ({ source }) => source.rowCount >= idleRows);
    await this.#indexHeads(slots);
    const segments = slots.flatMap(({ newest }) => newest.runs.map(({ source }) => source));
    if (renews) for (const source of segments) if (source instanceof Segment) this.#renewed.add(source);
    if (this.#isBuilt(relation)) return;
    // It may have come meanwhile, and would not come again.
    signal.throwIfAborted();
    const built = this.#waiters.wait(relation, request, () => this.#stop(relation));
    for (const slot of slots) this.#wake(slot);
    await built;
  }

  /** Builds that somebody waits for. */
  *builds(): Generator<IndexBuildFact> {
    for (const { relation, index, command, processId } of this.#waiters.all()) {
      const slots = [...this.#database.slots(relation)].filter(({ newest }) => newest.exists);
      const done = slots.filter((slot) => this.#isComplete(slot)).length;
      const partitions = { partitionsTotal: slots.length, partitionsDone: done };
      const own = this.#progress?.relation === relation ? this.#progress : null;
      yield { relation, index, command, processId, ...partitions, ...progressCounts(own) };
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { end } of this.#waiters.all()) end(new Error('the engine was closed'));
    if (this.#idle !== null) clearInterval(this.#idle);
    await this.#merger.close();
    await this.#running;
    await Promise.all(this.#removals);
  }

  /** Heads that are chosen become segments. */
  async #freeze(slots: readonly Slot[], isChosen: (run: Run) => boolean): Promise<void> {
    await this.#queue.submit({
      prepare: () => () => {
        for (const slot of slots) {
          for (const run of slot.newest.runs) {
            if (run.source instanceof Head && isChosen(run)) run.source.frozen = true;
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
    if (this.#waiters.of(relation).length > 1 || this.#progress?.relation !== relation) return;
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
    const waiting = this.#waiters.of(relation);
    if (waiting.length === 0 || (error === null && !this.#isBuilt(relation))) return;
    const reason = error === null || error instanceof Error ? error : new Error(String(error));
    for (const { end } of waiting) end(reason);
  }

  /** Heads take too much memory: all of them become segments. */
  relieve(): boolean {
    if (this.#closed) return false;
    if (this.#running !== null || this.#relieving !== null) return true;
    const { pinned } = this.#database.memory;
    // The last time nothing came of it, as on a disk that is full: the writer shall hear that.
    if (this.#pinnedBefore === pinned) return false;
    this.#pinnedBefore = pinned;
    this.#relieving = this.#freeze([...this.#database.allSlots()], ({ source }) => source.rowCount > 0)
      .catch(this.#database.report)
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
          this.#database.report(error);
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
    this.#compactIdle();
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

  /** Where nobody writes and most of the file holds nothing, that goes back to the disk; tried once a commit. */
  #compactIdle(): void {
    const { store, root } = this.#database.records;
    const { sequence } = root.record;
    const isQuiet = sequence === this.#idleSequence && this.#running === null && this.#removals.size === 0;
    this.#idleSequence = sequence;
    if (!isQuiet || this.#compacted === sequence) return;
    this.#compacted = sequence;
    const { bytes, free } = store.space();
    if (free < COMPACT_FREE_MIN || free < bytes / 2 || bytes - free > COMPACT_USED_MAX) return;
    store.compact().catch(this.#database.report);
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
    const relation = this.#database.catalog.relations.get(job.slot.relation);
    if (relation === undefined) return;
    const merge = new RunMerge(this.surroundings, relation, job);
    this.#progress = merge.progress;
    await merge.run();
    for (const { source } of job.runs) this.#renewed.delete(source);
  }

  /** Nobody reads the source any more. */
  retire(source: Source): void {
    this.#renewed.delete(source);
    if (source instanceof Head) this.#database.memory.announceGarbage(HEAD_GARBAGE * source.bytes);
    source.release();
    if (source instanceof Segment) this.#remove(removeSegment, source.manifest.segment);
  }

  /** Nobody reads the storage any more. */
  removeStorage(storage: number): void {
    this.#remove(removeStorage, storage);
  }

  #remove(remove: typeof removeSegment, number: number): void {
    const { store, root } = this.#database.records;
    const isOpen = (): boolean => {
      // Where nobody knows whether a commit is stored, it may name what would be removed.
      root.requireKnown();
      return !this.#closed;
    };
    const done = remove({ store, turns: this.#removing, isOpen }, number)
      .catch((error: unknown) => {
        if (!this.#closed) this.#database.report(error);
      })
      .finally(() => this.#removals.delete(done));
    this.#removals.add(done);
  }
}

/** A head with rows that are gone. */
const isHoledHead = (run: Run): boolean => run.source instanceof Head && shownRows(run) < run.rowCount;
