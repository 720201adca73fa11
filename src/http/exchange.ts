/** One request and its answer, for what is no handler of the web's: bodies that are read to a bound, answers that nobody keeps. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
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

/** A row: what is answered to a method at a path. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** One that ends in a slash stands for all behind it. */
  readonly path: string;
  readonly answer: (exchange: Exchange) => Promise<void>;
}

/** Keys, names and codes are small. */
const BODY_BYTES_MAX = 16 * 1024;

/** Headers of all answers: they are what they say, and of this origin alone. */
export const GUARDED: OutgoingHttpHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

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
 * @throws Refusal 400, 413, 415.
 */
export async function readJson({ request }: Exchange): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body of the request is to be application/json');
  }
  const text = await readText(request);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below, as all that is no object.
  }
  throw new Refusal(400, 'the body of the request is to be a JSON object');
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX)
      throw new Refusal(413, `the body of the request is larger than ${BODY_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
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
