/** Facts of a connection by its TLS: a hash to bind proofs to, the protocol that was agreed on, and the client's certificate. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { channelBinding } from './channel-binding.ts';

export interface Channel {
  /** Hash of the server's certificate; null: there is nothing to bind to. */
  readonly binding: Uint8Array | null;
  /** By ALPN; null: the client named none. */
  readonly protocol: string | null;
  /** Null: the client showed none. */
  readonly client: ClientCertificate | null;
}

/** The name that an authority of ours vouches for, or why it does not. */
export type ClientCertificate = { readonly commonName: string } | { readonly fault: string };

/** Once the connection has got as far as bytes of the client's. */
export function channelOf(socket: Duplex): Channel {
  if (!(socket instanceof TLSSocket)) return { binding: null, protocol: null, client: null };
  const { alpnProtocol } = socket;
  return {
    binding: channelBinding(socket),
    protocol: typeof alpnProtocol === 'string' ? alpnProtocol : null,
    client: clientCertificate(socket),
  };
}

function clientCertificate(socket: TLSSocket): ClientCertificate | null {
  // Nothing, or an object without anything in it.
  const shown = socket.getPeerCertificate() as ReturnType<TLSSocket['getPeerCertificate']> | undefined;
  if (shown?.raw === undefined) return null;
  const fault = verifyFault(socket);
  if (fault !== null) return { fault };
  const name: unknown = shown.subject?.CN;
  if (Array.isArray(name)) return { fault: 'it has several common names' };
  if (typeof name !== 'string' || name === '') return { fault: 'it has no common name' };
  return name.includes('\0') ? { fault: 'its common name has a zero byte' } : { commonName: name };
}

/** Node tells it to servers of its own making only; where it would not say any more, no certificate is good. */
function verifyFault(socket: TLSSocket): string | null {
  const { _handle: handle } = socket as { _handle?: { verifyError?: () => Error | null } };
  if (handle?.verifyError === undefined) return 'it cannot be verified';
  return handle.verifyError()?.message ?? null;
}
