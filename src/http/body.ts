/** Bodies of requests, as they arrive: bounded in size and in the time between two pieces. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { SqlError } from '../errors.ts';
import { HTTP_BODY_IDLE_MS_MAX } from '../limits.ts';
import type { Holding } from '../session/protocol.ts';
import { invalidUtf8 } from '../types/text/utf8.ts';

/** Pieces are put together: both are there for a moment, and what is made of them then. */
const COPIES = 3;
const EVENTS = ['readable', 'end', 'close', 'error'] as const;

/** Pieces as they come; what nobody reads waits at the client. @throws SqlError 08006, the signal's reason. */
export async function* pieces(request: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted();
    const piece = request.read() as Buffer | null;
    if (piece !== null) yield piece;
    else if (request.readableEnded) return;
    else if (request.destroyed) throw lost('the client has gone');
    else await more(request, signal);
  }
}

/** Resolves when there is more to read, or nothing will come. @throws SqlError 08006 after too long. */
async function more(request: IncomingMessage, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const late = (): void => reject(lost('nothing more of the request has come for too long'));
  const timer = setTimeout(late, HTTP_BODY_IDLE_MS_MAX);
  for (const event of EVENTS) request.on(event, wake);
  signal.addEventListener('abort', wake);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    for (const event of EVENTS) request.off(event, wake);
    signal.removeEventListener('abort', wake);
  }
}

const lost = (message: string): SqlError => new SqlError('connection_failure', message);

interface Reading {
  readonly bytesMax: number;
  /** Counts it, where it may be large. */
  readonly account?: Holding;
  readonly signal?: AbortSignal;
  /** Advice about one that is too large. */
  readonly hint?: string;
}

const NEVER = new AbortController().signal;

/** The whole of it. @throws SqlError 54000, 53200, 08006. */
export async function readBytes(
  request: IncomingMessage,
  { account, bytesMax, signal = NEVER, hint }: Reading,
): Promise<Buffer> {
  const tooLarge = (): SqlError =>
    new SqlError('program_limit_exceeded', 'the request is too large', {
      detail: `It may have ${bytesMax} bytes.`,
      hint,
    });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces(request, signal)) {
    size += piece.length;
    if (size > bytesMax) throw tooLarge();
    account?.hold(COPIES * piece.length);
    parts.push(piece);
  }
  return Buffer.concat(parts, size);
}

/** @throws SqlError 54000, 53200, 08006, 22021. */
export async function readText(request: IncomingMessage, reading: Reading): Promise<string> {
  const bytes = await readBytes(request, reading);
  if (!isUtf8(bytes)) throw invalidUtf8(bytes);
  return bytes.toString('utf8');
}
