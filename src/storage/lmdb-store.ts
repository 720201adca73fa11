/**
 * The store on disk: one LMDB file. The main thread reads it in place; writes go to a thread of their own,
 * so that no fsync blocks the event loop, and are acknowledged when they are on disk.
 */
import { existsSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { programFile } from '../program-file.ts';
import { takeTurn } from '../time-slice.ts';
import { WorkerCalls } from '../worker-calls.ts';
import { checkDataFile, draftPath, noteSize, removeDraft, replaceDataFile } from './data-file.ts';
import { borrowBinary, bytesInUse, copyInUse, type LmdbFile, openLmdbFile } from './lmdb.ts';
import { dataFilePath } from './master-key.ts';
import { packOperations } from './packed-operations.ts';
import {
  type Entry,
  type KeyRange,
  type Operation,
  SPACES,
  type Space,
  type Store,
  storageError,
} from './store.ts';

/** LMDB says EIO when a write came out short; with less space left than this the disk is full. */
const FULL_BYTES = 1024 * 1024;
/** The file's size is noted after this many writes. */
const WRITES_A_NOTE = 64;

/**
 * @param mayBeNew whether there may be no file yet.
 * @throws SqlError io_error or data_corrupted naming the file.
 */
export function openLmdbStore(folder: string, mayBeNew = true): Store {
  const path = dataFilePath(folder);
  try {
    removeDraft(path);
    checkDataFile(path, mayBeNew);
    // LMDB ends the process when it cannot make its file.
    if (!existsSync(path) && freeBytes(path) < FULL_BYTES) throw new Error('ENOSPC');
    return new LmdbStore(path, openLmdbFile(path));
  } catch (error) {
    throw storageError(error, path);
  }
}

class LmdbStore implements Store {
  readonly name: string;
  #file: LmdbFile;
  readonly #writer: WorkerCalls<readonly Uint8Array[], void>;
  #writes = 0;
  /** The file's size as it was noted last: the note is a file, and writing it blocks. */
  #noted = 0;
  /** Writes wait for it. */
  #compacting: Promise<void> | null = null;

  constructor(name: string, file: LmdbFile) {
    this.name = name;
    this.#file = file;
    this.#writer = new WorkerCalls(programFile('./lmdb-writer', import.meta.url), {
      workerData: { path: name },
    });
  }

  get(space: Space, key: Uint8Array): Uint8Array | undefined {
    try {
      const found = this.#file.getBinary(prefixed(space, key));
      return found === undefined ? undefined : new Uint8Array(found.buffer, found.byteOffset, found.length);
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  borrow(space: Space, key: Uint8Array): Uint8Array | undefined {
    try {
      return borrowBinary(this.#file, prefixed(space, key));
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  scan(space: Space, range: KeyRange): readonly Entry[] {
    try {
      const entries: Entry[] = [];
      for (const { key, value } of this.#file.getRange(bounds(space, range))) {
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
      for (const key of this.#file.getKeys(bounds(space, range))) keys.push(new Uint8Array(key.subarray(1)));
      return keys;
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  async write(operations: readonly Operation[]): Promise<void> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (const piece of packOperations(operations)) {
      if (pieces.length > 0) await takeTurn();
      pieces.push(piece);
      size += piece.length;
    }
    while (this.#compacting !== null) await this.#compacting;
    try {
      await this.#writer.call(
        pieces,
        pieces.map(({ buffer }) => buffer),
      );
    } catch (error) {
      throw this.#describe(error, size);
    } finally {
      // Writes, and their fate, are not seen before the read transaction is taken anew.
      this.#file.resetReadTxn();
    }
    if (this.#writes++ % WRITES_A_NOTE === 0) this.#note();
  }

  space(): { bytes: number; free: number } {
    try {
      const { total, used } = bytesInUse(this.#file);
      return { bytes: total, free: total - used };
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  async compact(): Promise<void> {
    while (this.#compacting !== null) await this.#compacting;
    const done = this.#compact();
    this.#compacting = done
      .catch(() => {}) // Whoever asked for it hears of it by `done`.
      .finally(() => {
        this.#compacting = null;
      });
    await done;
  }

  async close(): Promise<void> {
    while (this.#compacting !== null) await this.#compacting;
    await this.#writer.close();
    await this.#file.close();
    if (this.#writes > 0) this.#note();
  }

  /**
   * Copies what is in use, and the copy takes the file's place; reads go on, in the old file until then.
   * A crash before that leaves the old file and a copy that the next start removes.
   */
  async #compact(): Promise<void> {
    await this.#writer.close();
    let copy: LmdbFile | null = null;
    try {
      removeDraft(this.name);
      await copyInUse(this.#file, draftPath(this.name));
      copy = openLmdbFile(draftPath(this.name));
      // Held open until its pages are out of memory: a large file takes a while to be freed.
      await using _ = await open(this.name, 'r');
      await replaceDataFile(this.name);
      this.#noted = 0;
      const old = this.#file;
      this.#file = copy;
      await old.close();
    } catch (error) {
      if (this.#file !== copy) await copy?.close();
      throw storageError(error, this.name);
    } finally {
      this.#tidy();
    }
  }

  #tidy(): void {
    try {
      removeDraft(this.name);
    } catch {
      // The next start does so.
    }
  }

  #note(): void {
    try {
      this.#noted = noteSize(this.name, this.#noted);
    } catch {
      // A disk that is full: the older note stays true.
    }
  }

  #describe(error: unknown, size: number): unknown {
    const message = error instanceof Error ? error.message : '';
    if (!/Input\/output error|EIO/.test(message)) return storageError(error, this.name);
    const full = freeBytes(this.name) < FULL_BYTES + 2 * size;
    return storageError(new Error(full ? 'ENOSPC' : message), this.name);
  }
}

/** Free bytes of the file system that a file lies in. */
function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
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
