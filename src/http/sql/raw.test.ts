/** Bodies that are data, and answers that are: COPY both ways, values of type bytea. */
import { request as send } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, sqlstateOf, tokenOf } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
  await door.rows('CREATE TABLE t (id int PRIMARY KEY, name text); CREATE TABLE files (id int, bytes bytea)');
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

/** With its body as data. */
function put(statement: string, body: string | Uint8Array, more: Readonly<Record<string, string>> = {}) {
  const path = `/sql?${new URLSearchParams({ statement, ...more })}`;
  return door.ask(body, { path, headers: { 'content-type': 'application/octet-stream' } });
}

async function get(statement: string, accept: string) {
  const response = await door.fetch({ statement }, { headers: { accept } });
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) };
}

describe('data of a request', () => {
  it('is that of COPY FROM STDIN', async () => {
    const { lines } = await put('COPY t FROM STDIN (FORMAT csv)', '1,a\n2,"b\nc"\n');
    expect(lines).toEqual([{ done: { tag: 'COPY 2', lsn: expect.any(String) } }]);
    expect(await door.rows('SELECT * FROM t ORDER BY id')).toEqual([
      [1, 'a'],
      [2, 'b\nc'],
    ]);
  });

  it('may come in many pieces, by a body of no known length', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i + 100}\tname ${i}\n`);
    const statement = encodeURIComponent('COPY t FROM STDIN');
    const request = send(`${door.url}/sql?statement=${statement}`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'text/plain' },
    });
    Readable.from(rows).pipe(request);
    const answer = await new Promise<string>((resolve, reject) => {
      request.on('response', (response) => text(response).then(resolve, reject)).on('error', reject);
    });
    expect(JSON.parse(answer)).toMatchObject({ done: { tag: 'COPY 20000' } });
  });

  it('is all or nothing', async () => {
    const { status, lines } = await put('COPY t FROM STDIN', '50\tx\n51\n');
    expect([status, sqlstateOf(lines)]).toEqual([400, '22P04']);
    expect(await door.rows('SELECT id FROM t WHERE id IN (50, 51)')).toEqual([]);
  });

  it('whose client goes is taken back', async () => {
    const request = send(`${door.url}/sql?statement=${encodeURIComponent('COPY t FROM STDIN')}`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'text/plain' },
    });
    request.on('error', () => undefined);
    request.write('60\tx\n');
    const running = "SELECT 1 FROM pg_stat_activity WHERE query = 'COPY t FROM STDIN' AND state = 'active'";
    while ((await door.rows(running)).length === 0);
    request.destroy();
    while ((await door.rows(running)).length > 0);
    expect(await door.rows('SELECT id FROM t WHERE id = 60')).toEqual([]);
  });

  it('is cancelled while it waits for more', async () => {
    const token = tokenOf((await door.ask({ statement: 'BEGIN' })).lines);
    const path = `/sql?${new URLSearchParams({ statement: 'COPY t FROM STDIN', transaction: token })}`;
    const headers = { authorization: 'Bearer secret', 'content-type': 'text/plain' };
    const request = send(`${door.url}${path}`, { method: 'POST', headers });
    request.write('61\tx\n');
    const answer = new Promise<string>((resolve) => {
      request.on('response', (response) => text(response).then(resolve));
    });
    const pid = "SELECT pid FROM pg_stat_activity WHERE query = 'COPY t FROM STDIN' AND state = 'active'";
    let found: readonly unknown[] = [];
    while (found.length === 0) found = await door.rows(pid);
    await door.rows('SELECT pg_cancel_backend($1)', found[0] as unknown[]);
    expect(await answer).toContain('57014');
    request.destroy();
    await door.ask({ statement: 'ROLLBACK', transaction: token });
  });

  it('is the first parameter of another statement', async () => {
    const bytes = Buffer.from([0, 1, 255, 10]);
    const { lines } = await put('INSERT INTO files VALUES ($2, $1)', bytes, { params: '[7]' });
    expect(lines).toMatchObject([{ done: { tag: 'INSERT 0 1' } }]);
    expect(await door.rows('SELECT * FROM files')).toEqual([[7, '\\x0001ff0a']]);
    const { lines: read } = await put('SELECT $1::jsonb', '{"a": 1}');
    expect(read[1]).toEqual({ rows: [[{ a: 1 }]] });
    expect(sqlstateOf((await put('SELECT $1::text', bytes)).lines)).toBe('22021');
  });

  it.each<[string, string, string, Record<string, string>, number, string]>([
    ['of a statement that takes none', "INSERT INTO t VALUES (70, '')", 'x', {}, 400, '08P01'],
    ['without a statement', '', 'x', {}, 400, '08P01'],
    ['with what is no JSON', 'SELECT $1', 'x', { params: '[' }, 400, '22032'],
    ['with a field too much', 'SELECT $1', 'x', { more: '' }, 400, '22023'],
    ['of a foreign transaction', 'COPY t FROM STDIN', '72\tx\n', { transaction: 'x' }, 404, '25P01'],
  ])('%s is refused', async (_, statement, body, more, expected, sqlstate) => {
    const { status, lines } = await put(statement, body, more);
    expect([status, sqlstateOf(lines)]).toEqual([expected, sqlstate]);
    expect(await door.rows('SELECT id FROM t WHERE id BETWEEN 70 AND 79')).toEqual([]);
  });

  it('is not read where it is packed', async () => {
    const packed = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
    const path = `/sql?${new URLSearchParams({ statement: 'COPY t FROM STDIN' })}`;
    expect((await door.fetch('x', { path, headers: packed })).status).toBe(415);
  });
});

describe('a raw answer', () => {
  it('is the data of COPY TO STDOUT', async () => {
    const csv = await get(
      'COPY (SELECT id, name FROM t WHERE id < 3 ORDER BY id) TO STDOUT (FORMAT csv)',
      'text/csv',
    );
    expect([csv.status, csv.type, csv.body.toString()]).toEqual([200, 'text/csv', '1,a\n2,"b\nc"\n']);
    const binary = await get('COPY t TO STDOUT (FORMAT binary)', 'text/csv');
    expect([binary.type, binary.body.toString('latin1', 0, 6)]).toEqual([
      'application/octet-stream',
      'PGCOPY',
    ]);
    const all = await get('COPY (SELECT i FROM generate_series(1, 200000) AS i) TO STDOUT', 'text/plain');
    expect(all.body.toString().split('\n').length).toBe(200_001);
  });

  it('is one value of type bytea', async () => {
    const { type, body } = await get("SELECT '\\x00ff41'::bytea", 'application/octet-stream;q=0.9, */*');
    expect([type, body]).toEqual(['application/octet-stream', Buffer.from([0, 255, 65])]);
    const [[bytes]] = [
      [(await get("SELECT decode(repeat('ab', 500000), 'hex')", 'application/octet-stream')).body],
    ];
    expect(bytes?.length).toBe(500_000);
  });

  it.each<[string, number, string]>([
    ['SELECT 1', 400, '42804'],
    ["SELECT 'a'::bytea, 'b'::bytea", 400, '42804'],
    ["SELECT 'a'::bytea WHERE false", 400, '21000'],
    ["SELECT 'a'::bytea FROM generate_series(1, 2)", 400, '21000'],
    ['INSERT INTO files VALUES (80, NULL)', 400, '21000'],
    ['SELECT 1; SELECT 2', 400, '42601'],
    ['COPY nowhere TO STDOUT', 404, '42P01'],
  ])('is none of %s', async (statement, expected, sqlstate) => {
    const { status, type, body } = await get(statement, 'application/octet-stream');
    const { error } = JSON.parse(body.toString()) as { error: { sqlstate: string } };
    expect([status, type, error.sqlstate]).toEqual([
      expected,
      'application/x-ndjson; charset=utf-8',
      sqlstate,
    ]);
    expect(await door.rows('SELECT * FROM files WHERE id = 80')).toEqual([]);
  });

  it('that goes wrong on its way is broken off', async () => {
    const statement = 'COPY (SELECT 1 / (90000 - i) FROM generate_series(1, 200000) AS i) TO STDOUT';
    await expect(get(statement, 'text/plain')).rejects.toThrow();
  });

  it('has to be asked for', async () => {
    const { status, lines } = await door.ask({ statement: 'COPY t TO STDOUT' });
    expect([status, sqlstateOf(lines)]).toEqual([400, '0A000']);
  });
});
