/**
 * One port for HTTP with and without TLS: a handshake begins with a byte that no request begins with. One thing to know: node
 * takes a connection once, so its own listener is put behind this one, and keeps its bounds of time and its list of connections.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';

const TLS_HANDSHAKE = 0x16;
/** As long as node waits for the headers of a request. */
const FIRST_BYTE_MS_MAX = 60_000;

export interface FirstByteOptions {
  /** Asked for each connection: certificates are replaced. */
  readonly secureContext: () => SecureContext;
  /** Null: the connection is refused, and answered already. */
  readonly admit: (socket: Socket) => Socket | null;
}

/** @param server not listening yet. */
export function serveByFirstByte(server: Server, { secureContext, admit }: FirstByteOptions): void {
  const [serve] = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (admit(socket) === null) return;
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    const late = setTimeout(onError, FIRST_BYTE_MS_MAX);
    const over = (): void => clearTimeout(late);
    socket.once('close', over);
    socket.once('readable', () => {
      over();
      const first = socket.read(1) as Buffer | null;
      if (first === null) {
        socket.destroy();
        return;
      }
      socket.unshift(first);
      const isTls = first[0] === TLS_HANDSHAKE;
      serve?.call(server, isTls ? secured(socket, secureContext()) : socket);
    });
  });
}

function secured(socket: Socket, secureContext: SecureContext): TLSSocket {
  const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
  secure.on('_tlsError', () => socket.destroy());
  return secure;
}
