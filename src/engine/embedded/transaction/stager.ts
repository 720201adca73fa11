/**
 * Rows of a transaction that has not ended, written ahead: past a share of the memory its oldest ones become
 * segments that nothing refers to. Its commit names them; what never commits is removed, at the next start by
 * the clean-up of blocks without a manifest.
 */
import type { Relation } from '../../../catalog/model.ts';
import { unlessAborted } from '../../../unless-aborted.ts';
import { HEAD_GARBAGE } from '../memory.ts';
import { mergePart } from '../merge/merge-part.ts';
import { resultBytes } from '../merge/job.ts';
import { OWN_ROWS, type Overlay } from './overlay.ts';
import { Abandoned, type Surroundings } from '../merge/run-merge.ts';
import { Segment } from '../segment/segment.ts';
import { numberedFrom, withoutNumbers } from '../segment/manifest.ts';
import { SegmentWriter } from '../merge/segment-writer.ts';
import type { Run } from '../head/source.ts';

/** Smaller pieces are not worth a segment while there is memory for them. */
const PIECE_SHARE_MIN = 1 / 4;

export class Stager {
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Until the rows of all transactions take no more than they should, or those of this one are few.
   * @throws SqlError of the store or of a search structure, the signal's reason; rows not yet staged stay.
   */
  async stage(
    overlays: ReadonlySet<Overlay>,
    relationOf: (overlay: Overlay) => Relation | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { memory, settings } = this.#surroundings.database;
    const piece = Math.min(settings.headBytes, memory.own.staged);
    while (memory.own.isLarge) {
      const least = memory.own.isTight ? 1 : piece * PIECE_SHARE_MIN;
      const overlay = largest(overlays);
      const relation = overlay === null ? undefined : relationOf(overlay);
      if (overlay === null || relation === undefined || overlay.rowBytes < least) return;
      signal.throwIfAborted();
      await this.#stageOldest(overlay, relation, { bytes: piece, signal });
      memory.own.measure(overlay);
    }
  }

  /** Frees the memory of a transaction that ends. */
  end(overlay: Overlay): void {
    this.discard(overlay.release());
    this.#surroundings.database.memory.own.forget(overlay);
  }

  discard(segments: readonly number[]): void {
    for (const segment of segments) this.#surroundings.discard(segment);
  }

  async #stageOldest(
    overlay: Overlay,
    relation: Relation,
    { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { database, discard } = this.#surroundings;
    const piece = overlay.oldest(bytes);
    const segment = await this.#write(relation, piece.runs, signal);
    const manifest = numberedFrom(segment.manifest, OWN_ROWS + piece.start);
    const isThere = overlay.staged(piece, new Segment(database, manifest));
    if (!isThere) discard(manifest.segment);
    database.memory.announceGarbage(HEAD_GARBAGE * bytes);
  }

  async #write(relation: Relation, runs: readonly Run[], signal: AbortSignal): Promise<Segment> {
    const { database, merger } = this.#surroundings;
    const { records, pause, settings, memory } = database;
    const parts = [];
    for (const run of runs) {
      parts.push(await mergePart(relation, run, { cipher: records.names, pause, renewed: false }));
    }
    const options = { graphBytesMin: settings.graphBytesMin, progress: null };
    for (;;) {
      try {
        const job = { relation, parts, options, packs: records.packs };
        const merged = withoutNumbers(await unlessAborted(merger.run(job), signal));
        const segment = await new SegmentWriter(this.#surroundings, {
          relation,
          runs,
          result: merged,
        }).write();
        memory.announceGarbage(resultBytes(merged));
        return segment;
      } catch (error) {
        // Another merge was ended, and the worker with it.
        if (!(error instanceof Abandoned)) throw error;
      }
    }
  }
}

function largest(overlays: Iterable<Overlay>): Overlay | null {
  let found: Overlay | null = null;
  for (const overlay of overlays) if (overlay.rowBytes > (found?.rowBytes ?? 0)) found = overlay;
  return found;
}
