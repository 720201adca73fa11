/** Names of hosts that a certificate is for. */
import { Duplex } from 'node:stream';
import { type SecureContext, TLSSocket } from 'node:tls';

const known = new WeakMap<SecureContext, readonly string[]>();

/** In small letters, `*.example.com` among them; addresses are left out. */
export function certificateNames(context: SecureContext): readonly string[] {
  const names = known.get(context) ?? readNames(context);
  known.set(context, names);
  return names;
}

/** Node gives a context's certificate to its connections only. */
function readNames(secureContext: SecureContext): readonly string[] {
  const nowhere = new Duplex({ read: () => undefined, write: () => undefined });
  const socket = new TLSSocket(nowhere, { isServer: true, secureContext });
  const certificate = socket.getCertificate();
  socket.destroy();
  const names = certificate !== null && 'subjectaltname' in certificate ? certificate.subjectaltname : '';
  return [...(names ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(([, name = '']) => name.toLowerCase());
}
