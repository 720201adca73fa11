/**
 * The engine's state in memory: slots with their versions, the newest catalog, who reads what. Only the
 * commit queue changes it; snapshots read it by sequence number.
 */
import type { Catalog, Relation } from '../../catalog/model.ts';
import type { Operation } from '../../storage/store.ts';
import type { RowMask } from '../engine.ts';
import { Analyses } from './analyses.ts';
import { IndexAges } from './head/index-ages.ts';
import { Head } from './head/head.ts';
import { LockTable } from './locks/locks.ts';
import { EnginePart, PartMasks } from './head/part.ts';
import { Memory } from './memory.ts';
import { Journal } from './commit/journal.ts';
import type { Records } from './commit/records.ts';
import type { EngineSettings } from './settings.ts';
import { Sequences } from './transaction/sequences.ts';
import type { Run, Source } from './head/source.ts';
import { Sealings } from './commit/sealings.ts';
import { Successors } from './commit/successors.ts';
import { cutVersions, newStorage, type Slot, type TableVersion, versionAt } from './head/table.ts';

/** Visible rows and rows ever written of a relation, all partitions together. */
export interface RowTotals {
  rows: number;
  written: number;
}

/** Work beside commits and queries, which the state sets off. */
export interface BackgroundWork {
  /** Gives the event loop a turn when it is time. */
  readonly pause: () => Promise<void>;
  /** Unix time in ms. */
  readonly nowMs: () => number;
  /** Hears of work that failed and that nobody waits for; the data is safe. */
  readonly report: (error: unknown) => void;
  /** Makes segments of heads; false when nothing is under way that would give memory back. */
  readonly relieve: () => boolean;
  /** No snapshot reads the source any more. */
  readonly retired: (source: Source) => void;
  /** No snapshot reads the storage any more. */
  readonly garbage: (storage: number) => void;
}

export class Database {
  readonly records: Records;
  readonly journal: Journal;
  readonly settings: EngineSettings;
  readonly memory: Memory;
  readonly locks: LockTable;
  readonly successors = new Successors();
  readonly sequences: Sequences;
  readonly analyses: Analyses;
  readonly indexAges = new IndexAges();
  readonly sealings = new Sealings();
  readonly pause: () => Promise<void>;
  readonly nowMs: () => number;
  readonly report: (error: unknown) => void;
  readonly #work: BackgroundWork;
  catalog: Catalog;
  /** The number of the newest published commit. */
  sequence = 1;
  /** Views of runs made so far. */
  #partCount = 0;
  readonly #narrowedParts = new WeakMap<RowMask, EnginePart>();
  readonly #slots = new Map<number, Map<string | null, Slot>>();
  /** By relation, so that a statement's estimate does not go through ten thousand partitions. */
  readonly #totals = new Map<number, RowTotals>();
  /** Slots with versions that older snapshots may read. */
  readonly #chained = new Set<Slot>();
  readonly #live = new Map<number, number>();
  #retired: { readonly sequence: number; readonly release: () => void }[] = [];
  #nextId: number;
  /**
   * Removes rows that are stored, though no table record counts them: those of a round that is under way, or
   * that failed, or that a crash ended. The next round does so, before it uses their row numbers again.
   */
  uncounted: Operation[] = [];

  constructor(records: Records, settings: EngineSettings, catalog: Catalog, work: BackgroundWork) {
    this.records = records;
    this.#nextId = records.root.record.nextId;
    this.journal = new Journal(settings);
    this.sequences = new Sequences(records, this.journal);
    this.analyses = new Analyses(records);
    this.settings = settings;
    this.locks = new LockTable(settings.singleLocks);
    this.memory = new Memory(settings.memoryBytes, {
      staged: settings.ownBytes,
      pinned: () => this.#headBytes(),
      relieve: work.relieve,
    });
    this.catalog = catalog;
    this.#work = work;
    this.pause = work.pause;
    this.nowMs = work.nowMs;
    this.report = work.report;
  }

  /** Numbers for slots, storages and segments; each is used once, also over restarts. */
  newId(): number {
    return this.#nextId++;
  }

  /** Numbers below this are used. */
  get usedIds(): number {
    return this.#nextId;
  }

  /** Something is to be stored ahead of its commit: only with numbers that never come again. */
  get needsReserve(): boolean {
    return this.records.root.isShort(this.#nextId);
  }

  /** Only the round that runs may do so. */
  async reserve(): Promise<void> {
    if (this.needsReserve) await this.records.root.commit([], this.#nextId);
  }

  /**
   * The snapshots' view of a run, remembered by its source. Not in a WeakMap by runs: what that holds leads back to
   * its key, so that bits of every commit, 125 KB of a million rows, stayed until V8 looked at all of its memory.
   */
  part(relation: Relation, run: Run): EnginePart {
    const known = run.source.part;
    if (known?.run === run && known.relation === relation) return known;
    const part = new EnginePart(relation, run, new PartMasks(this.memory.masks, this.#partCount++));
    run.source.part = part;
    return part;
  }

  /** The part with fewer visible rows; one for each mask, so that what is kept of it is found again. */
  narrowedPart(part: EnginePart, mask: RowMask): EnginePart {
    const { run, relation } = part;
    const isWhole = run.visible === null ? mask.count === run.rowCount : mask.bits === run.visible;
    if (isWhole) return part;
    const known = this.#narrowedParts.get(mask);
    if (known?.run.source === run.source && known.relation === relation) return known;
    const masks = new PartMasks(this.memory.masks, this.#partCount++);
    const shown = { ...run, visible: mask.bits };
    const shared = relation.sharedStatistics === true ? [part.counted] : [];
    const narrowed = new EnginePart(relation, shown, masks, ...shared);
    this.#narrowedParts.set(mask, narrowed);
    return narrowed;
  }

  slot(relation: number, partition: string | null): Slot | undefined {
    return this.#slots.get(relation)?.get(partition);
  }

  slots(relation: number): Iterable<Slot> {
    return this.#slots.get(relation)?.values() ?? [];
  }

  totals(relation: number): Readonly<RowTotals> {
    return this.#totals.get(relation) ?? { rows: 0, written: 0 };
  }

  *allSlots(): Generator<Slot> {
    for (const slots of this.#slots.values()) yield* slots.values();
  }

  /** The slot, made when it is not there; it exists for readers from its first commit on. */
  openSlot(relation: number, partition: string | null): Slot {
    const known = this.slot(relation, partition);
    if (known !== undefined) return known;
    const newest: TableVersion = {
      sequence: 0,
      previous: null,
      exists: false,
      storage: newStorage(0),
      runs: [],
      lsn: 0,
      nextRow: 0,
      rows: 0,
    };
    return this.addSlot({
      id: this.newId(),
      relation,
      partition,
      newest,
      waiters: new Set(),
      writers: new Map(),
    });
  }

  addSlot(slot: Slot): Slot {
    const slots = this.#slots.get(slot.relation) ?? new Map<string | null, Slot>();
    this.#slots.set(slot.relation, slots);
    slots.set(slot.partition, slot);
    this.#count(slot.relation, slot.newest, 1);
    return slot;
  }

  version(relation: number, partition: string | null, sequence: number): TableVersion | null {
    const slot = this.slot(relation, partition);
    const version = slot === undefined ? null : versionAt(slot, sequence);
    return version?.exists === true ? version : null;
  }

  /** A snapshot at `sequence` begins; `release` ends it. */
  hold(sequence: number): void {
    this.#live.set(sequence, (this.#live.get(sequence) ?? 0) + 1);
  }

  release(sequence: number): void {
    const count = (this.#live.get(sequence) ?? 1) - 1;
    if (count > 0) this.#live.set(sequence, count);
    else {
      this.#live.delete(sequence);
      this.#forget();
    }
  }

  /** Snapshots that are open, for tests. */
  get snapshots(): number {
    return [...this.#live.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Rows that are in no segment yet. */
  #headBytes(): number {
    let bytes = 0;
    for (const { newest } of this.allSlots()) {
      for (const { source } of newest.runs) if (source instanceof Head) bytes += source.bytes;
    }
    return bytes;
  }

  /** Makes a version the newest of its slot. The caller sets `sequence` when all of a commit are in. */
  publish(slot: Slot, version: TableVersion): void {
    const kept = new Set(version.runs.map((run) => run.source));
    for (const { source } of slot.newest.runs) {
      if (!kept.has(source)) this.#retire(version.sequence, () => this.#work.retired(source));
    }
    const { id } = slot.newest.storage;
    if (id !== 0 && id !== version.storage.id) this.#retire(version.sequence, () => this.#work.garbage(id));
    this.#count(slot.relation, slot.newest, -1);
    this.#count(slot.relation, version, 1);
    version.previous = slot.newest;
    slot.newest = version;
    this.#cut(slot, this.#oldest());
  }

  /** After a commit is published: wakes who waits for an LSN, forgets what nobody can see. */
  settle(slots: Iterable<Slot>): void {
    for (const slot of slots) {
      const waiters = [...slot.waiters];
      slot.waiters.clear();
      for (const wake of waiters) wake();
    }
    this.#forget();
  }

  /** True when a snapshot from before the newest commit is open. */
  get isReadInThePast(): boolean {
    return this.#oldest() < this.sequence;
  }

  #oldest(): number {
    let oldest = this.sequence;
    for (const sequence of this.#live.keys()) oldest = Math.min(oldest, sequence);
    return oldest;
  }

  #forget(): void {
    const oldest = this.#oldest();
    this.successors.prune(oldest);
    const gone = this.#retired.filter(({ sequence }) => sequence <= oldest);
    if (gone.length === 0) return;
    this.#retired = this.#retired.filter(({ sequence }) => sequence > oldest);
    for (const slot of this.#chained) this.#cut(slot, oldest);
    for (const { release } of gone) release();
  }

  #cut(slot: Slot, oldest: number): void {
    cutVersions(slot, oldest);
    if (slot.newest.previous === null) this.#chained.delete(slot);
    else this.#chained.add(slot);
  }

  #count(relation: number, { exists, rows, nextRow }: TableVersion, sign: 1 | -1): void {
    if (!exists) return;
    const totals = this.#totals.get(relation) ?? { rows: 0, written: 0 };
    totals.rows += sign * rows;
    totals.written += sign * nextRow;
    this.#totals.set(relation, totals);
  }

  #retire(sequence: number, release: () => void): void {
    this.#retired.push({ sequence, release });
  }
}
