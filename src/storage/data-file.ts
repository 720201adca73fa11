/**
 * Checks of the data file before LMDB maps it: a header that is damaged, or an end that is missing, would end
 * the process instead of giving an error. Layout: `MDB_meta` of LMDB's mdb.c, data version 2.
 *
 * A short file is told by a note beside it of a length it once had (LMDB's own count of pages may be larger
 * than the file). The note is a lower bound, so it need not be written durably. Without it the walk through
 * the trees finds what is missing (`data-pages.ts`).
 */
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { chmod, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SqlError } from '../errors.ts';
import { findMissingPage } from './data-pages.ts';

const MAGIC = 0xbeefc0de;
/** Offsets in a page that holds a header. */
const AT = {
  magic: 24,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  transaction: 152,
  end: 160,
} as const;
/** Room for LMDB's table of 126 readers, in whole pages. */
const LOCK_BYTES = 12_288;

const notePath = (path: string): string => `${path}-size`;

/**
 * @param mayBeNew whether there may be no file yet.
 * @throws SqlError data_corrupted (XX001) naming the file.
 */
export function checkDataFile(path: string, mayBeNew: boolean): void {
  prepareLockFile(`${path}-lock`);
  const size = statOf(path)?.size ?? 0;
  const known = knownSize(path);
  if (size === 0) {
    if (mayBeNew && known === 0) return;
    throw missingData(path);
  }
  if (size < known) {
    const hint = `From a backup of its own it is restored together with "${notePath(path)}".`;
    throw damagedFile(path, 'its end is missing', hint);
  }
  const file = openSync(path, 'r+');
  try {
    checkHeaders(file, path, size);
  } finally {
    closeSync(file);
  }
}

/**
 * LMDB writes to it in memory: what is no file, or has no room on a full disk, would end the process. Nobody
 * else has it open (`folder-lock.ts`).
 */
function prepareLockFile(lock: string): void {
  const stat = statOf(lock);
  const file = openSync(lock, stat === undefined ? 'w+' : 'r+', 0o600);
  try {
    if (512 * (stat?.blocks ?? 0) < LOCK_BYTES) writeSync(file, new Uint8Array(LOCK_BYTES), 0, LOCK_BYTES, 0);
  } finally {
    closeSync(file);
  }
}

/** Remembers how long the file is, unless that is `noted`. @returns its size. */
export function noteSize(path: string, noted: number): number {
  const size = statOf(path)?.size ?? 0;
  if (size !== noted) writeNote(path, size);
  return size;
}

function writeNote(path: string, size: number): void {
  writeFileSync(notePath(path), `${size}\n`, { mode: 0o600 });
}

/** A copy takes the place of the file once it is whole (`lmdb-store.ts`); until then it is nothing. */
export const draftPath = (path: string): string => `${path}.new`;

/** Removes a copy that an unfinished compaction left. */
export function removeDraft(path: string): void {
  for (const file of [draftPath(path), `${draftPath(path)}-lock`]) rmSync(file, { force: true });
}

/** Flushes the copy, and puts it in the place of the file. */
export async function replaceDataFile(path: string): Promise<void> {
  const draft = draftPath(path);
  await chmod(draft, 0o600);
  {
    await using copy = await open(draft, 'r+');
    await copy.sync();
  }
  // True of the file before and after.
  writeNote(path, statSync(draft).size);
  await rename(draft, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

/** There has been data, and now there is none. */
export function missingData(path: string): SqlError {
  return new SqlError('data_corrupted', `data file "${path}" is missing or holds nothing`, {
    hint:
      'Restore it from a backup. To begin anew without any of the data, move the folder ' +
      `"${dirname(path)}" away, and the key file "${dirname(path)}.key" where there is one.`,
  });
}

function checkHeaders(file: number, path: string, size: number): void {
  const first = readHeader(file, 0);
  const pageSize = first.readUInt32LE(AT.pageSize);
  const second = readHeader(file, pageSize >= 512 && pageSize <= 65_536 ? pageSize : 0);
  for (const header of [first, second]) {
    const sound = header.readUInt32LE(AT.magic) === MAGIC && header.readUInt32LE(AT.pageSize) === pageSize;
    if (!sound) throw damagedFile(path, 'its header is not one of a data file');
  }
  const newer =
    first.readBigUInt64LE(AT.transaction) > second.readBigUInt64LE(AT.transaction) ? first : second;
  const roots = [AT.freeRoot, AT.mainRoot].map((offset) => newer.readBigUInt64LE(offset));
  const wrong = findMissingPage({ file, pageSize, size }, roots);
  if (wrong !== null) throw damagedFile(path, wrong);
}

function readHeader(file: number, at: number): Buffer {
  const header = Buffer.alloc(AT.end);
  readSync(file, header, 0, AT.end, at);
  return header;
}

/** Undefined: there is no file. */
function statOf(path: string): Stats | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw damagedFile(path, 'a folder is in its place');
  return stat;
}

function knownSize(path: string): number {
  try {
    return Number(readFileSync(notePath(path), 'utf8')) || 0;
  } catch {
    return 0; // The walk through the trees does without the note.
  }
}

function damagedFile(path: string, why: string, hint = ''): SqlError {
  return new SqlError('data_corrupted', `data file "${path}" is damaged: ${why}`, {
    hint: `Restore it from a backup; nothing has been overwritten. ${hint}`.trim(),
  });
}
