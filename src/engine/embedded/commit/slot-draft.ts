/**
 * A round's draft of one slot: built up by the round's transactions in turn, then written to
 * the store, then published as the slot's next version.
 */
import type { Relation } from '../../../catalog/model.ts';
import { MARK_BYTES } from '../../../storage/seal.ts';
import type { Operation } from '../../../storage/store.ts';
import { columnByAttribute } from '../../../catalog/model.ts';
import { growVisible, hideBits } from '../../../types/column/bitset.ts';
import { vectorBytes } from '../../../types/held-bytes.ts';
import type { Vector } from '../../../types/column/vector.ts';
import { encodeChunk, haveOneShape, joinBatches, type RowBatch } from './chunk.ts';
import { convertVector } from '../segment/convert.ts';
import type { Database } from '../database.ts';
import { Head } from '../head/head.ts';
import { shownRows, withoutRows } from '../head/hidden-rows.ts';
import { type Append, JOINED_ROWS_MAX, type Written } from './journal.ts';
import type { LinkPart } from './link.ts';
import { DELETE_PAGE_ROWS, numberKey } from './records.ts';
import type { StagedRows } from '../transaction/overlay.ts';
import { Segment } from '../segment/segment.ts';
import { numberedFrom } from '../segment/manifest.ts';
import type { EngineSettings } from '../settings.ts';
import type { Run, Source } from '../head/source.ts';
import type { StorageChanges } from './storage-entries.ts';
import {
  findVisible,
  isDeleted,
  markDeleted,
  newStorage,
  type Slot,
  type Storage,
  type TableVersion,
} from '../head/table.ts';

/** So many rows of a table, new or gone, may be in a link. */
const SMALL_ROWS = 256;
/** New rows that are about as large are not tried as one: a link takes less, and encoding them takes time. */
const SMALL_BYTES = 256 * 1024;
/** Deleted rows between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 1024;
interface Adopted {
  readonly staged: StagedRows;
  /** Its rows with their lasting numbers. */
  readonly segment: Segment;
}

/** Runs to be replaced by one that holds the same rows. */
interface Swap {
  readonly sources: ReadonlySet<Source>;
  /** Null: none of the rows is left. */
  readonly replacement: Source | null;
}

export class SlotDraft {
  readonly slot: Slot;
  lsn: number;
  swap: Swap | null = null;
  readonly #database: Database;
  #exists: boolean;
  #fresh = false;
  #storage: Storage;
  #nextRow: number;
  #createdMs: number | undefined;
  #changedMs: number | undefined;
  #appends: Append[] = [];
  /** Rows that are stored already, though no table record counts them yet. */
  readonly #staged: Run[] = [];
  #stagedRows = 0;
  /** The write that is under way. */
  #staging: Promise<void> = Promise.resolve();
  /** Operations that stored them. */
  readonly stagedOperations: Operation[] = [];
  /** Segments that transactions have made of their rows. */
  #adopted: Adopted[] = [];
  /** Changes in the storage's entries; known with the table's record. */
  #changes: StorageChanges | undefined;
  #deleted: number[] = [];
  /** Records of what the journal held of the table. */
  #written: Written | null = null;
  readonly #pages = new Map<number, Uint8Array>();
  /** The rows added, readable, as far as somebody has asked. */
  readonly #added: Run[] = [];
  #addedBatches = 0;

  constructor(database: Database, slot: Slot) {
    const { newest } = slot;
    this.#database = database;
    this.slot = slot;
    this.lsn = newest.lsn;
    this.#exists = newest.exists;
    this.#storage = newest.storage;
    this.#nextRow = newest.nextRow;
    this.#createdMs = newest.createdMs;
    this.#changedMs = newest.changedMs;
    if (newest.storage.id === 0) this.#renew();
  }

  get storage(): Storage {
    return this.#storage;
  }

  get exists(): boolean {
    return this.#exists;
  }

  get nextRow(): number {
    return this.#nextRow;
  }

  /** Numbers of published rows deleted in this round. */
  get deleted(): readonly number[] {
    return this.#deleted;
  }

  /** True when a published row is deleted, in this round or before. */
  deletes(row: number): boolean {
    return isDeleted({ deletes: this.#pages }, row);
  }

  /** The rows added so far, before they are stored; for transactions that come later in the round. */
  get added(): readonly Run[] {
    for (; this.#addedBatches < this.#appends.length; this.#addedBatches++) {
      const { batch, firstRow } = this.#appends[this.#addedBatches] as Append;
      const readable = { batch: { ...batch, passages: new Map() }, firstRow };
      appendRows(this.#added, readable, this.#database.settings);
    }
    return sortRuns([...this.#added, ...this.#adoptedRuns()]);
  }

  #adoptedRuns(): Run[] {
    return this.#adopted.map(({ segment }) => wholeRun(segment, { deletes: this.#pages }));
  }

  /** It is written to once more. @returns the write's LSN. */
  write(): number {
    this.#changedMs = this.#database.nowMs();
    return ++this.lsn;
  }

  /** Empties the table: rows to come go to a new storage, the old one becomes garbage. */
  truncate(): void {
    this.#renew();
  }

  drop(): void {
    this.#renew();
    this.#exists = false;
  }

  /** @returns the number of the batch's first row. */
  append(batch: RowBatch): number {
    const firstRow = this.#nextRow;
    this.#nextRow += batch.length;
    this.#appends.push({ batch, firstRow });
    this.#begin();
    return firstRow;
  }

  /** Rows that are a segment already. @returns the number of the first. */
  adopt(staged: StagedRows): number {
    const firstRow = this.#nextRow;
    const { manifest } = staged.segment;
    this.#nextRow += manifest.rowCount;
    const segment = new Segment(this.#database, numberedFrom(manifest, firstRow));
    this.#adopted.push({ staged, segment });
    this.#begin();
    return firstRow;
  }

  delete(row: number): void {
    const page = Math.floor(row / DELETE_PAGE_ROWS);
    const before = this.#pages.has(page) ? undefined : this.#storage.deletes.get(page);
    if (before !== undefined) this.#pages.set(page, before.slice());
    markDeleted(this.#pages, row);
    this.#deleted.push(row);
  }

  /** True when all that it changes is rows of a table that is stored, and few of them. */
  get isSmall(): boolean {
    const isPlain = this.swap === null && this.#adopted.length === 0 && !this.#fresh;
    if (!isPlain || !this.slot.newest.exists) return false;
    let rows = this.#deleted.length;
    let bytes = 0;
    for (const { batch } of this.#appends) {
      rows += batch.length;
      if (rows > SMALL_ROWS) return false;
      for (const { vector } of batch.columns.values()) bytes += vectorBytes(vector);
      if (bytes > SMALL_BYTES) return false;
    }
    return rows <= SMALL_ROWS;
  }

  /** Its part of a link; only of a small one. */
  linkPart(relation: Relation | undefined): LinkPart {
    this.#appends = [...joinAppends(this.#appends, relation)];
    const chunks = this.#appends.map(({ batch, firstRow }) => ({ firstRow, plain: encodeChunk(batch) }));
    const { lsn } = this;
    const [nextRow, changedMs, deleted] = [this.#nextRow, this.#changedMs, this.#deleted];
    return { slot: this.slot.id, lsn, nextRow, changedMs, deleted, chunks };
  }

  /** It is in the journal now. */
  linked(): void {
    this.#database.journal.noteRows(this.slot, this.#appends, this.#deleted);
  }

  /**
   * Operations that store rows, those of the journal first, but for the table's record. Rows of a large commit
   * are stored here, in pieces, so that they are not in memory three times over; nobody sees them before the
   * table's record counts them.
   */
  async operations(relation: Relation | undefined, into: Operation[]): Promise<void> {
    const { journal, records, pause, settings } = this.#database;
    const storage = this.#storage.id;
    if (!this.#fresh) {
      const gone = this.swap?.sources ?? new Set();
      this.#written = await journal.written(this.slot, { gone, records, pause });
      for (const operation of this.#written.operations) into.push(operation);
    }
    const appends = this.#appends;
    this.#appends = [];
    let chunks: Operation[] = [];
    let bytes = 0;
    for (const append of joinAppends(appends, relation)) {
      const plain = encodeChunk(append.batch);
      chunks.push(records.putChunk(storage, append.firstRow, plain));
      this.#appends.push(append);
      bytes += plain.length;
      if (bytes >= settings.stagedBytes) {
        await this.#stage(chunks);
        chunks = [];
        bytes = 0;
      }
      await pause();
    }
    await this.#staging;
    for (const operation of chunks) into.push(operation);
    for (const [page, bits] of this.#pages) into.push(records.putDeletes(storage, page, bits));
    for (const { segment } of this.#adopted) {
      const { manifest } = segment;
      into.push(records.putJson('segments', numberKey(storage, manifest.segment), manifest));
    }
  }

  /** The table's record, with the marks of what is stored after `changes`. */
  record(relation: Relation | undefined, changes: StorageChanges | undefined): Operation {
    const { records } = this.#database;
    const { id, partition } = this.slot;
    this.#changes = changes;
    if (relation === undefined) return { kind: 'remove', space: 'tables', key: numberKey(id) };
    return records.putTable({
      slot: id,
      relation: this.slot.relation,
      partition,
      storage: this.#storage.id,
      exists: this.#exists,
      lsn: this.lsn,
      nextRow: this.#nextRow,
      ...(this.#createdMs !== undefined && { createdMs: this.#createdMs }),
      ...(this.#changedMs !== undefined && { changedMs: this.#changedMs }),
      entries: this.#storage.entries.marksWith(changes),
    });
  }

  async #stage(chunks: readonly Operation[]): Promise<void> {
    const { records, uncounted, pause, settings } = this.#database;
    for (const { space, key } of chunks) uncounted.push({ kind: 'remove', space, key });
    await this.#staging;
    await this.#database.reserve();
    // Goes on while the next rows are encoded; whoever waits for it hears of its end.
    this.#staging = records.store.write(chunks);
    this.#staging.catch(() => {});
    for (const chunk of chunks) this.stagedOperations.push(entryOf(chunk));
    const appends = this.#appends;
    this.#appends = [];
    for (const append of appends) {
      appendRows(this.#staged, append, settings);
      this.#stagedRows += append.batch.length;
      await pause();
    }
  }

  /** The record is stored, and all that it counts. */
  stored(): void {
    this.#storage.entries.apply(this.#changes);
    this.#written?.stored();
    for (const { staged } of this.#adopted) staged.adopted = true;
  }

  /** The next version, after the store has it all. Structures catch up here, in steps. */
  async version(relation: Relation | undefined, sequence: number): Promise<TableVersion> {
    const { newest } = this.slot;
    const storage = this.#storage;
    for (const [page, bits] of this.#pages) storage.deletes.set(page, bits);
    let runs = this.#fresh ? [] : [...newest.runs];
    if (this.swap !== null && !this.#fresh) runs = swapRuns(runs, this.swap, storage);
    const { pause, settings } = this.#database;
    let added = this.#stagedRows;
    for (const { segment } of this.#adopted) {
      runs.push({ source: segment, rowCount: segment.rowCount, visible: null });
      added += segment.rowCount;
    }
    const hidden = await hideRows(runs, this.#deleted, pause);
    const heads = new Set(this.#staged.map(({ source }) => source as Head));
    runs.push(...this.#staged);
    for (const append of this.#appends) {
      heads.add(appendRows(runs, append, settings));
      added += append.batch.length;
      await pause();
    }
    if (this.#adopted.length > 0) sortRuns(runs);
    for (const head of heads) if (relation !== undefined) await this.#index(relation, head);
    return {
      sequence,
      previous: null,
      exists: this.#exists,
      storage,
      runs,
      lsn: this.lsn,
      nextRow: this.#nextRow,
      createdMs: this.#createdMs,
      changedMs: this.#changedMs,
      rows: this.#fresh || this.swap !== null ? visibleRows(runs) : newest.rows - hidden + added,
    };
  }

  /**
   * The rows are stored by now: an index that cannot take them must not undo that. It is reported, and a query
   * that needs the index tries again and fails with the reason.
   */
  async #index(relation: Relation, head: Head): Promise<void> {
    const { records, pause, report } = this.#database;
    await head.catchUp(relation, records.names, pause).catch(report);
  }

  #begin(): void {
    if (!this.#exists) this.#createdMs = this.#database.nowMs();
    this.#exists = true;
  }

  #renew(): void {
    this.#fresh = true;
    this.#storage = newStorage(this.#database.newId());
    this.#appends = [];
    this.#adopted = [];
    this.#deleted = [];
    this.#pages.clear();
    this.#added.length = 0;
    this.#addedBatches = 0;
  }
}

/** A stored entry without its value, but for the mark. */
function entryOf(operation: Operation): Operation {
  return operation.kind === 'put' ? { ...operation, value: operation.value.slice(0, MARK_BYTES) } : operation;
}

/** Small batches of one shape are stored as one: those of transactions that wrote a row each. Empties the list. */
function* joinAppends(appends: Append[], relation: Relation | undefined): Generator<Append> {
  let group: RowBatch[] = [];
  let firstRow = 0;
  let rowCount = 0;
  for (let append = appends.shift(); append !== undefined; append = appends.shift()) {
    const batch = relation === undefined ? append.batch : inTypesOf(relation, append.batch);
    const [first] = group;
    const fits =
      first !== undefined &&
      firstRow + rowCount === append.firstRow &&
      rowCount + batch.length <= JOINED_ROWS_MAX &&
      haveOneShape(first, batch);
    if (!fits) {
      if (group.length > 0) yield { batch: joinBatches(group), firstRow };
      group = [];
      rowCount = 0;
      firstRow = append.firstRow;
    }
    group.push(batch);
    rowCount += batch.length;
  }
  if (group.length > 0) yield { batch: joinBatches(group), firstRow };
}

/** Vectors made for a type the catalog has changed since are converted. */
function inTypesOf(relation: Relation, batch: RowBatch): RowBatch {
  let columns: Map<number, { type: number; vector: Vector }> | null = null;
  for (const [attribute, { type, vector }] of batch.columns) {
    const wanted = columnByAttribute(relation, attribute)?.type.oid ?? type;
    if (wanted === type) continue;
    columns ??= new Map(batch.columns);
    columns.set(attribute, { type: wanted, vector: convertVector(vector, type, wanted) });
  }
  return columns === null ? batch : { ...batch, columns };
}

const visibleRows = (runs: readonly Run[]): number => runs.reduce((sum, run) => sum + shownRows(run), 0);

function swapRuns(runs: readonly Run[], swap: Swap, storage: Storage): Run[] {
  const at = runs.findIndex((run) => swap.sources.has(run.source));
  const kept = runs.filter((run) => !swap.sources.has(run.source));
  if (swap.replacement !== null) kept.splice(at, 0, wholeRun(swap.replacement, storage));
  return kept;
}

/** In order of their rows; heads that segments follow become segments, too. Sorts in place. */
export function sortRuns(runs: Run[]): Run[] {
  runs.sort((a, b) => firstRowOf(a) - firstRowOf(b));
  const last = runs.findLastIndex(({ source }) => source instanceof Segment);
  for (const { source } of runs.slice(0, Math.max(0, last))) if (source instanceof Head) source.frozen = true;
  return runs;
}

function firstRowOf({ source }: Run): number {
  return source instanceof Segment ? source.manifest.firstRow : (source.rowNumbers[0] as number);
}

/** All rows of a source but those the storage has as deleted. */
export function wholeRun(source: Source, storage: Pick<Storage, 'deletes'>): Run {
  const rowCount = source.rowCount;
  if (storage.deletes.size === 0) return { source, rowCount, visible: null };
  const hidden: number[] = [];
  for (let i = 0; i < rowCount; i++) if (isDeleted(storage, source.rowNumbers[i] as number)) hidden.push(i);
  return { source, rowCount, visible: hideBits(null, rowCount, hidden) };
}

/** @returns how many of the rows were visible. */
async function hideRows(
  runs: Run[],
  rowNumbers: readonly number[],
  pause: () => Promise<void>,
): Promise<number> {
  const hidden = new Map<Source, number[]>();
  let count = 0;
  for (let i = 0; i < rowNumbers.length; i++) {
    if (i % STEP_ROWS === STEP_ROWS - 1) await pause();
    const place = findVisible(runs, rowNumbers[i] as number);
    if (place === null) continue;
    const positions = hidden.get(place.run.source);
    if (positions === undefined) hidden.set(place.run.source, [place.position]);
    else positions.push(place.position);
    count++;
  }
  if (count === 0) return 0;
  runs.forEach((run, i) => {
    const positions = hidden.get(run.source);
    if (positions !== undefined) runs[i] = withoutRows(run, positions);
  });
  return count;
}

/** @returns the head that took the rows: the last one, or a new one behind it. */
function appendRows(runs: Run[], { batch, firstRow }: Append, settings: EngineSettings): Head {
  const last = runs[runs.length - 1];
  const head = last?.source;
  const isNext = head instanceof Head && head.isFollowedBy(firstRow);
  if (last !== undefined && isNext && head.takes(batch, settings)) {
    const before = last.rowCount;
    head.append(batch, firstRow);
    const rowCount = before + batch.length;
    runs[runs.length - 1] = {
      source: head,
      rowCount,
      visible: growVisible(last.visible, before, rowCount),
    };
    return head;
  }
  const next = new Head();
  next.append(batch, firstRow);
  runs.push({ source: next, rowCount: batch.length, visible: null });
  return next;
}
