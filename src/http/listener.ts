/** The HTTP port: liveness, readiness, metrics, and what is handed in: `/sql`, `/mcp`, sign-in, the console. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type Caller, callerOf, isSafe } from './caller.ts';
import { certificateNames } from './certificate-names.ts';
import type { Console } from './console.ts';
import { type Exchange, GUARDED, type Route } from './exchange.ts';
import { serveByFirstByte } from './first-byte.ts';
import type { Handler } from './handler.ts';
import { type MetricsDoor, readMetrics } from './metrics.ts';
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
  readonly ready: () => boolean;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
  readonly metrics: MetricsDoor;
  /** By path, or by its beginning up to its second `/`; they need a key. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** They need a key, or give one. */
  readonly routes?: readonly Route[];
  /** Absent: there is none. */
  readonly console?: Console;
}

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

type HealthCheck = (options: HttpOptions) => Answer;

const METRICS = '/metrics';

/** They tell nothing, and are asked by machines that know neither names nor keys. */
const HEALTH: Readonly<Record<string, HealthCheck>> = {
  '/healthz': () => ({ status: 200, body: 'ok\n' }),
  '/readyz': ({ ready }) =>
    ready() ? { status: 200, body: 'ready\n' } : { status: 503, body: 'starting\n' },
};

const TEXT = { ...GUARDED, 'content-type': 'text/plain; charset=utf-8' };

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
  if (Object.hasOwn(HEALTH, path)) {
    show(HEALTH[path]?.(options), request, response);
    return;
  }
  const { routes = [], metrics } = options;
  const route = routes.find((one) => isOf(one, path, request.method));
  const handler = handlerOf(options, path);
  const isHandled = handler !== undefined || route !== undefined;
  const needsKey = isHandled || (path === METRICS && metrics.check !== null);
  const caller = checked(options, request, needsKey);
  const exchange: Exchange = { request, response, caller, path, query: new URLSearchParams(query) };
  if (route !== undefined) {
    await route.answer(exchange);
    return;
  }
  if (handler !== undefined) {
    await handler(request, response, caller);
    return;
  }
  if (path !== METRICS) {
    if ((await options.console?.(exchange)) !== true) show(undefined, request, response);
    return;
  }
  const body = await readMetrics(metrics, request.headers.authorization, caller.peer);
  show({ status: 200, body }, request, response);
}

function handlerOf({ handlers = {} }: HttpOptions, path: string): Handler | undefined {
  const names = [path, path.slice(0, path.indexOf('/', 1) + 1)];
  const name = names.find((known) => Object.hasOwn(handlers, known));
  return name === undefined ? undefined : handlers[name];
}

/** HEAD is answered as GET, without its body. */
function isOf(route: Route, path: string, method: string | undefined): boolean {
  const isAt = route.path.endsWith('/') ? path.startsWith(route.path) : path === route.path;
  return isAt && route.method === (method === 'HEAD' ? 'GET' : method);
}

/** @throws Refusal 400, 403, 421. */
function checked(options: HttpOptions, request: IncomingMessage, needsKey: boolean): Caller {
  const caller = callerOf(request, options.trustedProxies);
  const { hosts, origins, secureContext, certificates } = options;
  const fault = certificates.fault(request.socket);
  if (fault !== null) throw new Refusal(403, `this needs https with a valid client certificate: ${fault}`);
  const rules = { hosts: () => [...hosts, ...certificateNames(secureContext())], origins };
  checkHost(request, rules);
  checkOrigin(request, rules, caller.isEncrypted);
  const hasKey = request.headers.authorization !== undefined;
  if ((hasKey || needsKey) && !isSafe(caller)) throw keyInClear(hasKey);
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

function show(shown: Answer | undefined, request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = shown ?? { status: 404, body: 'not found\n' };
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // The rest of a request that nobody reads keeps no connection.
  const rest = request.complete ? {} : { connection: 'close' };
  response.writeHead(isRead ? status : 405, { ...TEXT, ...rest });
  response.end(request.method === 'GET' ? body : '');
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
