/**
 * The journal: small commits since the tables' records were last written. Each is one sealed record, a link
 * (`link.ts`), that the root counts; the next round that is large, or changes more than rows, or finds the journal
 * full, writes the records of all of it, joined, and removes the links. So a commit of a few rows costs two seals
 * and two entries of the store, and not one of each a chunk, a page of deletes and a table.
 */
import { encodeChunk, haveOneShape, joinBatches, type RowBatch } from './chunk.ts';
import { DELETE_PAGE_ROWS, type Records } from './records.ts';
import type { LinkSequence } from './link.ts';
import type { Operation } from '../../../storage/store.ts';
import { Head } from '../head/head.ts';
import type { Source } from '../head/source.ts';
import type { Slot } from '../head/table.ts';

/** Rows of several commits in one chunk. */
export const JOINED_ROWS_MAX = 1024;

export interface Append {
  readonly batch: RowBatch;
  readonly firstRow: number;
}

/** A table's changes in all links. */
interface SlotChanges {
  readonly appends: Map<number, RowBatch>;
  /** Pages of deleted rows. */
  readonly pages: Set<number>;
}

export interface JournalLimits {
  readonly journalCommits: number;
  readonly journalBytes: number;
}

/** Chunks that the journal's rows are written as; `stored` is called when they are. */
export interface Written {
  readonly operations: readonly Operation[];
  stored(): void;
}

export class Journal {
  readonly #limits: JournalLimits;
  readonly #slots = new Map<Slot, SlotChanges>();
  readonly #sequences = new Map<number, LinkSequence>();
  /** Where the links are stored. */
  #keys: Uint8Array[] = [];
  #bytes = 0;

  constructor(limits: JournalLimits) {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#keys.length >= this.#limits.journalCommits || this.#bytes >= this.#limits.journalBytes;
  }

  get keys(): readonly Uint8Array[] {
    return this.#keys;
  }

  /** Tables whose records it is ahead of. */
  get slots(): Iterable<Slot> {
    return this.#slots.keys();
  }

  get sequences(): Iterable<LinkSequence> {
    return this.#sequences.values();
  }

  /** True when rows from there on are in no chunk of their own yet. */
  holds(slot: Slot, firstRow: number): boolean {
    return this.#slots.get(slot)?.appends.has(firstRow) === true;
  }

  /** A link is stored. */
  linked(key: Uint8Array, bytes: number): void {
    this.#keys.push(key);
    this.#bytes += bytes;
  }

  /** It says so of a table. */
  noteRows(slot: Slot, appends: Iterable<Append>, deleted: readonly number[]): void {
    let changes = this.#slots.get(slot);
    if (changes === undefined) {
      changes = { appends: new Map(), pages: new Set() };
      this.#slots.set(slot, changes);
    }
    for (const { batch, firstRow } of appends) changes.appends.set(firstRow, batch);
    for (const row of deleted) changes.pages.add(Math.floor(row / DELETE_PAGE_ROWS));
  }

  noteSequence(place: LinkSequence): void {
    this.#sequences.set(place[0], place);
  }

  /** Where a sequence stands, if a link says so. */
  sequence(oid: number): LinkSequence | undefined {
    return this.#sequences.get(oid);
  }

  /**
   * Records of what links have changed of a table, for a round that writes its record.
   * @param gone sources whose rows are written in another way.
   */
  async written(
    slot: Slot,
    { gone, records, pause }: { gone: ReadonlySet<Source>; records: Records; pause: () => Promise<void> },
  ): Promise<Written> {
    const operations: Operation[] = [];
    const joined = new Map<Head, number[]>();
    const changes = this.#slots.get(slot);
    const { storage, runs } = slot.newest;
    for (const { source } of changes === undefined ? [] : runs) {
      if (!(source instanceof Head) || gone.has(source)) continue;
      const firstRows: number[] = [];
      for (const { firstRow, batch } of this.#joinedChunks(source, changes?.appends ?? new Map())) {
        firstRows.push(firstRow);
        if (batch === null) continue;
        operations.push(records.putChunk(storage.id, firstRow, encodeChunk(batch)));
        await pause();
      }
      joined.set(source, firstRows);
    }
    for (const page of changes?.pages ?? []) {
      const bits = storage.deletes.get(page);
      if (bits !== undefined) operations.push(records.putDeletes(storage.id, page, bits));
    }
    const stored = (): void => {
      for (const [head, firstRows] of joined) head.storedAs(firstRows);
    };
    return { operations, stored };
  }

  /** A head's chunks, those of links joined where one follows the other. Null: it is stored already. */
  *#joinedChunks(
    head: Head,
    appends: ReadonlyMap<number, RowBatch>,
  ): Generator<{ firstRow: number; batch: RowBatch | null }> {
    let group: RowBatch[] = [];
    let firstRow = 0;
    let end = 0;
    for (const next of head.chunks) {
      const batch = appends.get(next);
      const [first] = group;
      const fits =
        batch !== undefined &&
        first !== undefined &&
        next === end &&
        end - firstRow + batch.length <= JOINED_ROWS_MAX &&
        haveOneShape(first, batch);
      if (!fits) {
        if (group.length > 0) yield { firstRow, batch: joinBatches(group) };
        group = [];
        firstRow = next;
      }
      if (batch === undefined) yield { firstRow: next, batch: null };
      else group.push(batch);
      end = next + (batch?.length ?? 0);
    }
    if (group.length > 0) yield { firstRow, batch: joinBatches(group) };
  }

  /** Records of all of it are stored, and its links are gone. */
  clear(): void {
    this.#slots.clear();
    this.#sequences.clear();
    this.#keys = [];
    this.#bytes = 0;
  }
}
