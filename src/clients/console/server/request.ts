/**
 * Requests to the server. Each carries the header that pages of other sites cannot send; an answer 401 says that the session
 * is over, which whoever shows the page is told once, and what is on the page stays.
 */
import { addressOf } from './address.ts';
import { type Fault, NOT_REACHED, NOT_SIGNED_IN, StatementError } from './messages.ts';
import { noteReached } from './reached.ts';
import { sessionIsOver, sessionNumber } from './session.ts';

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly json?: unknown;
  readonly body?: BodyInit;
  /** Another kind of answer than lines of JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** @throws StatementError of an answer that is not good; of a server that cannot be reached, 08006. */
export async function request(path: string, sent: Sent = {}): Promise<Response> {
  const { method = 'GET', json, body, accept, signal } = sent;
  const session = sessionNumber();
  const headers: Record<string, string> = { 'x-quern-console': '1' };
  if (json !== undefined) headers['content-type'] = 'application/json';
  if (accept !== undefined) headers.accept = accept;
  const response = await fetch(addressOf(path), {
    method,
    headers,
    credentials: 'same-origin',
    ...(json === undefined ? { body: body ?? null } : { body: JSON.stringify(json) }),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    noteReached(false);
    throw new StatementError({
      message: 'The server cannot be reached.',
      hint: 'It may be starting again; this page goes on when it is there.',
      sqlstate: NOT_REACHED,
    });
  });
  noteReached(true);
  // Data that was asked for as it is comes as lines where it does not come.
  if (accept !== undefined && isAnswer(response) && response.status !== 401) {
    throw new StatementError(await faultOfAnswer(response));
  }
  return requireGood(response, session);
}

const isAnswer = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/x-ndjson') === true;

/** @param session in which it was asked for. @throws StatementError of an answer that is not good. */
export async function requireGood(response: Response, session: number): Promise<Response> {
  // Lines of a statement's answer end with how it ended.
  if (response.ok || (isAnswer(response) && response.status !== 401)) return response;
  const fault = await faultOfAnswer(response);
  if (response.status !== 401) throw new StatementError(fault);
  sessionIsOver(session);
  // Whatever it calls it: who waits for somebody to sign in goes by this.
  throw new StatementError({ ...fault, sqlstate: NOT_SIGNED_IN });
}

async function faultOfAnswer(response: Response): Promise<Fault> {
  const text = await response.text().catch(() => '');
  // Columns may stand before what went wrong.
  const last = text.trim().split('\n').at(-1) ?? '';
  try {
    const { error } = JSON.parse(last) as { readonly error?: Fault };
    if (error !== undefined) return error;
  } catch {
    // Answers of proxies, and of what is before `/sql`, are text.
  }
  const [message = '', hint] = text.trim().split('\nhint: ');
  return {
    message: message === '' ? `The server answered ${response.status}.` : message,
    ...(hint !== undefined && { hint }),
    sqlstate: 'XX000',
  };
}
