/** The server's reading of uploaded files: asked again and again until all have been read. */
import type { Client } from '../../typescript/src/client.ts';
import { untilAborted } from '../../typescript/src/wire/pool.ts';
import type { Reading, Upload } from './upload.ts';

const HANDLES = `SELECT handle, state, reason, pages, pages_done, chunks_pending FROM quern.handles
  WHERE handle = ANY($1::text[])`;
/** Between questions, ms: more for thousands of files. */
const ASK_MS_MIN = 400;
const ASK_MS_A_FILE = 0.2;

interface Waiting {
  readonly signal: AbortSignal;
  /** True when more files are on their way. */
  readonly isSending: () => boolean;
  /** By `performance.now()`. */
  readonly endsAt: number;
}

/** Ends when all that was sent is read, failed, or the time is over. @throws the signal's reason */
export async function untilRead(
  client: Client,
  uploads: readonly Upload[],
  { signal, isSending, endsAt }: Waiting,
): Promise<void> {
  for (;;) {
    const wasSending = isSending();
    const waiting = uploads.filter(({ handle, status }) => handle !== undefined && !isOver(status));
    if (waiting.length > 0) await look(client, waiting, signal);
    const isDone = !wasSending && waiting.every(({ status }) => isOver(status));
    if (isDone || performance.now() >= endsAt) return;
    const pause = Math.min(ASK_MS_MIN + waiting.length * ASK_MS_A_FILE, endsAt - performance.now());
    await untilAborted(new Promise((resolve) => setTimeout(resolve, pause)), signal);
  }
}

export const isOver = (status: Upload['status']): boolean => status === 'ready' || status === 'error';

async function look(client: Client, waiting: readonly Upload[], signal: AbortSignal): Promise<void> {
  const rows = await client.sql(HANDLES, [waiting.map(({ handle }) => String(handle))], { signal });
  const told = new Map(rows.map((row) => [String(row.handle), row]));
  for (const upload of waiting) {
    const row = told.get(String(upload.handle));
    if (row === undefined) {
      upload.status = 'error';
      upload.reason = 'the server knows nothing of it any more: was the dataset dropped?';
      continue;
    }
    upload.status = STATES[String(row.state)] ?? 'uploaded';
    if (upload.status === 'error') upload.reason = String(row.reason ?? '');
    upload.reading = readingOf(row, upload.reading);
  }
}

function readingOf(row: Readonly<Record<string, unknown>>, before: Reading | undefined): Reading {
  const pending = row.state === 'embedding' ? Number(row.chunks_pending ?? 0) : null;
  return {
    state: String(row.state),
    pages: Number(row.pages ?? 0),
    pagesDone: Number(row.pages_done ?? 0),
    pending,
    passages: Math.max(before?.passages ?? 0, pending ?? 0),
  };
}

/** States of `quern.handles` that are told; before them a file is on its way. */
const STATES: Readonly<Record<string, Upload['status']>> = { ready: 'ready', error: 'error' };
