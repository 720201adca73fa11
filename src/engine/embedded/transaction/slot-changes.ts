/**
 * A table as the next transaction of a round of commits finds it, beside what a snapshot saw of it: which rows
 * have come and gone meanwhile. The newest version tells, with what the round adds; no log of writes is kept.
 */
import type { Relation } from '../../../catalog/model.ts';
import { hasBit } from '../../../types/column/bitset.ts';
import type { Database } from '../database.ts';
import type { EnginePart } from '../head/part.ts';
import type { SlotDraft } from '../commit/slot-draft.ts';
import type { Run } from '../head/source.ts';
import { findVisible, type Slot, type TableVersion } from '../head/table.ts';

/** More changed rows are not looked at one by one. */
const CHANGED_ROWS_MAX = 4_096;
/** Rows of a run that a merge has replaced since. */
const REPLACED_ROWS_MAX = 65_536;

/** Ascending positions of rows. */
export interface ChangedRows {
  readonly part: EnginePart;
  readonly rows: readonly number[];
}

export class SlotChanges {
  readonly #database: Database;
  readonly #now: TableVersion;
  readonly #draft: SlotDraft | undefined;
  /** Null: before the table's first write. */
  readonly #since: TableVersion | null;

  /** @param draft what the round makes of the slot so far. */
  constructor(
    database: Database,
    slot: Slot,
    { draft, since }: { readonly draft: SlotDraft | undefined; readonly since: TableVersion | null },
  ) {
    this.#database = database;
    this.#now = slot.newest;
    this.#draft = draft;
    this.#since = since;
  }

  /** Some transaction has written to the table. */
  get areThere(): boolean {
    return (this.#draft ?? this.#now).lsn !== (this.#since?.lsn ?? 0);
  }

  get ofExistence(): boolean {
    return (this.#draft ?? this.#now).exists !== (this.#since?.exists ?? false);
  }

  /** All rows there were are gone. */
  get isEmptied(): boolean {
    const before = this.#since?.storage.id ?? 0;
    return before !== 0 && before !== (this.#draft ?? this.#now).storage.id;
  }

  isGone(row: number): boolean {
    return findVisible(this.#now.runs, row) === null || this.#draft?.deletes(row) === true;
  }

  /** Runs that rows were added to, with older ones. */
  get grownRuns(): readonly Run[] {
    const first = this.#since?.nextRow ?? 0;
    const grown = this.#now.runs.filter((run) => run.rowCount > 0 && lastRow(run) >= first);
    return [...grown, ...(this.#draft?.added ?? [])];
  }

  /** Rows that came or went; null where they are too many, or hard to tell. */
  async rows(relation: Relation): Promise<readonly ChangedRows[] | null> {
    const { draft, since } = { draft: this.#draft, since: this.#since };
    const first = since?.nextRow ?? 0;
    const now = draft ?? this.#now;
    const removedInRound = draft?.deleted.length ?? 0;
    if (now.nextRow - first + removedInRound > CHANGED_ROWS_MAX) return null;
    const changed: ChangedRows[] = [];
    for (const run of this.grownRuns) {
      const rows = positionsFrom(run, first).filter((row) => !this.isDeletedInRound(run, row));
      changed.push({ part: this.#database.part(relation, run), rows });
    }
    let count = 0;
    for (const run of since?.runs ?? []) {
      const rows = await this.#removedFrom(run);
      if (rows === null) return null;
      count += rows.length;
      if (count > CHANGED_ROWS_MAX) return null;
      changed.push({ part: this.#database.part(relation, run), rows });
    }
    return changed.filter(({ rows }) => rows.length > 0);
  }

  isDeletedInRound({ source }: Run, position: number): boolean {
    return this.#draft?.deletes(source.rowNumbers[position] as number) === true;
  }

  /** Positions of the snapshot's rows that are not there any more. */
  async #removedFrom(run: Run): Promise<readonly number[] | null> {
    const now = this.#now.runs.find(({ source }) => source === run.source);
    if (now === undefined) return this.#removedByNumber(run);
    const removed = now.visible === run.visible ? [] : hiddenSince(run, now.visible);
    const draft = this.#draft;
    if (draft === undefined || draft.deleted.length === 0 || removed === null) return removed;
    for (const row of draft.deleted) {
      const place = findVisible([run], row);
      if (place !== null) removed.push(place.position);
    }
    return [...new Set(removed)].sort((a, b) => a - b);
  }

  /** Rows removed from a run that a merge has replaced, found by their numbers. */
  async #removedByNumber(run: Run): Promise<readonly number[] | null> {
    if (run.rowCount > REPLACED_ROWS_MAX) return null;
    const removed: number[] = [];
    for (let row = 0; row < run.rowCount; row++) {
      if (run.visible !== null && !hasBit(run.visible, row)) continue;
      if (this.isGone(run.source.rowNumbers[row] as number)) removed.push(row);
      if (row % 1_024 === 0) await this.#database.pause();
    }
    return removed;
  }
}

const lastRow = ({ source, rowCount }: Run): number => source.rowNumbers[rowCount - 1] as number;

/** Visible positions of rows whose number is at least `first`. */
function positionsFrom({ source, rowCount, visible }: Run, first: number): number[] {
  const positions: number[] = [];
  for (let row = rowCount - 1; row >= 0 && (source.rowNumbers[row] as number) >= first; row--) {
    if (visible === null || hasBit(visible, row)) positions.push(row);
  }
  return positions.reverse();
}

/** Positions that were visible and are not; null where they are many. */
function hiddenSince({ rowCount, visible: before }: Run, now: Uint32Array | null): number[] | null {
  const positions: number[] = [];
  if (now === null) return positions;
  for (let word = 0; word << 5 < rowCount; word++) {
    const gone = ((before === null ? 0xffffffff : (before[word] as number)) & ~(now[word] as number)) >>> 0;
    if (gone === 0) continue;
    for (let bit = 0; bit < 32 && (word << 5) + bit < rowCount; bit++) {
      if (((gone >>> bit) & 1) === 1) positions.push((word << 5) + bit);
    }
    if (positions.length > CHANGED_ROWS_MAX) return null;
  }
  return positions;
}
