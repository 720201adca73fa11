/**
 * A transaction's own writes to one slot, until it commits: rows added, rows of the committed state deleted,
 * keys taken. Own rows have provisional numbers from OWN_ROWS on; they get their lasting ones at commit.
 *
 * A snapshot remembers how far the overlay had come (`OverlayMark`), so that a statement does not see what
 * it writes itself.
 */
import { NAME_WORDS } from '../../../storage/seal.ts';
import { clearBit, fullBits } from '../../../types/column/bitset.ts';
import type { RowBatch } from '../commit/chunk.ts';
import { Head } from '../head/head.ts';
import { KeyTable } from '../keys/key-table.ts';
import type { EngineSettings } from '../settings.ts';
import type { Run } from '../head/source.ts';
import { findRow, type Slot } from '../head/table.ts';

export const OWN_ROWS = 2 ** 50;

export interface OverlayMark {
  readonly rowCount: number;
  readonly clock: number;
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
  /** Positions of own rows deleted again, with the clock. */
  readonly deletedOwn = new Map<number, number>();
  /** Own rows by unique key (`UniqueKey.id`), rows of a statement that is claiming keys included. */
  readonly keys = new Map<string, KeyTable>();
  /**
   * Positions of own rows whose key in a deferrable index (`UniqueKey.id`) another row may have had when they
   * came: who comes later looks again, at the end of the statement or of the transaction.
   */
  readonly doubtful = new Map<string, Set<number>>();
  /** Positions of own rows by the numbers of the rows, deleted here, whose new versions they are. */
  readonly replacedBy = new Map<number, number>();
  /** The other way round. */
  readonly #replaces = new Map<number, number>();
  readonly batches: { readonly batch: RowBatch; readonly start: number }[] = [];
  rowCount = 0;
  clock = 0;
  /** Clock of TRUNCATE; Infinity: the committed rows are there. */
  truncated = Number.POSITIVE_INFINITY;
  dropped = false;
  readonly #settings: EngineSettings;
  /** Own rows made readable, when first read. */
  readonly #heads: { readonly head: Head; readonly start: number }[] = [];
  /** Batches that are. */
  #readable = 0;

  /** @param settings of the engine: how large heads become. */
  constructor(slot: Slot, settings: EngineSettings) {
    this.slot = slot;
    this.#settings = settings;
  }

  mark(): OverlayMark {
    return { rowCount: this.rowCount, clock: this.clock };
  }

  get isEmpty(): boolean {
    return this.rowCount === 0 && this.deletedBase.size === 0 && this.truncated === Number.POSITIVE_INFINITY;
  }

  add(batch: RowBatch): void {
    this.batches.push({ batch, start: this.rowCount });
    this.rowCount += batch.length;
    this.clock++;
  }

  /** @returns those that were not deleted before. */
  delete(rowNumbers: Iterable<number>): number[] {
    const done: number[] = [];
    this.clock++;
    for (const row of rowNumbers) {
      const [deleted, key] = row >= OWN_ROWS ? [this.deletedOwn, row - OWN_ROWS] : [this.deletedBase, row];
      if (deleted.has(key)) continue;
      deleted.set(key, this.clock);
      if (deleted === this.deletedBase) this.#deletions.push(row);
      done.push(row);
    }
    return done;
  }

  /** Takes back the newest deletions. */
  undelete(rowNumbers: readonly number[]): void {
    const before = this.deletedBase.size;
    for (const row of rowNumbers) {
      if (row >= OWN_ROWS) this.deletedOwn.delete(row - OWN_ROWS);
      else this.deletedBase.delete(row);
    }
    this.#deletions.length -= before - this.deletedBase.size;
    if (this.#shown !== null && this.#shown.count > this.#deletions.length) this.#shown = null;
  }

  /** The row of a number, deleted here, has its new version at a position. */
  replace(old: number, position: number): void {
    this.replacedBy.set(old, position);
    this.#replaces.set(position, old);
  }

  unreplace(old: number): void {
    const position = this.replacedBy.get(old);
    if (position !== undefined) this.#replaces.delete(position);
    this.replacedBy.delete(old);
  }

  /** Number of the committed row that a row is, or is a new version of; -1: it is new. */
  committedRow(row: number): number {
    let committed = row;
    while (committed >= OWN_ROWS) committed = this.#replaces.get(committed - OWN_ROWS) ?? -1;
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
    return (
      position < mark.rowCount && !((this.deletedOwn.get(position) ?? Number.POSITIVE_INFINITY) <= mark.clock)
    );
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

  release(): void {
    for (const { head } of this.#heads) head.release();
  }

  /** What an earlier statement saw of the same rows is gone on from: a large DELETE is not gone through for each. */
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
    let low = 0;
    let high = this.#deletions.length;
    if (mark.clock >= this.clock) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      const clock = this.deletedBase.get(this.#deletions[middle] as number) as number;
      if (clock <= mark.clock) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #without(runs: readonly Run[], from: number, to: number): readonly Run[] {
    const hidden = new Map<Run, Uint32Array>();
    for (let i = from; i < to; i++) {
      const place = findRow(runs, this.#deletions[i] as number);
      if (place === null) continue;
      const { run, position } = place;
      const bits = hidden.get(run) ?? run.visible?.slice() ?? fullBits(run.rowCount);
      hidden.set(run, bits);
      clearBit(bits, position);
    }
    return runs.map((run) => {
      const visible = hidden.get(run);
      return visible === undefined ? run : { ...run, visible };
    });
  }

  #ownRuns(mark: OverlayMark): readonly Run[] {
    this.#makeReadable();
    const runs: Run[] = [];
    for (const { head, start } of this.#heads) {
      const rowCount = Math.min(head.rowCount, mark.rowCount - start);
      if (rowCount <= 0) break;
      runs.push({ source: head, rowCount, visible: this.#visibleOwn(start, rowCount, mark) });
    }
    return runs;
  }

  #visibleOwn(start: number, rowCount: number, mark: OverlayMark): Uint32Array | null {
    let visible: Uint32Array | null = null;
    for (const [position, clock] of this.deletedOwn) {
      if (clock > mark.clock || position < start || position >= start + rowCount) continue;
      visible ??= fullBits(rowCount);
      clearBit(visible, position - start);
    }
    return visible;
  }

  #makeReadable(): void {
    for (; this.#readable < this.batches.length; this.#readable++) {
      const { batch, start } = this.batches[this.#readable] as { batch: RowBatch; start: number };
      let last = this.#heads[this.#heads.length - 1];
      if (last === undefined || !last.head.takes(batch, this.#settings)) {
        last = { head: new Head(), start };
        this.#heads.push(last);
      }
      last.head.append(batch, OWN_ROWS + start);
    }
  }
}
