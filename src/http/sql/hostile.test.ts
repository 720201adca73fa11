/**
 * `/sql` under requests that no client sends: broken HTTP, broken JSON, bodies that lie. Whatever comes, it is answered by 4xx or its
 * connection ends, no session stays, and others are answered.
 */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
});

afterEach(async () => {
  expect(await door.rows('SELECT 1')).toEqual([[1]]);
  for (let left = 1; left > 0; left = [...door.database.factory.activity()].length) await pause(1);
  expect(door.failures).toEqual([]);
});

afterAll(() => door[Symbol.asyncDispose]());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const HEAD = 'POST /sql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\n';
const JSON_HEAD = `${HEAD}content-type: application/json\r\n`;
const SELECT = '{"statement": "SELECT 1"}';
const LONG_MS = 3_000;

/** Statuses of the answers up to the end of the connection, which is ended here once they have all come. */
async function statuses(pieces: readonly (string | Uint8Array)[], wanted = 1): Promise<readonly number[]> {
  const socket = connect(door.http.port, '127.0.0.1').on('error', () => undefined);
  const found: number[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setEncoding('latin1').on('data', (text: string) => {
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) (?!Continue)/g)) found.push(Number(status));
    if (found.length >= wanted) socket.end();
  });
  for (const piece of pieces) {
    if (!socket.destroyed) socket.write(piece);
    await pause(1);
  }
  const late = setTimeout(() => socket.destroy(), LONG_MS);
  await closed;
  clearTimeout(late);
  return found;
}

const sized = (body: string, head = JSON_HEAD): string =>
  `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (body: string): string => `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n${body}`;

describe('HTTP', () => {
  it.each<[string, readonly string[], readonly number[]]>([
    ['two lengths', [`${JSON_HEAD}content-length: 5\r\ncontent-length: 25\r\n\r\n${SELECT}`], [400]],
    [
      'a length and chunks',
      [`${JSON_HEAD}content-length: 25\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
      [400],
    ],
    ['a negative length', [`${JSON_HEAD}content-length: -1\r\n\r\n`], [400]],
    ['an endless length', [`${JSON_HEAD}content-length: 99999999999999999999\r\n\r\n`], [400]],
    ['a length over the limit', [`${JSON_HEAD}content-length: 900000000\r\n\r\n`], [413]],
    ['no length', [`${JSON_HEAD}\r\n`], [400]],
    ['a chunk of no size', [chunked('zz\r\n{}\r\n')], [400]],
    ['a chunk of a large size', [chunked('ffffffffffffffffff\r\n{}\r\n')], [400]],
    ['long extensions of chunks', [chunked(`1;${'x'.repeat(20_000)}\r\n{\r\n`)], [413]],
    ['many headers', [`${JSON_HEAD}${'a: b\r\n'.repeat(50_000)}\r\n`], [431]],
    ['a long header', [`${JSON_HEAD}a: ${'b'.repeat(100_000)}\r\n\r\n`], [431]],
    ['a header in two lines', [`${JSON_HEAD}x: y\r\n continued\r\ncontent-length: 0\r\n\r\n`], [400]],
    ['another method', ['BREW /sql HTTP/1.1\r\nhost: localhost\r\n\r\n'], [400]],
    ['another version', ['POST /sql HTTP/3.0\r\nhost: localhost\r\n\r\n'], [400]],
    [
      'an upgrade',
      [`${JSON_HEAD}connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 0\r\n\r\n`],
      [400],
    ],
  ])('with %s is refused', async (_, pieces, wanted) => {
    expect(await statuses(pieces)).toEqual(wanted);
  });

  it('byte by byte is a request as any other', async () => {
    expect(await statuses([...sized(SELECT)])).toEqual([200]);
    const body = [...SELECT].map((one) => `1\r\n${one}\r\n`);
    expect(await statuses([chunked(''), ...body, '0\r\n\r\n'])).toEqual([200]);
  });

  it('pipelined is answered in order', async () => {
    const bad = sized('{');
    const all = [SELECT, SELECT].map((body) => sized(body)).join('');
    expect(await statuses([all + bad + all], 5)).toEqual([200, 200, 400, 200, 200]);
    const many = await statuses([sized(SELECT).repeat(300)], 300);
    expect(many).toEqual(Array(300).fill(200));
  });

  it('that ends half way leaves nothing', async () => {
    for (const piece of [
      HEAD,
      JSON_HEAD,
      `${JSON_HEAD}content-length: 25\r\n\r\n{"state`,
      chunked('5\r\n{"sta'),
    ]) {
      const socket = connect(door.http.port, '127.0.0.1').on('error', () => undefined);
      socket.write(piece);
      await pause(20);
      socket.destroy();
    }
  });

  it('over HTTP without JSON, an address that is none, an id that is none', async () => {
    for (const path of [
      '/sql?',
      '/sql?%',
      '/sql?statement=%ff',
      '/sql?statement=a&statement=%00',
      '/sql#x',
    ]) {
      const { status } = await door.fetch('', { path, headers: { 'content-type': 'text/plain' } });
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
    for (const path of ['/sql/', '/sql/%', '/sql/%00', `/sql/${'x'.repeat(5_000)}`, '/sql/..%2f..']) {
      expect((await door.fetch(undefined, { path, method: 'DELETE' })).status, path).toBe(404);
    }
  });
});

describe('JSON', () => {
  it.each<[string, string, number]>([
    ['deep lists', `{"statement": "SELECT $1", "params": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 413],
    [
      'deep documents',
      `{"statement": "SELECT $1::jsonb", "params": [${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]}`,
      413,
    ],
    ['a number without end', `{"statement": "SELECT $1::numeric", "params": [${'9'.repeat(200_000)}]}`, 400],
    ['a large exponent', '{"statement": "SELECT $1::float8", "params": [1e999999]}', 400],
    ['many parameters', `{"statement": "SELECT 1", "params": [${'1,'.repeat(100_000)}1]}`, 400],
    ['many settings', `{"statement": "SELECT 1", "settings": {${'"a":1,'.repeat(10_000)}"b":1}}`, 404],
    ['a byte order mark', `\ufeff${SELECT}`, 400],
    ['two values', `${SELECT}${SELECT}`, 400],
    ['a comment', `/**/${SELECT}`, 400],
  ])('with %s is refused', async (_, body, status) => {
    expect((await door.fetch(body)).status).toBe(status);
  });

  it('of any kind is answered by what is no mistake of ours', async () => {
    const field = fc.constantFrom(
      'statement',
      'params',
      'settings',
      'request_id',
      'transaction',
      '__proto__',
    );
    const request = fc.dictionary(field, fc.jsonValue(), { maxKeys: 4 });
    const statement = fc.constantFrom(
      'SELECT $1',
      'SELECT $1::jsonb',
      'SELECT $1::int[]',
      'SELECT $1::vector',
      ';;',
    );
    const asked = fc.record({ statement, params: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 2 }) });
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, asked), async (body) => {
        const { status, lines } = await door.ask(body);
        expect([200, 400, 404, 413]).toContain(status);
        expect(lines.length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it('with bytes changed is answered too', async () => {
    const whole = JSON.stringify({
      statement: 'SELECT $1::text, 2',
      params: ['é🦉'],
      settings: { work_mem: '8MB' },
    });
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        const { status } = await door.fetch(bytes);
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: 150 },
    );
  });
});

describe('an address', () => {
  it('of any fields, with any data, is answered by what is no mistake of ours', async () => {
    const statement = fc.constantFrom(
      'COPY t FROM STDIN',
      'COPY t FROM STDIN (FORMAT binary)',
      'SELECT $1',
      '',
    );
    const name = fc.constantFrom('statement', 'params', 'settings', 'request_id', 'transaction', 'plan', 'x');
    const fields = fc.dictionary(name, fc.oneof(fc.string(), fc.json()), { maxKeys: 3 });
    const accept = fc.constantFrom('*/*', 'text/csv', 'application/octet-stream');
    await door.rows('CREATE TABLE t (id int, name text)');
    await fc.assert(
      fc.asyncProperty(
        fc.record({ statement, fields, accept, data: fc.uint8Array({ maxLength: 200 }) }),
        async ({ statement, fields, accept, data }) => {
          const path = `/sql?${new URLSearchParams({ statement, ...fields })}`;
          const { status } = await door.fetch(data, { path, headers: { accept, 'content-type': 'x/y' } });
          expect([200, 400, 404, 409, 413]).toContain(status);
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('a client that sends its body slowly keeps nobody waiting', async () => {
  const slow = Array.from({ length: 30 }, () => {
    const socket = connect(door.http.port, '127.0.0.1').on('error', () => undefined);
    socket.write(`${JSON_HEAD}content-length: 1000\r\n\r\n{`);
    return socket;
  });
  for (let i = 0; i < 5; i++) expect(await door.rows('SELECT 1')).toEqual([[1]]);
  for (const socket of slow) socket.destroy();
});
