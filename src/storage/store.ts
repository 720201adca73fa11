/**
 * Where bytes last: ordered key-value spaces with atomic, durable writes. `lmdb-store.ts` is the real one,
 * `memory-store.ts` its twin in memory, `fixtures/faulty-store.ts` a twin that fails or crashes on purpose.
 *
 * A store knows nothing of encryption: callers seal values (`seal.ts`) and make keys that tell nothing.
 */
import { SqlError } from '../errors.ts';

/** Names of the spaces; the byte is the first of each key on disk and part of the file format. */
export const SPACES = {
  meta: 1,
  tables: 2,
  segments: 3,
  blocks: 4,
  chunks: 5,
  deletes: 6,
  journal: 7,
} as const;

export type Space = keyof typeof SPACES;

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Keys from `from` (inclusive) up to `to` (exclusive), bytewise ascending; absent ends are open. */
export interface KeyRange {
  readonly from?: Uint8Array;
  readonly to?: Uint8Array;
  /** At most this many. */
  readonly limit?: number;
}

export type Operation =
  | { readonly kind: 'put'; readonly space: Space; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'remove'; readonly space: Space; readonly key: Uint8Array };

export interface Store {
  /** For messages: the file, or what stands for it. */
  readonly name: string;
  /** A copy the caller owns; undefined when the key is not there. Sees every acknowledged write. */
  get(space: Space, key: Uint8Array): Uint8Array | undefined;
  /** As `get`, without the copy: the bytes may change as soon as the store is asked again. */
  borrow(space: Space, key: Uint8Array): Uint8Array | undefined;
  /** Copies of entries, in key order. Read it to its end within the turn of the event loop. */
  scan(space: Space, range: KeyRange): readonly Entry[];
  /** Keys only, as `scan`. */
  scanKeys(space: Space, range: KeyRange): readonly Uint8Array[];
  /**
   * All operations or none, in order. Resolves when they would survive kill -9 and power loss.
   * @throws SqlError disk_full (53100) or io_error (58030): then nothing of it is there, and earlier data
   *         is untouched.
   */
  write(operations: readonly Operation[]): Promise<void>;
  /** Bytes that it takes, and how many of them hold nothing. */
  space(): { readonly bytes: number; readonly free: number };
  /**
   * Gives back to the disk what holds nothing; writes wait meanwhile.
   * @throws SqlError disk_full (53100) or io_error (58030): then all is as it was.
   */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** User's condition for the operating system's error at a read or write. */
export function storageError(error: unknown, name: string): SqlError {
  if (error instanceof SqlError) return error;
  const text = describe(error);
  if (/ENOSPC|No space left|MDB_MAP_FULL|EDQUOT|quota exceeded|EFBIG|File too large/i.test(text)) {
    return new SqlError('disk_full', `could not write to file "${name}": No space left on device`, {
      hint: 'Free disk space and try again; nothing that was stored is lost.',
      cause: error,
    });
  }
  if (/MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_INVALID|MDB_PANIC/.test(text)) {
    return new SqlError('data_corrupted', `data file "${name}" is damaged: ${text}`, {
      hint: 'Restore it from a backup; nothing has been overwritten.',
      cause: error,
    });
  }
  for (const { pattern, words, hint } of REFUSALS) {
    if (pattern.test(text)) {
      return new SqlError('io_error', `could not access "${name}": ${words}`, { hint, cause: error });
    }
  }
  return new SqlError('io_error', `could not access file "${name}": ${text}`, { cause: error });
}

/** Other refusals of an operating system. */
const REFUSALS = [
  {
    pattern: /EROFS|Read-only file system/,
    words: 'the file system is read-only',
    hint: 'Quern writes to its data folder, also where nobody writes rows. Mount it for writing.',
  },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/,
    words: 'permission denied',
    hint: 'The user that Quern runs as has to own the data folder and all that is in it.',
  },
  {
    pattern: /EISDIR|Is a directory/,
    words: 'a folder is in the place of a file',
    hint: 'Move the folder away, and put back the file that was there.',
  },
  {
    pattern: /ENOTDIR|EEXIST|Not a directory/,
    words: 'a file is in the place of a folder',
    hint: 'Move the file away, or give another folder with --data.',
  },
] as const;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = 'commitError' in error ? describe(error.commitError) : '';
  return inner === '' ? error.message : `${error.message}: ${inner}`;
}
