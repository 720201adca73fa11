/** The HTTP port: liveness, readiness and metrics. Console, `/sql` and `/mcp` come with their issues. */
import { createServer, type Server } from 'node:http';

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: number;
}

export interface HttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly ready: () => boolean;
  readonly metrics: () => readonly Metric[];
}

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

type Route = (options: HttpOptions) => Answer;

const ROUTES: Readonly<Record<string, Route>> = {
  '/healthz': () => ({ status: 200, body: 'ok\n' }),
  '/readyz': ({ ready }) =>
    ready() ? { status: 200, body: 'ready\n' } : { status: 503, body: 'starting\n' },
  '/metrics': ({ metrics }) => ({ status: 200, body: metrics().map(exposition).join('') }),
};

/** @throws Error with `code` EADDRINUSE and its kin when the port cannot be had. */
export async function listenHttp(options: HttpOptions): Promise<HttpListener> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const { status, body } = ROUTES[pathname]?.(options) ?? { status: 404, body: 'not found\n' };
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.writeHead(isRead ? status : 405, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(request.method === 'GET' ? body : '');
  });
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Prometheus' text format, version 0.0.4. */
function exposition({ name, help, type, value }: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
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
