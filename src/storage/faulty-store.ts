/**
 * A store that fails when told to, for tests of durability. It keeps two images: what reads see, and what is
 * flushed. A crash loses the difference.
 *
 * Every write passes three points: `before` (nothing happened), `unflushed` (readers see it, a crash loses
 * it), `flushed` (a crash keeps it, but nobody was told). A crashed store never answers again; `survivor()`
 * is what a restart finds.
 */
import { SqlError } from '../errors.ts';
import { MemoryStore } from './memory-store.ts';
import { type Entry, type KeyRange, type Operation, type Space, type Store, storageError } from './store.ts';

type FaultPoint = 'before' | 'unflushed' | 'flushed';

export type Fault =
  /** Writes number `at`, `at + 1`, … `at + count - 1` (from 0) fail and leave nothing. */
  | { readonly kind: 'error'; readonly at: number; readonly count: number; readonly code: 'ENOSPC' | 'EIO' }
  /** At point number `at` (three a write, from 0) the process is gone. */
  | { readonly kind: 'crash'; readonly at: number };

const POINTS: readonly FaultPoint[] = ['before', 'unflushed', 'flushed'];

export class FaultyStore implements Store {
  readonly name = 'faulty';
  readonly #seen: MemoryStore;
  readonly #durable: MemoryStore;
  #fault: Fault | null;
  #writes = 0;
  #crashed = false;

  constructor(start: MemoryStore, fault: Fault | null) {
    this.#seen = new MemoryStore(start.image());
    this.#durable = new MemoryStore(start.image());
    this.#fault = fault;
  }

  get(space: Space, key: Uint8Array): Uint8Array | undefined {
    return this.#seen.get(space, key);
  }

  borrow(space: Space, key: Uint8Array): Uint8Array | undefined {
    return this.#seen.borrow(space, key);
  }

  scan(space: Space, range: KeyRange): readonly Entry[] {
    return this.#seen.scan(space, range);
  }

  scanKeys(space: Space, range: KeyRange): readonly Uint8Array[] {
    return this.#seen.scanKeys(space, range);
  }

  async write(operations: readonly Operation[]): Promise<void> {
    const number = this.#writes++;
    await this.#pass(number, 'before');
    this.#raise(number);
    this.#seen.apply(operations);
    await this.#pass(number, 'unflushed');
    this.#durable.apply(operations);
    await this.#pass(number, 'flushed');
  }

  space(): { bytes: number; free: number } {
    return { bytes: 0, free: 0 };
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {}

  /** Writes begun so far. */
  get writes(): number {
    return this.#writes;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  setFault(fault: Fault | null): void {
    this.#fault = fault;
  }

  /** A store with what was flushed. */
  survivor(): MemoryStore {
    return new MemoryStore(this.#durable.image());
  }

  async #pass(write: number, point: FaultPoint): Promise<void> {
    await null;
    const crash = this.#fault?.kind === 'crash' && this.#fault.at === write * 3 + POINTS.indexOf(point);
    if (crash) this.#crashed = true;
    if (this.#crashed) await new Promise(() => {});
  }

  #raise(write: number): void {
    const fault = this.#fault;
    if (fault?.kind !== 'error' || write < fault.at || write >= fault.at + fault.count) return;
    if (fault.code === 'EIO') throw new SqlError('io_error', 'could not access file "faulty": EIO');
    throw storageError(new Error('ENOSPC: no space left on device'), this.name);
  }
}
