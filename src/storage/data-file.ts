/**
 * Checks of the data file before LMDB maps it: a header that is damaged, or an end that is missing, would end
 * the process instead of giving an error. Layout: `MDB_meta` of LMDB's mdb.c, data version 2.
 *
 * A short file is told by a note beside it of a length it once had (the file never shrinks; LMDB's own count
 * of pages may be larger than the file). The note is a lower bound, so it need not be written durably.
 */
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { SqlError } from '../errors.ts';

const MAGIC = 0xbeefc0de;
/** Offsets in a page that holds a header. */
const AT = { magic: 24, pageSize: 48, freeRoot: 88, mainRoot: 136, transaction: 152, end: 160 } as const;
const NO_PAGE = 0xffffffffffffffffn;

const notePath = (path: string): string => `${path}-size`;
const noteHint = (path: string): string => `If it was restored from a backup, delete "${notePath(path)}".`;

/** Does nothing when there is no file yet. @throws SqlError data_corrupted (XX001) naming the file. */
export function checkDataFile(path: string): void {
  const size = sizeOf(path);
  if (size === null) {
    if (knownSize(path) > 0) throw damagedFile(path, 'it is missing', noteHint(path));
    return;
  }
  if (size < knownSize(path)) {
    throw damagedFile(
      path,
      'its end is missing',
      `If it was restored from a backup, delete "${notePath(path)}".`,
    );
  }
  const file = openSync(path, 'r');
  try {
    checkHeaders(file, path, size);
  } finally {
    closeSync(file);
  }
}

/** Remembers how long the file is. */
export function noteSize(path: string): void {
  writeFileSync(notePath(path), `${sizeOf(path) ?? 0}\n`, { mode: 0o600 });
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
  for (const offset of [AT.freeRoot, AT.mainRoot]) {
    const page = newer.readBigUInt64LE(offset);
    if (page !== NO_PAGE && (page + 1n) * BigInt(pageSize) > BigInt(size)) {
      throw damagedFile(path, 'its end is missing');
    }
  }
}

function readHeader(file: number, at: number): Buffer {
  const header = Buffer.alloc(AT.end);
  readSync(file, header, 0, AT.end, at);
  return header;
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

function knownSize(path: string): number {
  try {
    return Number(readFileSync(notePath(path), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function damagedFile(path: string, why: string, hint = ''): SqlError {
  return new SqlError('data_corrupted', `data file "${path}" is damaged: ${why}`, {
    hint: `Restore it from a backup; nothing has been overwritten. ${hint}`.trim(),
  });
}
