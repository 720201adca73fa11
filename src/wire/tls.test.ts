/** TLS as the server opens it: suites and versions, files that change under a running server, files that do not fit. */
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateFiles } from './certificate.ts';
import { openTls, type ServerTls } from './tls.ts';

let folder: string;
let tls: ServerTls;
let server: Server;
/** Fingerprints of two pairs, of which the first is there at the beginning. */
const prints: string[] = [];
const log: string[] = [];
const write = (event: string, fields: object): void => void log.push(`${event} ${JSON.stringify(fields)}`);

const path = (name: string): string => join(folder, name);
const put = (pair: string, ...files: readonly string[]): void => {
  for (const file of files) copyFileSync(join(folder, pair, file), path(file));
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-tls-'));
  for (const pair of ['first', 'second']) {
    const { certificate } = await certificateFiles({ certificate: null, key: null, folder: path(pair) });
    prints.push(new X509Certificate(readFileSync(certificate)).fingerprint256);
  }
  put('first', 'server.crt', 'server.key');
  tls = await openTls({ certificate: path('server.crt'), key: path('server.key'), folder });
  server = createServer((socket) => {
    new TLSSocket(socket, { isServer: true, secureContext: tls.context }).on('error', () => {}).resume();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

const opened = (options: ConnectionOptions = {}): Promise<TLSSocket | null> => {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => resolve(socket)).once('error', () => resolve(null));
  });
};

async function shown(): Promise<string | undefined> {
  const socket = await opened();
  const print = socket?.getPeerX509Certificate()?.fingerprint256;
  socket?.destroy();
  return print;
}

it('takes suites that authenticate what they encrypt, no other, and no version before 1.2', async () => {
  const attempt = async (options: ConnectionOptions): Promise<string> => {
    const socket = await opened(options);
    const name = socket?.getCipher().name ?? 'none';
    socket?.destroy();
    return name;
  };
  const old = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  const taken = 'ECDHE-ECDSA-AES128-GCM-SHA256';
  expect(await attempt({ ...old, ciphers: taken })).toBe(taken);
  for (const ciphers of [
    'ECDHE-ECDSA-AES128-SHA',
    'ECDHE-ECDSA-AES256-SHA384',
    'ECDHE-ECDSA-AES128-SHA256',
  ]) {
    expect(await attempt({ ...old, ciphers })).toBe('none');
  }
  // The client itself allows it by its lowest level of security.
  const oldest = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  expect(await attempt(oldest)).toBe('none');
});

it('begins nothing where another connection ended, which would show no certificate', async () => {
  const versions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  const first = (await opened(versions)) as TLSSocket;
  const session = first.getSession() as Buffer;
  first.destroy();
  const second = (await opened({ ...versions, session })) as TLSSocket;
  const isReused = second.isSessionReused();
  second.destroy();
  expect(isReused).toBe(false);
});

it('gives new connections a new certificate, and leaves open ones alone', async () => {
  const open = (await opened()) as TLSSocket;
  put('second', 'server.crt', 'server.key');
  expect(await shown()).toBe(prints[0]);
  expect(tls.reload(write)).toBe(true);
  expect(await shown()).toBe(prints[1]);
  expect(log.at(-1)).toContain(prints[1]);
  await new Promise((done) => open.write('still open', done));
  expect(open.getPeerX509Certificate()?.fingerprint256).toBe(prints[0]);
  open.destroy();
});

const cut = (name: string): void => writeFileSync(path(name), readFileSync(path(name)).subarray(0, -40));

it.each<[string, () => void, string]>([
  ['a certificate that is cut', () => cut('server.crt'), 'is not whole'],
  ['a key that is cut', () => cut('server.key'), 'could not read'],
  ['an empty file', () => writeFileSync(path('server.crt'), ''), 'there is no certificate'],
  ['an empty key', () => writeFileSync(path('server.key'), ''), 'could not read'],
  ['a key of another certificate', () => put('first', 'server.key'), 'is not that of the certificate'],
  ['a file taken away', () => rmSync(path('server.crt')), 'ENOENT'],
  ['a key taken away', () => rmSync(path('server.key')), 'ENOENT'],
])('keeps what it has with %s', async (_, spoil, message) => {
  put('second', 'server.crt', 'server.key');
  tls.reload(write);
  spoil();
  expect(tls.reload(write)).toBe(false);
  expect(log.at(-1)).toContain(message);
  expect(log.at(-1)).not.toContain('PRIVATE KEY');
  expect(await shown()).toBe(prints[1]);
  await expect(openTls({ certificate: path('server.crt'), key: path('server.key'), folder })).rejects.toThrow(
    message,
  );
});

it('sees by itself that files change, and takes them once both are there', async () => {
  put('second', 'server.crt', 'server.key');
  tls.reload(write);
  log.length = 0;
  using _ = tls.watch(write, 20);
  put('first', 'server.crt');
  while (!log.some((line) => line.includes('is not that of'))) await sleep(5);
  expect(await shown()).toBe(prints[1]);
  put('first', 'server.key');
  while (!log.some((line) => line.includes(prints[0] as string))) await sleep(5);
  expect(await shown()).toBe(prints[0]);
});

it('takes authorities of clients only whole, and nothing else for one', async () => {
  put('first', 'server.crt', 'server.key');
  const files = { certificate: path('server.crt'), key: path('server.key'), folder };
  const open = (clientCa: string): Promise<ServerTls> => openTls({ ...files, clientCa });
  await expect(open(path('server.crt'))).rejects.toThrow("is not an authority's");
  await expect(open(path('server.key'))).rejects.toThrow('there is no certificate');
  await expect(open(path('nowhere'))).rejects.toThrow('ENOENT');
  expect(tls.clientAuth).toBe('none');
});
