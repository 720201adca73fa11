/**
 * The SQL port. Counts connections: a client above the limit is refused with 53300, and where too many have
 * not signed in yet, the oldest of them goes, so that a flood of idle ones keeps nobody out. On shutdown idle
 * ones end at once with 57P01, busy ones with their statement, whoever is left after a while by force.
 */
import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { SqlError } from '../errors.ts';
import type { SessionFactory } from '../session/protocol.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { InnerSide } from './inner-way.ts';
import type { ServerTls } from './tls.ts';

const SHUTDOWN_GRACE_MS = 5000;

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly factory: SessionFactory;
  readonly tls: ServerTls;
  readonly limits: ConnectionLimits;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface SqlListener {
  readonly port: number;
  /** Clients signed in. */
  sessionCount(): number;
  /** Lets a client of the server's own in, for somebody else. @param peer address of whom it serves. */
  enter(peer: string): InnerSide;
  close(): Promise<void>;
}

/** @throws Error with `code` EADDRINUSE and its kin when the port cannot be had. */
export async function listenSql(options: ListenerOptions): Promise<SqlListener> {
  const { limits } = options;
  const connections = new Set<Connection>();
  /** In the order in which they came. */
  const waiting = new Set<Connection>();
  const signedInCount = (): number => connections.size - waiting.size;
  const isFull = (): boolean => signedInCount() >= limits.signedIn;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    accept(socket, { remoteAddress: socket.remoteAddress ?? '', isInner: false }),
  );

  function accept(socket: Duplex, from: Pick<ConnectionOptions, 'remoteAddress' | 'isInner'>): void {
    if (waiting.size >= limits.waiting) giveUpOldest();
    const connection = new Connection(socket, {
      ...options,
      ...from,
      full: isFull,
      admit: (opened) => !isFull() && waiting.delete(opened),
      onClose: (closed) => {
        connections.delete(closed);
        waiting.delete(closed);
      },
    });
    connections.add(connection);
    waiting.add(connection);
  }

  /** Whoever has sent nothing for the longest; one whose key is being checked only where there is no other. */
  function giveUpOldest(): void {
    let oldest: Connection | undefined;
    for (const candidate of waiting) {
      oldest ??= candidate;
      if (candidate.isBusy) continue;
      oldest = candidate;
      break;
    }
    if (oldest === undefined) return;
    connections.delete(oldest);
    waiting.delete(oldest);
    oldest.giveUp(new SqlError('too_many_connections', 'too many connections have not signed in yet'));
  }

  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    sessionCount: signedInCount,
    enter(peer) {
      const { client, server: own } = InnerSide.pair();
      accept(own, { remoteAddress: peer, isInner: true });
      return client;
    },
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
