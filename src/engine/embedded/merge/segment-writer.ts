/** Stores what a merge has made as blocks of a new segment. Nothing refers to them before a manifest is stored. */
import type { Relation } from '../../../catalog/model.ts';
import type { Operation } from '../../../storage/store.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import type { Database } from '../database.ts';
import type { Progress } from './index-builds.ts';
import type { MergeResult } from './job.ts';
import { Segment } from '../segment/segment.ts';
import { blockCount, blockOperations, manifestOf } from '../segment/manifest.ts';
import type { Run } from '../head/source.ts';
import { wideBlocks, wideSections } from '../segment/wide-sections.ts';

const WRITE_BYTES = 4 * 1024 * 1024;

interface Surroundings {
  readonly database: Database;
  readonly queue: CommitQueue;
  readonly discard: (segment: number) => void;
}

interface Merged {
  readonly relation: Relation;
  readonly runs: readonly Run[];
  readonly result: MergeResult;
}

export class SegmentWriter {
  readonly #surroundings: Surroundings;
  readonly #merged: Merged;

  constructor(surroundings: Surroundings, merged: Merged) {
    this.#surroundings = surroundings;
    this.#merged = merged;
  }

  /** @throws SqlError of the store; then nothing is left. @param progress is told of blocks. */
  async write(progress?: Progress): Promise<Segment> {
    const { database, discard } = this.#surroundings;
    const { relation, runs, result } = this.#merged;
    using _ = database.sealings.begin(database.records.root.record.epoch);
    const wide = await wideSections(relation, runs, result);
    const manifest = manifestOf(database.newId(), result, wide);
    if (progress !== undefined) progress.blocksTotal = blockCount(manifest);
    try {
      await this.#store(blockOperations(database.records, manifest, result), progress);
      for (const [i, section] of wide.entries()) {
        const place = { segment: manifest.segment, number: result.sections.size + i };
        await this.#store(wideBlocks(database.records, place, section, runs), progress);
      }
    } catch (error) {
      discard(manifest.segment);
      throw error;
    }
    return new Segment(database, manifest);
  }

  async #store(blocks: Iterable<Operation>, progress?: Progress): Promise<void> {
    const { pause } = this.#surroundings.database;
    let operations: Operation[] = [];
    let size = 0;
    for (const operation of blocks) {
      operations.push(operation);
      size += operation.kind === 'put' ? operation.value.length : 0;
      if (progress !== undefined) progress.blocksDone++;
      await pause();
      if (size < WRITE_BYTES) continue;
      await this.#put(operations);
      operations = [];
      size = 0;
    }
    await this.#put(operations);
  }

  async #put(operations: readonly Operation[]): Promise<void> {
    const { database, queue } = this.#surroundings;
    if (database.needsReserve) {
      await queue.changeRoot({});
    }
    await database.records.store.write(operations);
  }
}
