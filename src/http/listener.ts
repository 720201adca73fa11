/** The HTTP port: finds who answers a request in the one table of routes, after what all requests are looked at for. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type Caller, callerOf, isSafe } from './caller.ts';
import { certificateNames } from './certificate-names.ts';
import type { Console } from './console.ts';
import { allowOrigin } from './cors.ts';
import { answerText, type Exchange, type Route, TEXT } from './exchange.ts';
import { serveByFirstByte } from './first-byte.ts';
import { checkHost, checkOrigin } from './names.ts';
import { Refusal, refusalOf } from './refusal.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Connections at a time; one more is told so. */
  readonly connectionsMax: number;
  readonly secureContext: () => SecureContext;
  readonly certificates: {
    readonly areAsked: boolean;
    /** Fault of the client's, or that there is none where there must be; null: it may go on. */
    readonly fault: (socket: Socket) => string | null;
  };
  /** Networks of proxies that say who their clients are. */
  readonly trustedProxies: readonly string[];
  /** Names that the server goes by, beside addresses and those of its certificate. */
  readonly hosts: readonly string[];
  /** Origins of other pages that may send requests. */
  readonly origins: readonly string[];
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
  readonly routes: readonly Route[];
  /** Absent: there is none. */
  readonly console?: Console;
}

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

const TOO_MANY =
  'HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 21\r\n' +
  'connection: close\r\n\r\ntoo many connections\n';

/** @throws Error with `code` EADDRINUSE and its kin when the port cannot be had. */
export async function listenHttp(options: HttpOptions): Promise<HttpListener> {
  // A body may come as slowly as its reader lets it: who reads one has a bound of its own.
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(options, request, response).catch((thrown: unknown) => {
      const error = refusalOf(thrown);
      if (error instanceof Refusal && !response.headersSent) {
        // What is left of the request is not read.
        response.writeHead(error.status, { ...TEXT, ...error.headers, connection: 'close' });
        response.end(error.body);
        return;
      }
      if (!response.destroyed) options.report(error);
      if (!response.headersSent) response.writeHead(500, TEXT);
      response.end('internal error\n');
    });
  });
  const sockets = new Set<Socket>();
  serveByFirstByte(server, {
    secureContext: options.secureContext,
    asksCertificates: options.certificates.areAsked,
    admit(socket) {
      if (sockets.size >= options.connectionsMax) {
        socket.on('error', () => undefined);
        socket.write(TOO_MANY);
        socket.destroySoon();
        return null;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answer(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const there = options.routes.filter((one) => isAt(one, path));
  const route = there.find((one) => takes(one, request.method));
  const caller = checked(options, request, route === undefined ? 'name' : route.guard);
  const shared = there.flatMap(({ isShared, method }) => (isShared === true ? [method] : []));
  if (shared.length > 0 && allowOrigin(request, response, { origins: options.origins, methods: shared }))
    return;
  const exchange: Exchange = { request, response, caller, path, query: new URLSearchParams(query) };
  if (route !== undefined) await route.answer(exchange);
  else if ((await options.console?.(exchange)) !== true) answerNothing(exchange, there);
}

const isAt = ({ path: at }: Route, path: string): boolean =>
  at.endsWith('/') ? path.startsWith(at) : path === at;

const takes = ({ method }: Route, asked = ''): boolean =>
  method === 'any' || method === (asked === 'HEAD' ? 'GET' : asked);

/** @param there routes of other methods. */
function answerNothing(exchange: Exchange, there: readonly Route[]): void {
  const { request, response } = exchange;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const methods = there.map(({ method }) => method).join(', ');
  if (methods !== '') response.setHeader('allow', methods);
  if (isRead && methods === '') answerText(exchange, 'not found\n', 404);
  else answerText(exchange, methods === '' ? '' : `this path takes ${methods}\n`, 405);
}

/** @throws Refusal 400, 403, 421. */
function checked(options: HttpOptions, request: IncomingMessage, guard: Route['guard']): Caller {
  const caller = callerOf(request, options.trustedProxies);
  if (guard === 'nothing') return caller;
  const { hosts, origins, secureContext, certificates } = options;
  const fault = certificates.fault(request.socket);
  if (fault !== null) throw new Refusal(403, `this needs https with a valid client certificate: ${fault}`);
  const rules = { hosts: () => [...hosts, ...certificateNames(secureContext())], origins };
  checkHost(request, rules);
  checkOrigin(request, rules, caller.isEncrypted);
  const hasKey = request.headers.authorization !== undefined;
  if ((hasKey || guard === undefined) && !isSafe(caller)) throw keyInClear(hasKey);
  return caller;
}

function keyInClear(isTold: boolean): Refusal {
  const spoilt = isTold ? ' Others may have read the key on its way: make a new one.' : '';
  return new Refusal(
    403,
    'a key is not taken in clear over a network',
    `Use https, which this port speaks too.${spoilt}`,
  );
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
