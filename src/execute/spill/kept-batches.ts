/**
 * Batches that are kept in the order they came, to be read any number of times: in memory as far as `work_mem` goes, in a
 * file past it.
 */
import type { Batch } from '../../types/column/vector.ts';
import type { Account } from '../account.ts';
import { bytesOf, HeldRows } from '../held-rows.ts';
import type { SpilledBatches, SpillSpace } from './space.ts';

export class KeptBatches implements Disposable {
  readonly #space: SpillSpace;
  readonly #held: HeldRows;
  /** Batches, or their numbers in the file. */
  readonly #places: (Batch | number)[] = [];
  readonly #owned: Disposable | null;
  #file: SpilledBatches | null = null;

  /** @param owned ends with it: the account, where it is of nothing else. */
  constructor(space: SpillSpace, account: Account, owned: Disposable | null = null) {
    this.#space = space;
    this.#owned = owned;
    this.#held = new HeldRows(account);
  }

  get count(): number {
    return this.#places.length;
  }

  /** One at a time. @throws SqlError 53100, 53400, 58030 */
  add(batch: Batch): void | Promise<void> {
    const bytes = bytesOf(batch);
    if (this.#file !== null || !this.#held.hasRoom(bytes, this.#space.memoryBytes)) return this.#write(batch);
    this.#held.addBytes(bytes);
    this.#places.push(batch);
  }

  async #write(batch: Batch): Promise<void> {
    this.#file ??= await this.#space.open();
    this.#places.push(await this.#file.write(batch));
  }

  /** @param i below `count`. */
  get(i: number): Batch | Promise<Batch> {
    const place = this.#places[i] as Batch | number;
    return typeof place === 'number' ? (this.#file as SpilledBatches).read(place) : place;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#file?.[Symbol.dispose]();
    this.#file = null;
    this.#places.length = 0;
    this.#owned?.[Symbol.dispose]();
  }
}
