/**
 * Questions to an HTTP endpoint that takes and gives JSON. One thing to know: the endpoint is somebody else's. Its
 * answers are bounded in size and time, what may pass is tried again, and neither key nor URL gets into an error. This is
 * the one place from which texts go outside, and its sender says whether they may (`sender.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SqlError } from '../errors.ts';
import { ENDPOINT_ANSWER_BYTES_MAX, ENDPOINT_REQUEST_MS_MAX, ENDPOINT_WAIT_MS_MAX } from '../limits.ts';
import type { OutsidePurpose, Sender } from './sender.ts';

/** Characters kept of an endpoint's error. */
const REASON_CHARACTERS_MAX = 200;
const FIRST_WAIT_MS = 250;
const MAY_PASS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
/** Their texts may name the key, or a part of it. */
const ABOUT_THE_KEY: ReadonlySet<number> = new Set([401, 403]);

export interface JsonEndpoint {
  /** Name of the endpoint to the user: `the reranker`. */
  readonly what: string;
  /** That gave its URL, for the hint. */
  readonly flag: string;
  /** Without the path of the question. */
  readonly url: string;
  readonly key: string | null;
}

interface Question {
  readonly purpose: OutsidePurpose;
  /** Appended to the URL's: `/rerank`. */
  readonly path: string;
  readonly body: unknown;
  /** At least 1. */
  readonly attempts: number;
  /** The longest wait that the endpoint may ask for. */
  readonly waitMsMax?: number;
  readonly answerBytesMax?: number;
  readonly signal: AbortSignal;
  readonly sender: Sender;
}

/** A question as it is sent. */
type Sent = Omit<Question, 'body' | 'sender'> & { readonly text: string };

/** Why a try failed; `waitMs` absent: trying again would not help; 0: the endpoint did not say when. */
interface Failure {
  readonly reason: string;
  readonly waitMs?: number;
}

/** @returns the answer, parsed. @throws SqlError 42501 where it may not go out, 58000 when there is none; the signal's reason. */
export async function askEndpoint(endpoint: JsonEndpoint, question: Question): Promise<unknown> {
  const { purpose, body, sender, signal } = question;
  signal.throwIfAborted();
  const text = JSON.stringify(body);
  const end = await sender.begin({ purpose, url: endpoint.url, body: text });
  const began = performance.now();
  let answer: unknown;
  let outcome: 'answered' | 'failed' = 'failed';
  try {
    answer = await answerOf(endpoint, { ...question, text });
    outcome = 'answered';
    return answer;
  } finally {
    await end({ ms: performance.now() - began, tokens: tokensIn(answer), outcome });
  }
}

/** `{usage: {total_tokens}}`, or its parts; null where there is no such thing. */
function tokensIn(answer: unknown): number | null {
  const { usage } = (answer ?? {}) as { readonly usage?: Readonly<Record<string, unknown>> };
  const { total_tokens, prompt_tokens, completion_tokens } = usage ?? {};
  const count = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);
  return count(total_tokens) || count(prompt_tokens) + count(completion_tokens) || null;
}

async function answerOf(endpoint: JsonEndpoint, question: Sent): Promise<unknown> {
  const { attempts, signal, waitMsMax = ENDPOINT_WAIT_MS_MAX } = question;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const tried = await askOnce(endpoint, question);
    if ('answer' in tried) return tried.answer;
    const { reason, waitMs } = tried;
    if (waitMs === undefined || attempt >= attempts) throw endpointFailed(endpoint, reason);
    if (waitMs > waitMsMax) {
      throw endpointFailed(endpoint, `${reason}, and asks to wait ${Math.round(waitMs / 1000)} s`);
    }
    await pause(Math.max(waitMs, FIRST_WAIT_MS * 2 ** (attempt - 1)), signal);
  }
}

export function endpointFailed({ what, flag }: JsonEndpoint, reason: string): SqlError {
  return new SqlError('system_error', `${what} failed: ${reason}`, {
    hint: `Check the endpoint given by ${flag}.`,
  });
}

/** Some time more for those who were refused together, so that they do not come back together. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms * (1 + Math.random() / 4), undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

async function askOnce(
  endpoint: JsonEndpoint,
  { path, text, signal, answerBytesMax = ENDPOINT_ANSWER_BYTES_MAX }: Sent,
): Promise<{ readonly answer: unknown } | Failure> {
  const { key } = endpoint;
  const timeout = AbortSignal.timeout(ENDPOINT_REQUEST_MS_MAX);
  try {
    const response = await fetch(addressOf(endpoint.url, path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: text,
      // The texts are for the endpoint that was given, not for whoever it names.
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    });
    const said = await readBody(response, answerBytesMax);
    if (!response.ok) return refusal(response, messageIn(said ?? ''), key);
    if (said === null) return { reason: `its answer is larger than ${answerBytesMax} bytes` };
    return { answer: JSON.parse(said) };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { reason: `no answer within ${ENDPOINT_REQUEST_MS_MAX / 1000} s`, waitMs: 0 };
    if (error instanceof SyntaxError) return { reason: 'its answer is not JSON', waitMs: 0 };
    return { reason: causeOf(error), waitMs: 0 };
  }
}

function addressOf(url: string, path: string): URL {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}${path}`;
  return address;
}

/** Null when it is too large. */
async function readBody(response: Response, bytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal({ status, headers }: Response, message: string, key: string | null): Failure {
  const without = key === null ? message : message.replaceAll(key, '…');
  const said = ABOUT_THE_KEY.has(status) ? '' : without.slice(0, REASON_CHARACTERS_MAX);
  const reason = `it answered ${status}${said && `: ${said}`}`;
  return MAY_PASS.has(status) ? { reason, waitMs: retryAfterMs(headers.get('retry-after')) } : { reason };
}

/** `{error: {message}}`, `{error}` or `{message}`; empty where it says nothing of the kind. */
function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: unknown }; message?: unknown };
    const said = error?.message ?? error ?? message;
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}

/** Seconds or a date; 0 where it is neither. */
function retryAfterMs(value: string | null): number {
  const ms = /^\d+$/.test(value ?? '') ? Number(value) * 1000 : Date.parse(value ?? '') - Date.now();
  return Math.max(ms || 0, 0);
}

/** `fetch failed` says less than its cause; a redirect's message is told as it is. */
function causeOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown; message?: unknown } };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}
