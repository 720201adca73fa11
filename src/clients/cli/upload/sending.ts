/** One file on its way to the server: its bytes counted and hashed as they are sent, up to the size that it had. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DatasetClient } from '../../typescript/src/dataset.ts';
import type { FoundFile } from './files.ts';

export interface Sent {
  readonly handle: string;
  /** SHA-256 of what was sent, in hexadecimal digits. */
  readonly sha256: string;
  readonly size: number;
  /** True when somebody wrote to the file meanwhile. */
  readonly isChanged: boolean;
}

interface Sending {
  readonly signal: AbortSignal;
  /** Told of each piece's size. */
  readonly onBytes: (count: number) => void;
}

const PIECE_BYTES = 1 << 18;

/** @throws Error of the file system, QuernError, the signal's reason */
export async function sendFile(
  dataset: DatasetClient,
  { id, path }: FoundFile,
  { signal, onBytes }: Sending,
): Promise<Sent> {
  await using file = await open(path);
  const before = await file.stat();
  const hash = createHash('sha256');
  let size = 0;
  // Files of the system say that they are empty; others end where they ended when they were opened.
  const end = before.size > 0 ? { end: before.size - 1 } : {};
  const reading = file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false, ...end });
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of reading as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      hash.update(piece);
      size += piece.length;
      onBytes(piece.length);
      yield piece;
    }
  }
  const handle = await dataset.upsertFile(id, { stream: counted(), fileName: basename(path) });
  const after = await file.stat();
  const isChanged = after.size !== before.size || after.mtimeMs !== before.mtimeMs;
  return { handle, sha256: hash.digest('hex'), size, isChanged };
}
