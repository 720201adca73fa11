/** One request and its answer: rows of what is answered where, small bodies read to a bound, answers that nobody keeps. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { readText } from './body.ts';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** The request's, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A row: what is answered to a method at a path. */
export interface Route {
  /** HEAD is answered as GET, without its body. `any`: whoever answers looks at it. */
  readonly method: Method | 'any';
  /** One that ends in a slash stands for all behind it. */
  readonly path: string;
  /** Checks before it is answered; absent: of the server's name, and that no key comes or goes in clear. */
  readonly guard?: 'name' | 'nothing';
  /** Pages of other origins, where the configuration names them, may ask and read. */
  readonly isShared?: boolean;
  /** @throws Refusal, where nothing has been answered yet. */
  readonly answer: (exchange: Exchange) => void | Promise<void>;
}

/** Keys, names and codes are small. */
const BODY_BYTES_MAX = 16 * 1024;

/** Headers of all answers: they are what they say, and of this origin alone. */
export const GUARDED: OutgoingHttpHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Browsers guess at nothing in it. */
export const TEXT: OutgoingHttpHeaders = { ...GUARDED, 'content-type': 'text/plain; charset=utf-8' };

/** For people and machines that read no JSON. */
export function answerText({ request, response }: Exchange, text: string, status = 200): void {
  // The rest of a request that nobody reads keeps no connection.
  const rest = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { ...TEXT, ...rest });
  response.end(request.method === 'HEAD' ? '' : text);
}

export function answerJson(
  { request, response }: Exchange,
  value: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: OutgoingHttpHeaders } = {},
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    ...GUARDED,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? '' : body);
}

/**
 * The JSON object of a request. Forms of other sites cannot say that they are JSON.
 * @throws Refusal 400, 415; SqlError 54000, 08006, 22021.
 */
export async function readJson(
  { request }: Exchange,
  bytesMax = BODY_BYTES_MAX,
): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body of the request is to be application/json');
  }
  const text = await readText(request, { bytesMax });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below, as all that is no object.
  }
  throw new Refusal(400, 'the body of the request is to be a JSON object');
}

/** @throws Refusal 400 where it is there and is no text of up to `max` characters. */
export function textField(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  max: number,
): string | null {
  const value = fields[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '' && value.length <= max)) return value;
  throw new Refusal(400, `"${name}" is to be a text of 1 to ${max} characters`);
}
