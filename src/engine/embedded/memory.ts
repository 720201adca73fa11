/**
 * Memory of segments, bounded together: columns with their orders, search structures and tables of keys
 * that can be brought from disk again, and caches of single blocks, for sections that are read in ranges, and of
 * filters' masks. What was not used for the longest goes first; a reader that still has it keeps it until it is
 * done.
 */
import { setTimeout } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { CacheFact } from '../../catalog/system/context.ts';
import type { MemoryPool, RowMask } from '../engine.ts';
import { IdleCollection } from './idle-collection.ts';
import { SqlError } from '../../errors.ts';
import { BoundedCache } from '../../bounded-cache.ts';

/** An order is what is made of a column: its rows by their values, or bounds of these. */
type ResidentKind = 'column' | 'order' | 'structure' | 'key table';

/** Something in memory that can be brought there again. */
export interface Resident {
  readonly kind: ResidentKind;
  readonly bytes: number;
  /** Lets go of it. */
  drop(): void;
}

interface Counts {
  hits: number;
  misses: number;
  evictions: number;
}

/** Single blocks get this share of the memory; the operating system keeps the file's pages besides. */
const BLOCKS_SHARE = 1 / 8;
const BLOCKS_BYTES_MAX = 256 * 1024 * 1024;
/** Masks of filters may take this share; each takes so much beside its bits. */
const MASKS_SHARE = 1 / 32;
const MASK_BYTES = 200;
/** Rows that are in memory only may take this share; writers wait for segments to be made of them. */
const HEADS_SHARE = 1 / 2;
/** Statements may hold this share together, and so much in a small server; past it they end with an error. */
const STATEMENTS_SHARE = 1 / 2;
const STATEMENTS_BYTES_MIN = 64 * 1024 * 1024;
/** Share of V8's heap for entries that lie there, as the process ends when it is full. */
const HEAP_SHARE = 1 / 2;
/**
 * Share for the writes of transactions that have not ended, and the least in a small server. Past
 * the next one the rows among that are written ahead; keys and numbers of rows stay.
 */
const OWN_SHARE = 1 / 2;
const OWN_BYTES_MIN = 32 * 1024 * 1024;
const STAGED_SHARE = 1 / 8;
const STAGED_BYTES_MIN = 4 * 1024 * 1024;
/** The part of what they may take from which on few rows are written ahead, too. */
const TIGHT_SHARE = 3 / 4;
/** How often heads are measured, in rows written, and how long a writer waits before it looks again. */
const MEASURED_ROWS = 256;
const WAIT_MS = 20;
/** Factor for what a head leaves to the garbage collector: itself, what its columns grew out of, chunks of commits. */
export const HEAD_GARBAGE = 3;
/** Memory announced to the garbage collector at a time. */
const ANNOUNCED_BYTES = 32 * 1024 * 1024;

/** Told what is claimed by now, in bytes, and what was released. */
interface Changed {
  claimed(bytes: number): void;
  released(bytes: number, left: number): void;
}

class StatementMemory implements MemoryPool {
  readonly limit: number;
  readonly #changed: Changed;
  #claimed = 0;

  constructor(limit: number, changed: Changed) {
    this.limit = limit;
    this.#changed = changed;
  }

  get claimed(): number {
    return this.#claimed;
  }

  claim(bytes: number): boolean {
    if (this.#claimed + bytes > this.limit) return false;
    this.#claimed += bytes;
    this.#changed.claimed(this.#claimed);
    return true;
  }

  release(bytes: number): void {
    this.#claimed -= bytes;
    if (bytes > 0) this.#changed.released(bytes, this.#claimed);
  }
}

/** Rows that are in memory only. They cannot go, so others make room. */
interface HeadMemory {
  /** Bytes of rows of open transactions that are not written ahead; null: a share. */
  readonly staged: number | null;
  /** Bytes that they take. */
  readonly pinned: () => number;
  /** Makes segments of them; false when nothing is under way that would give memory back. */
  readonly relieve: () => boolean;
}

/** Size of an entry, and what of that is known here. */
interface Measured {
  readonly bytes: number;
  measured: number;
}

/** Rows, keys and locks of transactions that have not ended. */
class OwnRows {
  /** Past this they end with an error. */
  readonly limit: number;
  /** Past this their rows are written ahead. */
  readonly staged: number;
  readonly #grown: () => void;
  #bytes = 0;

  /** @param grown called when they take more: others make room. */
  constructor(limit: number, staged: number, grown: () => void) {
    this.limit = limit;
    this.staged = staged;
    this.#grown = grown;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isLarge(): boolean {
    return this.#bytes > this.staged;
  }

  get isTight(): boolean {
    return this.#bytes > this.limit * TIGHT_SHARE;
  }

  measure(one: Measured): void {
    const { bytes } = one;
    this.#change(bytes - one.measured);
    one.measured = bytes;
  }

  /** It has ended. */
  forget(one: Measured): void {
    this.#change(-one.measured);
    one.measured = 0;
  }

  #change(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0 && this.isLarge) this.#grown();
  }

  /** @throws SqlError 53200 when they take more than they may. */
  requireRoom(): void {
    if (this.#bytes <= this.limit) return;
    const [held, limit] = [this.#bytes, this.limit].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MB`);
    throw new SqlError('out_of_memory', 'out of memory', {
      detail: `What transactions that have not ended have written would take ${held} of memory, of at most ${limit}.`,
      hint: 'Write fewer rows in one transaction, or start the server with more --memory.',
    });
  }
}

function statementsLimit(limit: number): number {
  const share = Math.max(limit * STATEMENTS_SHARE, STATEMENTS_BYTES_MIN);
  return Math.min(share, getHeapStatistics().heap_size_limit * HEAP_SHARE);
}

export class Memory {
  /** For everything that `Memory` knows of, in bytes. */
  readonly limit: number;
  readonly blocks: BoundedCache<number, Uint8Array>;
  /** Rows of parts that pass filters, by part and filter. */
  readonly masks: BoundedCache<string, RowMask>;
  readonly statements: StatementMemory;
  readonly own: OwnRows;
  readonly #collection = new IdleCollection();
  /** With the time of the last use. */
  readonly #residents = new Map<Resident, number>();
  readonly #counts: Record<ResidentKind, Counts> = {
    column: { hits: 0, misses: 0, evictions: 0 },
    order: { hits: 0, misses: 0, evictions: 0 },
    structure: { hits: 0, misses: 0, evictions: 0 },
    'key table': { hits: 0, misses: 0, evictions: 0 },
  };
  readonly #heads: HeadMemory;
  #bytes = 0;
  #clock = 0;
  #sections = 0;
  #unannounced = 0;
  #unmeasured = 0;

  constructor(limit: number, heads: HeadMemory) {
    this.limit = limit;
    this.#heads = heads;
    const staged = heads.staged ?? Math.max(limit * STAGED_SHARE, STAGED_BYTES_MIN);
    this.own = new OwnRows(Math.max(limit * OWN_SHARE, OWN_BYTES_MIN), staged, () => this.#makeRoom());
    this.blocks = new BoundedCache({
      sizeMax: Math.min(limit * BLOCKS_SHARE, BLOCKS_BYTES_MAX),
      sizeOf: (bytes) => bytes.length,
    });
    this.masks = new BoundedCache({
      sizeMax: limit * MASKS_SHARE,
      sizeOf: ({ bits }, key) => MASK_BYTES + 2 * key.length + bits.byteLength,
    });
    this.statements = new StatementMemory(statementsLimit(limit), {
      claimed: (bytes) => {
        this.#makeRoom();
        this.#collection.changed(bytes);
      },
      released: (bytes, left) => {
        this.announceGarbage(bytes);
        this.#collection.changed(left);
      },
    });
  }

  get pinned(): number {
    return this.#heads.pinned();
  }

  /**
   * Before `rows` more are taken: waits while heads take too much of the memory.
   * @throws the signal's reason, as when the statement has waited for too long.
   */
  room(rows: number, signal: AbortSignal): void | Promise<void> {
    this.#unmeasured += rows;
    if (this.#unmeasured < MEASURED_ROWS) return;
    this.#unmeasured = 0;
    if (this.#isTight) return this.#waitForRoom(signal);
  }

  get #isTight(): boolean {
    return this.pinned > this.limit * HEADS_SHARE;
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    while (this.#isTight && this.#heads.relieve()) {
      await setTimeout(WAIT_MS);
      signal.throwIfAborted();
    }
  }

  /** A number for a section whose blocks go through `blocks`. */
  newSection(): number {
    return this.#sections++;
  }

  /** It is in memory from now on. Others may be dropped for it, never itself. */
  add(resident: Resident): void {
    this.#counts[resident.kind].misses++;
    this.#residents.set(resident, ++this.#clock);
    this.#bytes += resident.bytes;
    while (this.free < 0 && this.#residents.size > 1) this.#evict();
  }

  /** Bytes that can come in before anything has to go. */
  get free(): number {
    return this.limit - this.blocks.sizeMax - this.pinned - this.#bytes - this.masks.size - this.held;
  }

  /** By statements and transactions. */
  get held(): number {
    return this.statements.claimed + this.own.bytes;
  }

  /** Others make room for what statements and transactions hold. */
  #makeRoom(): void {
    while (this.free < 0 && this.#residents.size > 0) this.#evict();
  }

  use(resident: Resident): void {
    this.#counts[resident.kind].hits++;
    this.#residents.set(resident, ++this.#clock);
  }

  /** It has gone by itself. */
  remove(resident: Resident): void {
    if (!this.#residents.delete(resident)) return;
    this.#bytes -= resident.bytes;
    this.announceGarbage(resident.bytes);
  }

  /**
   * Shared memory is not counted by V8's garbage collector, so it would not collect for its sake. It does
   * count plain memory, which costs nothing as long as nobody writes to it.
   */
  announceGarbage(bytes: number): void {
    this.#unannounced += bytes;
    for (; this.#unannounced >= ANNOUNCED_BYTES; this.#unannounced -= ANNOUNCED_BYTES) {
      new ArrayBuffer(ANNOUNCED_BYTES);
    }
  }

  figures(): readonly CacheFact[] {
    const kinds: readonly ResidentKind[] = ['column', 'order', 'structure', 'key table'];
    const residents = [...this.#residents.keys()];
    return [
      { kind: 'block', bytes: this.blocks.size, ...this.blocks.figures },
      ...kinds.map((kind) => {
        const some = residents.filter((resident) => resident.kind === kind);
        const bytes = some.reduce((sum, resident) => sum + resident.bytes, 0);
        return { kind, bytes, entries: some.length, ...this.#counts[kind] };
      }),
      { kind: 'mask', bytes: this.masks.size, ...this.masks.figures },
      { kind: 'statement', bytes: this.statements.claimed, entries: 0, hits: 0, misses: 0, evictions: 0 },
      { kind: 'transaction', bytes: this.own.bytes, entries: 0, hits: 0, misses: 0, evictions: 0 },
      { kind: 'head', bytes: this.pinned, entries: 0, hits: 0, misses: 0, evictions: 0 },
    ];
  }

  #evict(): void {
    let oldest: Resident | null = null;
    let used = Number.POSITIVE_INFINITY;
    for (const [resident, time] of this.#residents) {
      if (time < used) [oldest, used] = [resident, time];
    }
    if (oldest === null) return;
    this.#counts[oldest.kind].evictions++;
    this.remove(oldest);
    oldest.drop();
  }
}
