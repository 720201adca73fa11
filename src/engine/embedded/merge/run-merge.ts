/**
 * One merge: runs of a slot become a segment. Rows are merged in a worker; the main thread stores the blocks
 * and swaps the runs for the segment in one commit. A crash or an error before that leaves the old state, and
 * blocks that nothing refers to.
 */
import type { Relation } from '../../../catalog/model.ts';
import { MERGE_PROGRESS } from '../../../index/structure.ts';
import type { CommitQueue, Round } from '../commit/commit-queue.ts';
import type { Database } from '../database.ts';
import { Head } from '../head/head.ts';
import type { Progress } from './index-builds.ts';
import { mergePart } from './merge-part.ts';
import { resultBytes } from './job.ts';
import type { MergeRunner } from './merger.ts';
import { numberKey } from '../commit/records.ts';
import { Segment } from '../segment/segment.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { Run, Source } from '../head/source.ts';
import type { Slot } from '../head/table.ts';

export interface Job {
  readonly slot: Slot;
  readonly runs: readonly Run[];
  /** Structures are made anew of the columns. */
  readonly renewed: boolean;
}

/** The table was truncated or dropped while its rows were merged, or the statement that waited was canceled. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** Parts of the engine that a merge needs. */
export interface Surroundings {
  readonly database: Database;
  readonly queue: CommitQueue;
  readonly merger: MergeRunner;
  /** Removes the blocks of a segment in the background. */
  readonly discard: (segment: number) => void;
}

export class RunMerge {
  readonly progress: Progress;
  readonly #surroundings: Surroundings;
  readonly #relation: Relation;
  readonly #job: Job;
  /** That of the slot when the merge began; another one means that the table was emptied. */
  readonly #storage: number;

  constructor(surroundings: Surroundings, relation: Relation, job: Job) {
    this.#surroundings = surroundings;
    this.#relation = relation;
    this.#job = job;
    this.#storage = job.slot.newest.storage.id;
    const counts = new Int32Array(new SharedArrayBuffer(MERGE_PROGRESS.bytes));
    this.progress = { relation: relation.oid, counts, blocksTotal: 0, blocksDone: 0, stopped: false };
  }

  /** @throws Abandoned, SqlError of the store or of a structure; then the old runs stay. */
  async run(): Promise<void> {
    try {
      await this.#merge();
    } catch (error) {
      // Blocks of a table that was emptied meanwhile are gone, and not damaged.
      throw this.#isThere(this.#job.slot.newest.storage.id) ? error : new Abandoned();
    }
  }

  /** True when the runs still are the slot's. @param storage of its rows from now on. */
  #isThere(storage: number): boolean {
    const { slot, runs } = this.#job;
    const sources = new Set(slot.newest.runs.map((run) => run.source));
    return storage === this.#storage && runs.every((run) => sources.has(run.source));
  }

  async #merge(): Promise<void> {
    const { database, merger, discard } = this.#surroundings;
    const { runs, renewed } = this.#job;
    const relation = this.#relation;
    const { records, memory, pause } = database;
    const parts = [];
    for (const run of runs) {
      parts.push(await mergePart(relation, run, { cipher: records.names, pause, renewed }));
    }
    if (this.progress.stopped) throw new Abandoned();
    const { graphBytesMin } = database.settings;
    const options = { graphBytesMin, progress: this.progress.counts };
    const result = await merger.run({ relation, parts, options, packs: records.packs });
    if (result.rowCount === 0) return this.#swap(null);
    const writer = new SegmentWriter(this.#surroundings, { relation, runs, result });
    const segment = await writer.write(this.progress);
    try {
      for (const { source } of runs) if (source instanceof Segment) await segment.warm(relation, source);
      await this.#swap(segment);
    } catch (error) {
      discard(segment.manifest.segment);
      throw error;
    }
    memory.announceGarbage(resultBytes(result));
  }

  /** @param segment null: none of the rows is left. */
  async #swap(segment: Segment | null): Promise<void> {
    const { slot, runs } = this.#job;
    const { records, journal } = this.#surroundings.database;
    const storage = this.#storage;
    const sources = new Set<Source>(runs.map((run) => run.source));
    const prepare = (round: Round): (() => void) => {
      const draft = round.draft(slot);
      if (!this.#isThere(draft.storage.id) || draft.swap !== null) throw new Abandoned();
      draft.swap = { sources, replacement: segment };
      for (const source of sources) {
        if (source instanceof Head) {
          for (const firstRow of source.chunks) {
            if (journal.holds(slot, firstRow)) continue;
            round.operations.push(records.removeChunk(storage, firstRow));
          }
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
    await this.#surroundings.queue.submit({ prepare });
  }
}
