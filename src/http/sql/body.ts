/** Bodies of requests, as they arrive: counted, bounded in size and in the time between two pieces. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { SqlError } from '../../errors.ts';
import { HTTP_BODY_IDLE_MS_MAX, HTTP_REQUEST_BYTES_MAX } from '../../limits.ts';
import type { Holding } from '../../session/protocol.ts';
import { invalidUtf8 } from '../../types/text/utf8.ts';

/** Pieces are put together: both are there for a moment, and the text then. */
const COPIES = 3;

/** Pieces as they come; what nobody reads waits at the client. @throws SqlError 08006 when it stops, or goes. */
async function* pieces(request: IncomingMessage): AsyncGenerator<Buffer> {
  const late = (): void => void request.destroy(lost('nothing more of the request has come for too long'));
  const timer = setTimeout(late, HTTP_BODY_IDLE_MS_MAX);
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      yield piece;
      timer.refresh();
    }
  } catch (error) {
    throw error instanceof SqlError ? error : lost('the client has gone');
  } finally {
    clearTimeout(timer);
  }
}

const lost = (message: string): SqlError => new SqlError('connection_failure', message);

/** @throws SqlError 54000, 53200, 22021, 08006. */
export async function readText(request: IncomingMessage, account: Holding): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > HTTP_REQUEST_BYTES_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces(request)) {
    size += piece.length;
    if (size > HTTP_REQUEST_BYTES_MAX) throw tooLarge();
    account.hold(COPIES * piece.length);
    parts.push(piece);
  }
  const bytes = Buffer.concat(parts, size);
  if (!isUtf8(bytes)) throw invalidUtf8(bytes);
  return bytes.toString('utf8');
}

const tooLarge = (): SqlError =>
  new SqlError('program_limit_exceeded', 'the request is too large', {
    detail: `As JSON it may have ${HTTP_REQUEST_BYTES_MAX} bytes.`,
    hint: 'Send the data in several requests, or as the data of COPY.',
  });
