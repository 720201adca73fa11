/** Files into a dataset, several at a time, and what has become of each. */
import { basename } from 'node:path';
import type { Client } from '../../typescript/src/client.ts';
import { ConnectionFailedError, ConnectionLostError } from '../../typescript/src/errors.ts';
import { identifier } from '../../typescript/src/wire/names.ts';
import type { FoundFile } from './files.ts';
import { untilRead } from './reading.ts';
import { type Sent, sendFile } from './sending.ts';

/** A file's way. */
export interface Upload {
  readonly doc_id: string;
  readonly file: string;
  status: 'dry run' | 'not sent' | 'uploaded' | 'ready' | 'error';
  /** Effect on the dataset: `unchanged` has the bytes and the name of what is there. */
  change?: Change;
  handle?: string;
  /** Reason of an error. */
  reason?: string;
  /** Note for the user. */
  note?: string;
  /** Bytes. */
  readonly size: number;
  sent: number;
  /** Hash of what was sent, in hexadecimal digits. */
  sha256?: string;
  reading?: Reading;
}

export type Change = 'new' | 'replaced' | 'unchanged';

/** How far the server is with it. */
export interface Reading {
  readonly state: string;
  /** 0 while they are not known, and of files without pages. */
  readonly pages: number;
  readonly pagesDone: number;
  /** Passages to embed; null while they are not known. */
  readonly pending: number | null;
  /** The first value of `pending`. */
  readonly passages: number;
}

interface Uploading {
  readonly dataset: string;
  /** Files at a time. */
  readonly lanes: number;
  readonly signal: AbortSignal;
  /** For how long the server's reading is waited for, ms; null: not at all. */
  readonly waitMs: number | null;
}

/** Sends all, and waits until they are read where that is wanted. @throws the signal's reason */
export async function uploadAll(client: Client, uploads: readonly Upload[], how: Uploading): Promise<void> {
  const known = await knownDocuments(client, uploads, how.dataset);
  const queue = uploads.values();
  const state = { isSending: true, isUnreachable: false };
  const lane = async (): Promise<void> => {
    for (const one of queue) {
      if (how.signal.aborted || state.isUnreachable) return;
      state.isUnreachable ||= !(await sendOne(client, one, known.get(one.doc_id), how));
    }
  };
  const sending = Promise.all(Array.from({ length: how.lanes }, lane)).finally(() => {
    state.isSending = false;
  });
  const { signal, waitMs } = how;
  const endsAt = performance.now() + (waitMs ?? 0);
  const reading =
    waitMs === null
      ? Promise.resolve()
      : untilRead(client, uploads, { signal, endsAt, isSending: () => state.isSending });
  await Promise.all([sending, reading]);
  signal.throwIfAborted();
}

interface Known {
  readonly sha256: string;
  readonly name: string;
  readonly isReady: boolean;
}

const IDS_A_QUERY = 1000;

/** The dataset's present documents among these. */
async function knownDocuments(
  client: Client,
  uploads: readonly Upload[],
  dataset: string,
): Promise<Map<string, Known>> {
  await client.datasets().get(dataset);
  const known = new Map<string, Known>();
  const sql = `SELECT doc_id, name, sha256, status FROM ${identifier(dataset)}.documents
    WHERE doc_id = ANY($1::text[])`;
  for (let at = 0; at < uploads.length; at += IDS_A_QUERY) {
    const ids = uploads.slice(at, at + IDS_A_QUERY).map(({ doc_id: id }) => id);
    for (const { doc_id: id, sha256, name, status } of await client.sql(sql, [ids])) {
      known.set(String(id), { sha256: String(sha256), name: String(name), isReady: status === 'ready' });
    }
  }
  return known;
}

/** @returns false where no server can be reached. @throws the signal's reason */
async function sendOne(
  client: Client,
  upload: Upload,
  known: Known | undefined,
  { dataset, signal }: Uploading,
): Promise<boolean> {
  const file: FoundFile = { id: upload.doc_id, path: upload.file, size: upload.size };
  const onBytes = (count: number): void => {
    upload.sent += count;
  };
  try {
    const sent = await sendFile(client.dataset(dataset), file, { signal, onBytes });
    upload.handle = sent.handle;
    upload.sha256 = sent.sha256;
    upload.status = 'uploaded';
    upload.change = changeOf(sent, upload, known);
    if (sent.isChanged) upload.note = `written to while it was read: its first ${sent.size} bytes were sent`;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    upload.status = 'error';
    upload.reason = error instanceof Error ? error.message : String(error);
    return !(error instanceof ConnectionFailedError) || error instanceof ConnectionLostError;
  }
}

/** As ingestion decides whether it has anything to do. */
function changeOf({ sha256 }: Sent, { file }: Upload, known: Known | undefined): Change {
  if (known === undefined) return 'new';
  const isSame = known.isReady && known.sha256 === sha256 && known.name === basename(file);
  return isSame ? 'unchanged' : 'replaced';
}
