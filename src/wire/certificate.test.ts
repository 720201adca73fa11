/** The certificate that the server makes for itself: whom a client reaches by it, told to trust it or not. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateFiles } from './certificate.ts';

const NAMES = ['db.example', '192.0.2.7', '0.0.0.0', 'not a name', 'db.example'];

let folder: string;
let cert: Buffer;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-certificate-'));
  await certificateFiles({ certificate: null, key: null, folder, names: NAMES });
  cert = readFileSync(join(folder, 'server.crt'));
  server = createServer({ cert, key: readFileSync(join(folder, 'server.key')) }, (socket) => socket.end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

/** @returns null, or the code of what the client found wrong. */
function fault(servername: string, trusted: { readonly ca?: Buffer }): Promise<string | null> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername, ...trusted });
    socket.once('secureConnect', () => resolve(null)).once('secureConnect', () => socket.destroy());
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

it.each(['localhost', 'db.example'])('is trusted as %s by who has its file', async (name) => {
  expect(await fault(name, { ca: cert })).toBe(null);
});

it('is trusted by nobody else, and under no other name', async () => {
  expect(await fault('localhost', {})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(await fault('other.example', { ca: cert })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

it('names what it is for once each, without what is no name', () => {
  const own = ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'];
  const { subjectAltName } = new X509Certificate(cert);
  expect(subjectAltName?.split(', ')).toEqual([...own, 'DNS:db.example', 'IP Address:192.0.2.7']);
});

it('is no authority: its key signs nothing that a client would trust', () => {
  const { ca, keyUsage } = new X509Certificate(cert);
  expect({ ca, keyUsage }).toEqual({ ca: false, keyUsage: ['1.3.6.1.5.5.7.3.1'] });
});
