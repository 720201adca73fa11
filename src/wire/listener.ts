/**
 * The SQL port. Counts connections, refuses those above the limit with 53300, and ends them all on shutdown:
 * idle ones at once with 57P01, busy ones with their statement, whoever is left after a while by force.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { SecureContext } from 'node:tls';
import { SqlError } from '../errors.ts';
import { CONNECTIONS_BEFORE_AUTH_COUNT_MAX, CONNECTIONS_COUNT_MAX } from '../limits.ts';
import type { SessionFactory } from '../session/protocol.ts';
import { Connection } from './connection.ts';
import { PasswordThrottle } from './throttle.ts';

/** Connections that are told that there are too many; above these they are cut without a word. */
const REFUSED_COUNT_MAX = 100;

const SHUTDOWN_GRACE_MS = 5000;

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly factory: SessionFactory;
  readonly secureContext: SecureContext;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface SqlListener {
  readonly port: number;
  /** Clients signed in. */
  sessionCount(): number;
  close(): Promise<void>;
}

/** @throws Error with `code` EADDRINUSE and its kin when the port cannot be had. */
export async function listenSql(options: ListenerOptions): Promise<SqlListener> {
  const throttle = new PasswordThrottle(() => performance.now());
  const connections = new Set<Connection>();
  const signedIn = new Set<Connection>();
  const waitingCount = (): number => connections.size - signedIn.size;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => accept(socket));

  function accept(socket: Socket): void {
    if (waitingCount() >= CONNECTIONS_BEFORE_AUTH_COUNT_MAX + REFUSED_COUNT_MAX) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, {
      ...options,
      throttle,
      full: () =>
        signedIn.size >= CONNECTIONS_COUNT_MAX || waitingCount() > CONNECTIONS_BEFORE_AUTH_COUNT_MAX,
      onSession: (opened) => signedIn.add(opened),
      onClose: (closed) => {
        connections.delete(closed);
        signedIn.delete(closed);
      },
    });
    connections.add(connection);
  }

  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    sessionCount: () => signedIn.size,
    close: () => closeAll(server, connections),
  };
}

function listen(server: Server, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeAll(server: Server, connections: ReadonlySet<Connection>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const message = 'terminating connection due to administrator command';
  const reason = new SqlError('admin_shutdown', message, { severity: 'FATAL' });
  for (const connection of connections) connection.stop(reason);
  const force = setTimeout(() => {
    for (const connection of connections) connection.destroy();
  }, SHUTDOWN_GRACE_MS);
  await closed;
  clearTimeout(force);
}
