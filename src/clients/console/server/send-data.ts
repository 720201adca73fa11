/** Bytes sent with a statement that reads them, and told of as they leave: `fetch` says nothing of that. */
import { type Message, NOT_REACHED, StatementError } from './messages.ts';
import { addressOf } from './address.ts';
import { noteReached } from './reached.ts';
import { requireGood } from './request.ts';
import { sessionNumber } from './session.ts';

export interface DataOptions {
  readonly statement: string;
  /** From `$2` on: the data is `$1`, or what COPY reads. */
  readonly params?: readonly unknown[];
  /** Told how many have left. */
  readonly onBytes: (sent: number) => void;
  readonly signal: AbortSignal;
}

/** @returns the answer's messages. @throws StatementError; the signal's reason */
export async function sendData(
  data: Blob,
  { statement, params, onBytes, signal }: DataOptions,
): Promise<readonly Message[]> {
  const query = new URLSearchParams({
    statement,
    ...(params !== undefined && { params: JSON.stringify(params) }),
  });
  const response = await sendBytes(`sql?${query}`, data, { method: 'POST', onBytes, signal });
  const text = await response.text();
  const messages = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Message]));
  const failed = messages.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) throw new StatementError(failed.error);
  return messages;
}

interface BytesOptions extends Pick<DataOptions, 'onBytes' | 'signal'> {
  readonly method: 'POST' | 'PUT';
}

/** @throws StatementError of an answer that is not good, and of none; the signal's reason */
export async function sendBytes(path: string, data: Blob, options: BytesOptions): Promise<Response> {
  const session = sessionNumber();
  return await requireGood(await sent(path, data, options), session);
}

function sent(path: string, data: Blob, { method, onBytes, signal }: BytesOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    request.upload.onprogress = ({ loaded }) => onBytes(loaded);
    request.onload = () => {
      noteReached(true);
      const type = request.getResponseHeader('content-type') ?? '';
      resolve(
        new Response(request.responseText, { status: request.status, headers: { 'content-type': type } }),
      );
    };
    request.onabort = () => reject(signal.reason);
    request.onerror = () => {
      noteReached(false);
      reject(new StatementError({ message: 'The server cannot be reached.', sqlstate: NOT_REACHED }));
    };
    request.onloadend = () => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop);
    request.open(method, addressOf(path));
    request.setRequestHeader('x-quern-console', '1');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(data);
  });
}
