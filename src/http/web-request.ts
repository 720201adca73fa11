/** Between node's requests and the web's, for handlers that are written to the web's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Exchange, Route } from './exchange.ts';
import { Refusal } from './refusal.ts';

/** @param peer address that the request has come from. */
export type WebHandler = (request: Request, peer: string) => Promise<Response>;

/** The request's signal is aborted when the client goes away. */
function webRequest(incoming: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
    method: incoming.method ?? 'GET',
    headers,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const }),
  });
}

export const byWeb =
  (handler: WebHandler): Route['answer'] =>
  async ({ request, response, caller }: Exchange): Promise<void> => {
    // Requests of the web know none.
    if (request.method === 'TRACE') throw new Refusal(405, 'the method TRACE is not answered here');
    const { status, headers, body } = await handler(webRequest(request, response), caller.peer);
    response.writeHead(status, Object.fromEntries(headers));
    if (body === null) response.end();
    else await pipeline(Readable.fromWeb(body as NodeReadableStream), response);
  };
