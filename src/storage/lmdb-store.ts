/**
 * The store on disk: one LMDB file. Writes are queued to LMDB's own thread as one batch, which is one LMDB
 * transaction, and acknowledged after its flush, so neither commit nor fsync blocks the event loop.
 *
 * Traps (measurements.md): `put` resolves before the flush; `getBinaryFast` reuses a
 * buffer of false length, so `getBinary`, which copies; `encryptionKey` must not be used.
 */
import { existsSync } from 'node:fs';
import { type Database, open } from 'lmdb';
import { dataFilePath } from './master-key.ts';
import {
  type Entry,
  type KeyRange,
  type Operation,
  SPACES,
  type Space,
  type Store,
  storageError,
} from './store.ts';

type Bytes = Database<Buffer, Uint8Array>;

/** @throws SqlError io_error or data_corrupted naming the file. */
export function openLmdbStore(folder: string): Store {
  const path = dataFilePath(folder);
  try {
    const fresh = !existsSync(path);
    const db = open<Buffer, Uint8Array>({
      path,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSubdir: true,
      overlappingSync: false,
      maxDbs: 1,
      ...(fresh ? { pageSize: 4096 } : {}),
    });
    return new LmdbStore(path, db);
  } catch (error) {
    throw storageError(error, path);
  }
}

class LmdbStore implements Store {
  readonly name: string;
  readonly #db: Bytes;

  constructor(name: string, db: Bytes) {
    this.name = name;
    this.#db = db;
  }

  get(space: Space, key: Uint8Array): Uint8Array | undefined {
    try {
      const found = this.#db.getBinary(prefixed(space, key));
      return found === undefined ? undefined : new Uint8Array(found.buffer, found.byteOffset, found.length);
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  scan(space: Space, range: KeyRange): readonly Entry[] {
    try {
      const entries: Entry[] = [];
      for (const { key, value } of this.#db.getRange(bounds(space, range))) {
        entries.push({ key: new Uint8Array(key.subarray(1)), value: new Uint8Array(value) });
      }
      return entries;
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  scanKeys(space: Space, range: KeyRange): readonly Uint8Array[] {
    try {
      const keys: Uint8Array[] = [];
      for (const key of this.#db.getKeys(bounds(space, range))) keys.push(new Uint8Array(key.subarray(1)));
      return keys;
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  async write(operations: readonly Operation[]): Promise<void> {
    try {
      const results: Promise<boolean>[] = [];
      const batch = this.#db.batch(() => {
        for (const operation of operations) results.push(this.#queue(operation));
      });
      await Promise.all([batch, ...results]);
      await this.#db.flushed;
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  #queue(operation: Operation): Promise<boolean> {
    const key = prefixed(operation.space, operation.key);
    if (operation.kind === 'remove') return this.#db.remove(key);
    const { buffer, byteOffset, byteLength } = operation.value;
    return this.#db.put(key, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
  }
}

function prefixed(space: Space, key: Uint8Array): Uint8Array {
  const whole = Buffer.allocUnsafe(key.length + 1);
  whole[0] = SPACES[space];
  whole.set(key, 1);
  return whole;
}

function bounds(space: Space, range: KeyRange): { start: Uint8Array; end: Uint8Array; limit?: number } {
  const start = prefixed(space, range.from ?? new Uint8Array(0));
  const end = range.to === undefined ? Uint8Array.of(SPACES[space] + 1) : prefixed(space, range.to);
  return range.limit === undefined ? { start, end } : { start, end, limit: range.limit };
}
