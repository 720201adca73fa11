/** Requests to a server's HTTP port as attackers and proxies send them: from any address of this machine, with any header. */
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';

export interface Sent {
  readonly port: number;
  readonly path: string;
  /** Where it goes; loopback, unless it says otherwise. */
  readonly to?: string;
  /** Where it comes from: any of 127.0.0.0/8 is this machine. */
  readonly from?: string;
  readonly tls?: boolean;
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function send(sent: Sent): Promise<Answered> {
  const { port, path, to = '127.0.0.1', from, key, signal, body } = sent;
  const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...sent.headers };
  const request = (sent.tls === true ? tlsRequest : plainRequest)({
    host: to,
    port,
    path,
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    agent: false,
    ...(from !== undefined && { localAddress: from }),
    ...(signal !== undefined && { signal }),
    // Certificates are not what is tried here.
    rejectUnauthorized: false,
  });
  return await new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      const { statusCode = 0, headers: told } = response;
      text(response).then((whole) => resolve({ status: statusCode, headers: told, body: whole }), reject);
    });
    request.end(body);
  });
}

/** A statement by the tool `query` of agents. */
export const sendQuery = (sql: string, sent: Omit<Sent, 'path' | 'body'>): Promise<Answered> =>
  send({
    ...sent,
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...sent.headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'query', arguments: { sql } },
    }),
  });

/** An address of this machine on a network; null where it is on none. */
export function networkAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? null;
}
