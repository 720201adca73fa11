/**
 * The file of data keys (`key-ring.ts`): a line that says what it is, a check by which a wrong encryption key is told
 * from damage, and the keys, both sealed with keys that are derived from the encryption key. A file of its own, for
 * what lies in the data file is left behind in its free pages: a data key that is destroyed, or was wrapped with a
 * former encryption key, would stay there.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SqlError } from '../errors.ts';
import { decodeContent, encodeContent, type RingContent } from './key-ring.ts';
import { SealError, Sealer } from './seal.ts';
import { readIfThere, replaceFile } from './sealed-file.ts';
import { storageError } from './store.ts';

const HEAD = Buffer.from('quern data keys 1\n');
const CHECK = Buffer.from('quern encryption key check');
/** Sealed: a mark before, a tag behind it. */
const CHECK_BYTES = 16 + CHECK.length + 16;

export const ringPath = (folder: string): string => resolve(folder, 'data-keys.sealed');

export interface ReadRing {
  readonly content: RingContent;
  /** The encryption key that opened it. */
  readonly key: Uint8Array;
}

/**
 * Null: there is no file.
 * @param keys one that fits, and others that may.
 * @throws SqlError XX001 for damage, F0000 where none fits.
 */
export async function readRing(path: string, keys: readonly Uint8Array[]): Promise<ReadRing | null> {
  const bytes = await readIfThere(path);
  if (bytes === null) return null;
  const body = HEAD.length + CHECK_BYTES;
  const isRing = bytes.length > body && Buffer.from(bytes.subarray(0, HEAD.length)).equals(HEAD);
  if (!isRing) throw lostRing(path, 'is damaged');
  for (const key of keys) {
    const isChecked = opened(key, 'ring-check', bytes.subarray(HEAD.length, body)) !== null;
    const plain = opened(key, 'ring', bytes.subarray(body));
    if (isChecked && plain !== null) {
      return { content: decodeContent(Buffer.from(plain).toString('utf8')), key };
    }
    if (isChecked || plain !== null) throw lostRing(path, 'is damaged');
  }
  throw new SqlError('config_file_error', `the encryption key does not fit file "${path}"`, {
    hint: 'Give the key that the data has now: after `quern rekey` a former one opens nothing. Nothing has been changed.',
  });
}

/** Durable when it resolves; what the file held before is written over. @throws SqlError 53100, 58030. */
export async function writeRing(path: string, content: RingContent, key: Uint8Array): Promise<void> {
  const seal = (purpose: string, plain: Uint8Array): Uint8Array => new Sealer(key, purpose).seal(plain, HEAD);
  const check = seal('ring-check', CHECK);
  const body = seal('ring', Buffer.from(encodeContent(content)));
  await using former = await openIfThere(path);
  await replaceFile(path, Buffer.concat([HEAD, check, body]));
  if (former !== null) await erase(former);
}

function opened(key: Uint8Array, purpose: string, sealed: Uint8Array): Uint8Array | null {
  try {
    return new Sealer(key, purpose).open(sealed, HEAD);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw storageError(error, path);
  }
}

/**
 * A file without a name is written over; one that has another name is somebody's copy. File systems may keep its bytes
 * all the same: this is the most that can be done.
 */
async function erase(file: FileHandle): Promise<void> {
  try {
    const { size, nlink } = await file.stat();
    if (nlink > 0) return;
    await file.write(new Uint8Array(size), 0, size, 0);
    await file.sync();
  } catch {
    // The new one is in its place, and that counts.
  }
}

/** The error for a file that is not as it should be. */
export function lostRing(path: string, how: string): SqlError {
  return new SqlError('data_corrupted', `file "${path}" ${how}`, {
    hint: 'Restore it together with the rest of the folder: without it nothing can be read. Nothing has been overwritten.',
  });
}
