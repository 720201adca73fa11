/**
 * A store as slow as a disk: a write lasts from some moment on and is acknowledged later, one after another as
 * the writer of `lmdb-store.ts` does it. On request some writes fail, with nothing of them there.
 */
import { SqlError } from '../../src/errors.ts';
import { MemoryStore } from '../../src/storage/memory-store.ts';
import type { Operation } from '../../src/storage/store.ts';

export class SimulatedStore extends MemoryStore {
  #last: Promise<unknown> = Promise.resolve();
  readonly #fails: () => boolean;

  /** @param fails asked before each write. */
  constructor(image: ConstructorParameters<typeof MemoryStore>[0], fails: () => boolean) {
    super(image);
    this.#fails = fails;
  }

  override async write(operations: readonly Operation[]): Promise<void> {
    const written = this.#writeAfter(this.#last, operations);
    this.#last = written.catch(() => {});
    await written;
  }

  async #writeAfter(last: Promise<unknown>, operations: readonly Operation[]): Promise<void> {
    await last;
    if (this.#fails()) throw new SqlError('disk_full', 'could not write to file "simulated"');
    this.apply(operations);
  }
}
