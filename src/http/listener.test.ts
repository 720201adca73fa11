/** The HTTP port: every request is answered, whatever its path. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpListener, listenHttp } from './listener.ts';

let http: HttpListener;
const failures: unknown[] = [];

beforeAll(async () => {
  http = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    connectionsMax: 20,
    ready: () => true,
    report: (error) => failures.push(error),
    metrics: () => [{ name: 'n', help: 'A number.', type: 'gauge', value: 7 }],
  });
});

afterAll(async () => {
  await http.close();
  expect(failures).toEqual([]);
});

/** The response, up to the end of the connection. */
async function ask(request: string): Promise<string> {
  const socket = connect(http.port, '127.0.0.1');
  socket.write(request);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  await once(socket, 'close');
  return text;
}

const get = (target: string, method = 'GET'): Promise<string> =>
  ask(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);

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
  expect(await get('/healthz', 'POST')).toMatch(/^HTTP\/1.1 405 /);
  expect(await ask('\0\0\0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
});

it('says so when there are too many connections', async () => {
  const idle = Array.from({ length: 20 }, () => connect(http.port, '127.0.0.1'));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  expect(await get('/healthz')).toMatch(/^HTTP\/1.1 503 [\s\S]*too many connections/);
  for (const socket of idle) socket.destroy();
});
