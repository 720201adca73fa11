/**
 * Pages of other origins that the configuration names: their browsers ask whether they may send a request, and read its answer.
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Browsers ask again after so long. */
const ANSWER_SECONDS = 600;

/** Allows the page to read the answer. @returns true when that is all that was asked, and is answered. */
export function allowOrigin(
  { method, headers: { origin, ...headers } }: IncomingMessage,
  response: ServerResponse,
  { origins, methods }: { readonly origins: readonly string[]; readonly methods: readonly string[] },
): boolean {
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', 'authorization, content-type');
  response.setHeader('access-control-max-age', ANSWER_SECONDS);
  response.writeHead(204).end();
  return true;
}
