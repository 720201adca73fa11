/**
 * Seals anew what older data keys have sealed, so that they can be destroyed (`storage/data-keys.ts`). Blocks are written
 * again in their place, beside everything else: what is in them does not change, and no set counts them. All else is
 * counted by sets, so it goes through rounds of commits, in which whatever the round changes itself comes later and
 * wins. It looks again until nothing is found, and until nobody is under way who has sealed with an older key.
 */
import { SqlError } from '../../../errors.ts';
import { epochOf, markOf } from '../../../storage/seal.ts';
import type { Entry, Operation } from '../../../storage/store.ts';
import type { CommitQueue, Round } from '../commit/commit-queue.ts';
import { CHECK_KEY } from '../commit/format.ts';
import { numberKey, prefixRange } from '../commit/records.ts';
import { CATALOG_KEY, metaEntry } from '../commit/root.ts';
import { entryNumbers, type StorageSpace } from '../commit/storage-entries.ts';
import type { Database } from '../database.ts';
import type { Slot, TableVersion } from '../head/table.ts';
import type { Turns } from '../../../storage/turns.ts';

/** Sealed and written at a time: a commit that comes meanwhile waits for so much. */
const WRITE_BYTES = 2 * 1024 * 1024;
const KEYS_AT_A_TIME = 1000;
const STORAGE_SPACES = ['chunks', 'deletes', 'segments'] as const;

interface Surroundings {
  readonly database: Database;
  readonly queue: CommitQueue;
  /** Blocks are removed in turns with it: what has gone is not written again. */
  readonly removals: Turns;
}

export class SealAnew {
  readonly #surroundings: Surroundings;
  readonly #epoch: number;
  readonly #signal: AbortSignal;

  /** @param epoch of before it nothing is left. */
  constructor(surroundings: Surroundings, epoch: number, signal: AbortSignal) {
    this.#surroundings = surroundings;
    this.#epoch = epoch;
    this.#signal = signal;
  }

  /** @throws SqlError of the store, the signal's reason; it can be begun again at any time. */
  async run(): Promise<void> {
    const { sealings } = this.#surroundings.database;
    for (let isDone = false; !isDone; ) {
      await sealings.ended(this.#epoch, this.#signal);
      const counted = await this.#sealCounted();
      const blocks = await this.#sealBlocks();
      isDone = counted + blocks === 0;
    }
  }

  /** @returns values that were sealed anew. */
  async #sealCounted(): Promise<number> {
    let count = await this.#round((round) => this.#sealMeta(round));
    for (const slot of this.#surroundings.database.allSlots()) {
      await this.#surroundings.database.pause();
      while (this.#hasStale(slot)) count += await this.#round((round) => this.#sealSlot(round, slot));
    }
    return count;
  }

  /** @param seal puts what it seals in front of the round. @returns how many values those are. */
  async #round(seal: (round: Round) => readonly Operation[]): Promise<number> {
    const { queue, database } = this.#surroundings;
    this.#signal.throwIfAborted();
    let count = 0;
    await queue.submit({
      prepare: (round) => {
        const operations = seal(round);
        count = operations.length;
        round.operations.unshift(...operations);
        return () => {};
      },
    });
    await database.pause();
    return count;
  }

  /** The catalog and what lies beside it. The root is sealed with each commit. */
  #sealMeta(round: Round): readonly Operation[] {
    const { records } = this.#surroundings.database;
    const stale = records.store.scan('meta', {}).filter(({ value }) => this.#isStale(value));
    const operations = stale.flatMap((entry) => this.#sealedMeta(entry));
    if (operations.length > 0) round.changeRoot({});
    return operations;
  }

  #sealedMeta({ key, value }: Entry): readonly Operation[] {
    const { records } = this.#surroundings.database;
    if (CHECK_KEY.equals(key)) return records.keyedMarks;
    const entry = metaEntry(key);
    const { root } = records;
    const isCounted =
      entry === null
        ? CATALOG_KEY.equals(key) && markOf(value) === root.record.catalog
        : root[entry.set].term(entry.number) === records.cipher.terms([value])[0];
    return isCounted ? [records.sealAnew('meta', key, value)] : [];
  }

  #hasStale({ id, newest }: Slot): boolean {
    return this.#isRecordStale(id) || STORAGE_SPACES.some((space) => this.#stale(space, newest).length > 0);
  }

  #isRecordStale(slot: number): boolean {
    const record = this.#surroundings.database.records.store.borrow('tables', numberKey(slot));
    return record !== undefined && this.#isStale(record);
  }

  /** Some of what is stored of a table: all of it in one round would be too much where much is in its heads. */
  #sealSlot(round: Round, slot: Slot): readonly Operation[] {
    const { records } = this.#surroundings.database;
    const { newest } = slot;
    const draft = round.drafted(slot);
    // The round has emptied it.
    if (draft !== undefined && draft.storage.id !== newest.storage.id) return [];
    const operations: Operation[] = [];
    let bytes = 0;
    for (const space of STORAGE_SPACES) {
      for (const key of this.#stale(space, newest)) {
        const sealed = records.store.get(space, key);
        if (sealed === undefined || bytes >= WRITE_BYTES) break;
        operations.push(records.sealAnew(space, key, sealed));
        bytes += sealed.length;
      }
    }
    if (operations.length === 0 && !this.#isRecordStale(slot.id)) return [];
    round.changeRoot({});
    round.draft(slot);
    return operations;
  }

  /** Keys of a storage's entries to be sealed anew, as far as its record counts them. */
  #stale(space: StorageSpace, { storage }: TableVersion): readonly Uint8Array[] {
    const { store, cipher } = this.#surroundings.database.records;
    if (storage.id === 0) return [];
    return store.scanKeys(space, prefixRange(storage.id)).filter((key) => {
      const sealed = store.borrow(space, key);
      if (sealed === undefined || !this.#isStale(sealed)) return false;
      return storage.entries[space].term(entryNumbers(key).number) === cipher.terms([sealed])[0];
    });
  }

  #isStale(sealed: Uint8Array): boolean {
    return epochOf(sealed) < this.#epoch;
  }

  async #sealBlocks(): Promise<number> {
    const { database, removals } = this.#surroundings;
    let count = 0;
    for (let from: Uint8Array | null = new Uint8Array(0); from !== null; ) {
      this.#signal.throwIfAborted();
      const start: Uint8Array = from;
      const done = await removals.run(() => this.#sealBlocksFrom(start));
      count += done.count;
      from = done.next;
      await database.pause();
    }
    return count;
  }

  /** @returns where to go on; null: at no other block. */
  async #sealBlocksFrom(
    from: Uint8Array,
  ): Promise<{ readonly next: Uint8Array | null; readonly count: number }> {
    const { records } = this.#surroundings.database;
    const operations: Operation[] = [];
    let next: Uint8Array | null = null;
    let bytes = 0;
    for (const key of records.store.scanKeys('blocks', { from, limit: KEYS_AT_A_TIME })) {
      next = Buffer.concat([key, Uint8Array.of(0)]);
      const sealed = records.store.borrow('blocks', key);
      if (sealed === undefined || !this.#isStale(sealed)) continue;
      bytes += sealed.length;
      const operation = this.#sealedBlock(key, sealed);
      if (operation !== null) operations.push(operation);
      if (bytes >= WRITE_BYTES) break;
    }
    if (operations.length > 0) await records.store.write(operations);
    return { next, count: operations.length };
  }

  /** Null: it is damaged, which whoever reads it is told, now and later. */
  #sealedBlock(key: Uint8Array, sealed: Uint8Array): Operation | null {
    try {
      return this.#surroundings.database.records.sealAnew('blocks', key, sealed);
    } catch (error) {
      if (error instanceof SqlError && error.condition === 'data_corrupted') return null;
      throw error;
    }
  }
}
