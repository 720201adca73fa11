/**
 * The life of the data keys (`key-ring.ts`): read at the start, once nobody else has the folder; made with new data and
 * for data of before; wrapped with another encryption key, which begins a new data key too; and the old ones
 * destroyed, when everything has been sealed anew.
 *
 * The file of them is always ahead of the root by one change at most: it is written first, then the root says that
 * it belongs to it, and only then a new data key is used. A start finishes what a crash left between the two.
 */
import { existsSync } from 'node:fs';
import { derivedContent, KeyRing, newContent, newKey, type RingContent } from './key-ring.ts';
import { dataFilePath, type MasterKey, type NextKey } from './master-key.ts';
import { readRing, ringPath, writeRing } from './ring-file.ts';
import { Turns } from './turns.ts';

/** The data that the keys are of. */
export interface KeyedData {
  readonly installation: string;
  /** Generation of the keys that belong to it; null: it is of before there were any in a file. */
  readonly generation: number | null;
  readonly epoch: number;
  /** From now on only keys of this generation belong to it, and nothing is sealed in an epoch before. Durable. */
  pin(generation: number, epoch: number): Promise<void>;
  /** Seals anew whatever is sealed in an epoch before. Resolves when there is nothing of it, and will not be. */
  sealAnew(epoch: number, signal: AbortSignal): Promise<void>;
}

/** A new data key begins so many epochs later: one may end by itself until the root knows. */
const EPOCHS_AHEAD = 2;

export class DataKeys {
  readonly #folder: string;
  readonly #master: MasterKey;
  #outer: Uint8Array;
  #ring: KeyRing | null = null;
  /** Changes are made one after the other. */
  readonly #turns = new Turns();

  constructor(folder: string, master: MasterKey) {
    this.#folder = folder;
    this.#master = master;
    this.#outer = master.bytes;
  }

  get ring(): KeyRing {
    if (this.#ring === null) throw new Error('data keys are not read yet');
    return this.#ring;
  }

  /** For whoever holds the folder's lock. @throws SqlError XX001, F0000 that names the file. */
  async load(): Promise<KeyRing> {
    const path = ringPath(this.#folder);
    const { bytes, next, mayBeNew } = this.#master;
    const found = await readRing(path, next === null ? [bytes] : [bytes, next]);
    if (found !== null) {
      this.#outer = found.key;
      this.#master.choose(found.key);
      this.#ring = new KeyRing(path, found.content);
    } else if (mayBeNew && !existsSync(dataFilePath(this.#folder))) {
      this.#ring = new KeyRing(path, newContent());
      await writeRing(path, this.#ring.content, bytes);
    } else {
      this.#ring = new KeyRing(path, derivedContent(bytes));
    }
    return this.#ring;
  }

  /** Data of before gets its file; a change that a crash interrupted is finished. */
  settle(data: KeyedData): Promise<void> {
    return this.#turns.run(() => this.#settle(data));
  }

  async #settle(data: KeyedData): Promise<void> {
    const { content } = this.ring;
    if (content.generation === 0) {
      await this.#write({ ...content, generation: 1, installation: data.installation });
    }
    if (data.generation !== this.ring.content.generation) await this.#pin(data);
  }

  /** The data keys are wrapped with another key, and a new one begins. Durable when it resolves. */
  rewrap(makeNext: () => NextKey | Promise<NextKey>, data: KeyedData): Promise<void> {
    return this.#turns.run(async () => {
      await this.#settle(data);
      const next = await makeNext();
      const { content } = this.ring;
      const begins = { from: data.epoch + EPOCHS_AHEAD, key: newKey() };
      const keys = [...content.data, begins];
      await this.#write({ ...content, generation: content.generation + 1, data: keys }, next.bytes);
      this.#outer = next.bytes;
      next.settle();
      await this.#pin(data);
    });
  }

  /**
   * Seals anew what is not under the newest data key, and destroys the others.
   * @returns false where there was one alone.
   * @param files writes anew what is sealed with data keys in files of its own.
   */
  async roll(data: KeyedData, files: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    let isChanged = false;
    while (this.ring.content.data.length > 1) {
      const from = this.ring.newest;
      await data.sealAnew(from, signal);
      await files();
      signal.throwIfAborted();
      await this.#turns.run(() => this.#destroyBefore(from, data));
      isChanged = true;
    }
    return isChanged;
  }

  async #destroyBefore(epoch: number, data: KeyedData): Promise<void> {
    await this.#settle(data);
    const { content } = this.ring;
    const kept = content.data.filter(({ from }) => from >= epoch);
    await this.#write({ ...content, generation: content.generation + 1, data: kept });
    await this.#pin(data);
  }

  #pin(data: KeyedData): Promise<void> {
    return data.pin(this.ring.content.generation, this.ring.newest);
  }

  async #write(content: RingContent, key = this.#outer): Promise<void> {
    await writeRing(ringPath(this.#folder), content, key);
    this.ring.use(content);
  }
}
