/** The HTTP port: every request is answered, whatever its path. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateNames } from './certificate-names.ts';
import { healthRoutes } from './health.ts';
import { type HttpListener, listenHttp } from './listener.ts';
import { metricsRoute } from './metrics.ts';

let http: HttpListener;
let secureContext: SecureContext;
const failures: unknown[] = [];

/** For these names, and an address. */
async function contextFor(...names: string[]): Promise<SecureContext> {
  const altNames = [
    ...names.map((value) => ({ type: 2 as const, value })),
    { type: 7 as const, ip: '10.9.8.7' },
  ];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'unused.example' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return createSecureContext({ cert, key });
}

beforeAll(async () => {
  secureContext = await contextFor('db.example');
  http = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    connectionsMax: 20,
    secureContext: () => secureContext,
    certificates: { areAsked: false, fault: () => null },
    trustedProxies: [],
    hosts: [],
    origins: [],
    report: (error) => failures.push(error),
    routes: [
      ...healthRoutes(() => true),
      metricsRoute({ read: () => [{ name: 'n', help: 'A number.', type: 'gauge', value: 7 }], check: null }),
      { method: 'POST', path: '/api', answer: async ({ response }) => void response.end('api') },
    ],
  });
});

afterAll(async () => {
  await http.close();
  expect(failures).toEqual([]);
});

/** The response, up to the end of the connection. */
async function ask(request: string, isTls = false): Promise<string> {
  const to = { port: http.port, host: '127.0.0.1' };
  const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  socket.write(request);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  await once(socket, 'close');
  return text;
}

const get = (target: string, method = 'GET', host = 'localhost'): Promise<string> =>
  ask(`${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);

it.each([
  ['/healthz', 200],
  ['/readyz?now', 200],
  ['/metrics', 200],
  ['/', 404],
  ['//', 404],
  ['///healthz', 404],
  ['http://[', 404],
  ['/%', 404],
  ['/__proto__', 404],
  ['/constructor', 404],
  ['*', 404],
])('GET %s is answered by %d', async (target, status) => {
  expect(await get(target)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

it('refuses other methods, and what is no request', async () => {
  expect(await get('/healthz', 'POST')).toMatch(/^HTTP\/1.1 405 [\s\S]*allow: GET/i);
  expect(await get('/api')).toMatch(/^HTTP\/1.1 405 [\s\S]*this path takes POST/);
  expect(await get('/nothing', 'POST')).toMatch(/^HTTP\/1.1 405 /);
  expect(await ask('\0\0\0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
});

it('speaks TLS to who begins with it, on the same port', async () => {
  const request = 'GET /healthz HTTP/1.1\r\nhost: db.example\r\nconnection: close\r\n\r\n';
  expect(await ask(request, true)).toMatch(/^HTTP\/1.1 200 /);
  expect(await ask(request)).toMatch(/^HTTP\/1.1 200 /);
  const rest = connect(http.port, '127.0.0.1');
  rest.write(Buffer.from('160301000501000001ff', 'hex'));
  await once(
    rest.resume().on('error', () => undefined),
    'close',
  );
});

it('goes by the names of its certificate, addresses and localhost', async () => {
  for (const host of ['db.example', 'DB.example.:80', 'localhost:1', '10.0.0.1', '[::1]:8432']) {
    expect(await get('/metrics', 'GET', host), host).toMatch(/^HTTP\/1.1 200 /);
  }
  for (const host of [
    'evil.example',
    'db.example.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ]) {
    expect(await get('/metrics', 'GET', host), host).toMatch(/^HTTP\/1.1 421 [\s\S]*--http-hosts/);
    expect(await get('/healthz', 'GET', host), host).toMatch(/^HTTP\/1.1 200 /);
  }
  for (const host of ['', 'a b', 'a/b', 'user@localhost']) {
    expect(await get('/metrics', 'GET', host), host).toMatch(/^HTTP\/1.1 400 /);
  }
});

it('goes by the names of the certificate that it has now', async () => {
  const before = secureContext;
  secureContext = await contextFor('New.example', '*.many.example');
  expect(certificateNames(secureContext)).toEqual(['new.example', '*.many.example']);
  for (const [host, status] of [
    ['new.example', 200],
    ['a.many.example', 200],
    ['many.example', 421],
    ['a.b.many.example', 421],
    ['unused.example', 421],
    ['db.example', 421],
  ]) {
    expect(await get('/metrics', 'GET', String(host)), String(host)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} `),
    );
  }
  secureContext = before;
});

it('says so when there are too many connections', async () => {
  const idle = Array.from({ length: 20 }, () => connect(http.port, '127.0.0.1'));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  expect(await get('/healthz')).toMatch(/^HTTP\/1.1 503 [\s\S]*too many connections/);
  for (const socket of idle) socket.destroy();
});
