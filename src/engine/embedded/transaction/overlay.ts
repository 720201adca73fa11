/**
 * A transaction's own writes to one slot, until it commits: rows added, rows of the committed state deleted,
 * keys taken. Own rows have provisional numbers from OWN_ROWS on; they get their lasting ones at commit. Where
 * there are many the oldest are segments already (`stager.ts`), that nobody else knows of.
 *
 * A snapshot remembers how far the overlay had come (`OverlayMark`), so that a statement does not see what
 * it writes itself.
 */
import { firstNot } from '../../../binary-search.ts';
import { NAME_WORDS } from '../../../storage/seal.ts';
import { vectorBytes } from '../../../types/held-bytes.ts';
import type { RowBatch } from '../commit/chunk.ts';
import { Head } from '../head/head.ts';
import { withoutRows } from '../head/hidden-rows.ts';
import { KeyTable } from '../keys/key-table.ts';
import { OwnDeletes } from './own-deletes.ts';
import type { Segment } from '../segment/segment.ts';
import type { EngineSettings } from '../settings.ts';
import type { Run } from '../head/source.ts';
import { findRow, type Slot } from '../head/table.ts';

export const OWN_ROWS = 2 ** 50;

/** A committed row that is deleted here, with what undoes that. */
const DELETED_BYTES = 72;
/** The number of a row with the position of the one that replaces it. */
const REPLACED_BYTES = 64;
/** A row in a set. */
const DOUBTFUL_BYTES = 40;

export interface OverlayMark {
  readonly rowCount: number;
  readonly clock: number;
}

/** Own rows that are a segment. */
export interface StagedRows {
  readonly segment: Segment;
  readonly start: number;
  /** A commit has stored its manifest. */
  adopted: boolean;
}

/** Own rows in memory, one after another, that are to become a segment. */
interface Piece {
  readonly start: number;
  readonly runs: readonly Run[];
}

interface OwnHead {
  readonly head: Head;
  readonly start: number;
}

interface OwnBatch {
  readonly batch: RowBatch;
  readonly start: number;
  readonly bytes: number;
}

export class Overlay {
  readonly slot: Slot;
  /** Deleted rows of the committed state, with the clock of their deletion. */
  readonly deletedBase = new Map<number, number>();
  /** The same rows in the order they were deleted in; taken back from its end. */
  readonly #deletions: number[] = [];
  /** The committed runs without the first so many of them, as last asked for. */
  #shown: { readonly base: readonly Run[]; readonly count: number; readonly runs: readonly Run[] } | null =
    null;
  /** Own rows that are gone again. */
  readonly deletedOwn = new OwnDeletes();
  /** Own rows by unique key (`UniqueKey.id`), rows of a statement that is claiming keys included. */
  readonly keys = new Map<string, KeyTable>();
  /**
   * Positions of own rows whose key in a deferrable index (`UniqueKey.id`) another row may have had when they
   * came: who comes later looks again, at the end of the statement or of the transaction.
   */
  readonly doubtful = new Map<string, Set<number>>();
  /** Positions of own rows by the numbers of the rows, deleted here, whose new versions they are. */
  readonly replacedBy = new Map<number, number>();
  /** The other way round, by position; -1: new rows. */
  #replaces = new Float64Array(0);
  /** In order: what is staged, then batches that are not. */
  readonly stagedRows: StagedRows[] = [];
  readonly batches: OwnBatch[] = [];
  rowCount = 0;
  clock = 0;
  /** Clock of TRUNCATE; Infinity: the committed rows are there. */
  truncated = Number.POSITIVE_INFINITY;
  dropped = false;
  /** Bytes that the memory has been told of. */
  measured = 0;
  readonly #settings: EngineSettings;
  /** Own rows made readable, when first read. */
  readonly #heads: OwnHead[] = [];
  /** Batches that are. */
  #readable = 0;
  #batchBytes = 0;
  #headBytes = 0;
  #ended = false;
  /** A statement wrote to it, whatever it found. */
  touched = false;

  /** @param settings of the engine: how large heads become. */
  constructor(slot: Slot, settings: EngineSettings) {
    this.slot = slot;
    this.#settings = settings;
  }

  mark(): OverlayMark {
    return { rowCount: this.rowCount, clock: this.clock };
  }

  /** True when the commit gives it an LSN. */
  get isNumbered(): boolean {
    return this.touched || !this.isEmpty;
  }

  get isEmpty(): boolean {
    return this.rowCount === 0 && this.deletedBase.size === 0 && this.truncated === Number.POSITIVE_INFINITY;
  }

  /** Bytes that it takes in memory. */
  get bytes(): number {
    let bytes = this.rowBytes + DELETED_BYTES * this.deletedBase.size + this.deletedOwn.bytes;
    bytes += this.#replaces.byteLength + REPLACED_BYTES * this.replacedBy.size;
    for (const table of this.keys.values()) bytes += table.bytes;
    for (const rows of this.doubtful.values()) bytes += DOUBTFUL_BYTES * rows.size;
    return bytes;
  }

  /** The part of these bytes that could be staged. */
  get rowBytes(): number {
    return this.#batchBytes + this.#headBytes;
  }

  /** True when any own row is there. */
  get hasRows(): boolean {
    return this.deletedOwn.count < this.rowCount;
  }

  add(batch: RowBatch): void {
    const bytes = batchBytes(batch);
    this.batches.push({ batch, start: this.rowCount, bytes });
    this.#batchBytes += bytes;
    this.rowCount += batch.length;
    this.clock++;
  }

  /** @returns those that were not deleted before. */
  delete(rowNumbers: Iterable<number>): number[] {
    const done: number[] = [];
    this.clock++;
    for (const row of rowNumbers) {
      if (row >= OWN_ROWS) {
        if (this.deletedOwn.has(row - OWN_ROWS)) continue;
        this.deletedOwn.add(row - OWN_ROWS, this.clock);
      } else {
        if (this.deletedBase.has(row)) continue;
        this.deletedBase.set(row, this.clock);
        this.#deletions.push(row);
      }
      done.push(row);
    }
    return done;
  }

  /** Takes back the newest deletions. */
  undelete(rowNumbers: readonly number[]): void {
    const before = this.deletedBase.size;
    for (const row of rowNumbers) {
      if (row >= OWN_ROWS) this.deletedOwn.remove(row - OWN_ROWS);
      else this.deletedBase.delete(row);
    }
    this.#deletions.length -= before - this.deletedBase.size;
    if (this.#shown !== null && this.#shown.count > this.#deletions.length) this.#shown = null;
  }

  /**
   * Takes back the last `count` own rows that were not taken back before.
   * @param position of the first. @returns segments that are no longer wanted.
   */
  withdraw(position: number, count: number): readonly number[] {
    this.deletedOwn.withdraw(position, position + count);
    this.withdrawKeys(position);
    this.#replaces.fill(-1, position);
    while ((this.batches.at(-1)?.start ?? -1) >= position) this.#batchBytes -= this.batches.pop()?.bytes ?? 0;
    this.#readable = Math.min(this.#readable, this.batches.length);
    while ((this.#heads.at(-1)?.start ?? -1) >= position) {
      this.#headBytes -= this.#heads.pop()?.head.bytes ?? 0;
    }
    const unwanted: number[] = [];
    while ((this.stagedRows.at(-1)?.start ?? -1) >= position) {
      const segment = this.stagedRows.pop()?.segment;
      if (segment !== undefined) unwanted.push(segment.manifest.segment);
      segment?.release();
    }
    return unwanted;
  }

  /** The own row at a position is the new version of a row deleted here. */
  replace(old: number, position: number): void {
    if (position >= this.#replaces.length) {
      const grown = new Float64Array(Math.max(256, this.rowCount, (this.#replaces.length * 5) / 4)).fill(-1);
      grown.set(this.#replaces);
      this.#replaces = grown;
    }
    this.#replaces[position] = old;
    this.replacedBy.set(old, position);
  }

  unreplace(old: number): void {
    this.replacedBy.delete(old);
  }

  /** Number of the committed row that a row is, or is a new version of; -1: it is new. */
  committedRow(row: number): number {
    let committed = row;
    while (committed >= OWN_ROWS) committed = this.#replaces[committed - OWN_ROWS] ?? -1;
    return committed;
  }

  keyTable(id: string): KeyTable {
    const known = this.keys.get(id);
    if (known !== undefined) return known;
    const table = new KeyTable();
    this.keys.set(id, table);
    return table;
  }

  /** Names of the rows' keys by unique key, where all of them have been claimed. */
  names(start: number, length: number): RowBatch['names'] {
    const names = new Map<string, Uint32Array>();
    for (const [id, table] of this.keys) {
      if (table.rowCount < start + length) continue;
      names.set(id, table.names.subarray(NAME_WORDS * start, NAME_WORDS * (start + length)));
    }
    return names;
  }

  /** Takes back the keys of rows from `position` on. */
  withdrawKeys(position: number): void {
    for (const table of this.keys.values()) table.truncate(position);
    for (const rows of this.doubtful.values()) {
      for (const row of rows) if (row >= position) rows.delete(row);
    }
  }

  seesBase(mark: OverlayMark): boolean {
    return mark.clock < this.truncated;
  }

  seesBaseRow(rowNumber: number, mark: OverlayMark): boolean {
    return (
      this.seesBase(mark) && !((this.deletedBase.get(rowNumber) ?? Number.POSITIVE_INFINITY) <= mark.clock)
    );
  }

  seesOwn(position: number, mark: OverlayMark): boolean {
    return position < mark.rowCount && this.deletedOwn.clock(position) > mark.clock;
  }

  /** Position of the own row with that key; -1: none. */
  ownRow(id: string, name: Uint32Array, mark: OverlayMark): number {
    const table = this.keys.get(id);
    let position = table?.newest(name, 0) ?? -1;
    while (position >= 0 && !this.seesOwn(position, mark)) position = table?.older(position) ?? -1;
    return position;
  }

  /** Positions of all own rows with that key, ascending: several where it is deferrable. */
  ownRows(id: string, name: Uint32Array, mark: OverlayMark): readonly number[] {
    const table = this.keys.get(id);
    const positions: number[] = [];
    for (let row = table?.newest(name, 0) ?? -1; row >= 0; row = table?.older(row) ?? -1) {
      if (this.seesOwn(row, mark)) positions.push(row);
    }
    return positions.reverse();
  }

  /** The committed runs without what is deleted here, then the own rows. */
  runs(base: readonly Run[], mark: OverlayMark): readonly Run[] {
    return [...(this.seesBase(mark) ? this.#baseRuns(base, mark) : []), ...this.#ownRuns(mark)];
  }

  /** About `bytes` of the oldest own rows in memory, one after another. They stay until `staged`. */
  oldest(bytes: number): Piece {
    this.#makeReadable(bytes);
    const runs: Run[] = [];
    const start = this.#heads[0]?.start ?? 0;
    let end = start;
    let size = 0;
    for (const own of this.#heads) {
      if (own.start !== end || size >= bytes) break;
      // Rows that come meanwhile begin a new one.
      own.head.frozen = true;
      runs.push({ source: own.head, rowCount: own.head.rowCount, visible: null });
      end += own.head.rowCount;
      size += own.head.bytes;
    }
    return { start, runs };
  }

  /** The rows of a piece are a segment by now. @returns false where nobody wants it any more. */
  staged(piece: Piece, segment: Segment): boolean {
    const [first] = piece.runs;
    if (this.#ended || this.#heads[0]?.head !== first?.source) {
      segment.release();
      return false;
    }
    const end = piece.start + segment.rowCount;
    this.stagedRows.push({ segment, start: piece.start, adopted: false });
    // Not released: the statement may be reading them.
    this.#heads.splice(0, piece.runs.length);
    this.#headBytes = this.#heads.reduce((sum, { head }) => sum + head.bytes, 0);
    let count = 0;
    while ((this.batches[count]?.start ?? end) < end) count++;
    for (const { bytes } of this.batches.splice(0, count)) this.#batchBytes -= bytes;
    this.#readable -= count;
    return true;
  }

  /** The transaction has ended. @returns segments that no commit has taken over. */
  release(): readonly number[] {
    this.#ended = true;
    for (const { head } of this.#heads) head.release();
    for (const { segment } of this.stagedRows) segment.release();
    const left = this.stagedRows.filter(({ adopted }) => !adopted);
    return left.map(({ segment }) => segment.manifest.segment);
  }

  /** Goes on from what an earlier statement saw of the same rows: a large DELETE is not gone through for each. */
  #baseRuns(base: readonly Run[], mark: OverlayMark): readonly Run[] {
    const count = this.#deletionsAt(mark);
    if (count === 0) return base;
    const known = this.#shown?.base === base && this.#shown.count <= count ? this.#shown : null;
    const from = known?.count ?? 0;
    const before = known?.runs ?? base;
    if (from === count) return before;
    const runs = this.#without(before, from, count);
    this.#shown = { base, count, runs };
    return runs;
  }

  /** Number of deletions that a mark sees: their clocks ascend. */
  #deletionsAt(mark: OverlayMark): number {
    const deletions = this.#deletions;
    if (mark.clock >= this.clock) return deletions.length;
    const clock = (place: number): number => this.deletedBase.get(deletions[place] as number) as number;
    return firstNot(0, deletions.length, (place) => clock(place) <= mark.clock);
  }

  #without(runs: readonly Run[], from: number, to: number): readonly Run[] {
    const hidden = new Map<Run, number[]>();
    for (let i = from; i < to; i++) {
      const place = findRow(runs, this.#deletions[i] as number);
      if (place === null) continue;
      const { run, position } = place;
      const positions = hidden.get(run);
      if (positions === undefined) hidden.set(run, [position]);
      else positions.push(position);
    }
    return runs.map((run) => withoutRows(run, hidden.get(run) ?? []));
  }

  #ownRuns(mark: OverlayMark): readonly Run[] {
    this.#makeReadable(Number.POSITIVE_INFINITY);
    const sources = [
      ...this.stagedRows.map(({ segment, start }) => ({ source: segment, start })),
      ...this.#heads.map(({ head, start }) => ({ source: head, start })),
    ];
    const runs: Run[] = [];
    for (const { source, start } of sources) {
      const rowCount = Math.min(source.rowCount, mark.rowCount - start);
      if (rowCount <= 0) break;
      runs.push({ source, rowCount, visible: this.deletedOwn.visible(start, rowCount, mark.clock) });
    }
    return runs;
  }

  /** @param bytes so many of them are enough. */
  #makeReadable(bytes: number): void {
    for (; this.#readable < this.batches.length && this.#headBytes < bytes; this.#readable++) {
      const { batch, start } = this.batches[this.#readable] as OwnBatch;
      let last = this.#heads.at(-1);
      const follows = last !== undefined && last.start + last.head.rowCount === start;
      if (last === undefined || !follows || !last.head.takes(batch, this.#settings)) {
        last = { head: new Head(), start };
        this.#heads.push(last);
      }
      const before = last.head.bytes;
      last.head.append(batch, OWN_ROWS + start);
      this.#headBytes += last.head.bytes - before;
    }
  }
}

function batchBytes({ columns, passages }: RowBatch): number {
  let bytes = 0;
  for (const { vector } of columns.values()) bytes += vectorBytes(vector);
  for (const rows of passages.values()) {
    for (const row of rows) bytes += row === null ? 0 : row.vectors.byteLength + row.spans.byteLength;
  }
  return bytes;
}
