/** Requests with an id: done once, however often they come. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, type Line, sqlstateOf, tokenOf } from '../../../sql-tests/fixtures/http-door.ts';
import { MemoryStore } from '../../storage/memory-store.ts';

const store = new MemoryStore();
let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open(store);
  await door.rows('CREATE TABLE t (id int PRIMARY KEY, n int DEFAULT 0)');
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

const isRepeated = (lines: readonly Line[]): true | undefined =>
  (lines[0]?.done as { readonly repeated?: true } | undefined)?.repeated;

const count = async (): Promise<unknown> => (await door.rows('SELECT count(*) FROM t'))[0];
const kept = (): Promise<readonly unknown[]> =>
  door.rows('SELECT request_id, tag FROM quern.requests ORDER BY at');

async function keyOf(options: string): Promise<string> {
  const [row] = (await door.rows(`CREATE API KEY WITH (${options})`)) as [unknown[]];
  return row.find((value) => String(value).startsWith('quern_') && String(value).length > 20) as string;
}

describe('a request with an id', () => {
  it('that comes again is answered as before, and not done again', async () => {
    const request = { statement: 'INSERT INTO t VALUES ($1)', params: [1], request_id: 'one' };
    const first = await door.ask(request);
    expect(first.lines).toEqual([{ done: { tag: 'INSERT 0 1', lsn: expect.stringMatching(/^\d+$/) } }]);
    await door.rows('INSERT INTO t VALUES (2)');
    const again = await door.ask(request);
    expect(again.status).toBe(200);
    expect(again.lines).toEqual([{ done: { ...(first.lines[0]?.done as object), repeated: true } }]);
    expect(await count()).toEqual(['2']);
  });

  it('is done once of many at the same time', async () => {
    const request = { statement: 'INSERT INTO t SELECT 10 + count(*) FROM t', request_id: 'race' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => door.ask(request)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ lines }) => isRepeated(lines)).length).toBe(7);
    expect(await count()).toEqual(['3']);
  });

  it.each<[string, object]>([
    ['another statement', { statement: 'INSERT INTO t VALUES ($1) ', params: [1] }],
    ['another parameter', { statement: 'INSERT INTO t VALUES ($1)', params: [2] }],
    [
      'other settings',
      { statement: 'INSERT INTO t VALUES ($1)', params: [1], settings: { timezone: 'UTC' } },
    ],
  ])('is refused for %s', async (_, request) => {
    const { status, lines } = await door.ask({ ...request, request_id: 'one' });
    expect([status, sqlstateOf(lines)]).toEqual([400, '22023']);
  });

  it("is its key's own", async () => {
    const key = await keyOf('role = owner');
    const request = { statement: 'INSERT INTO t VALUES (3)', request_id: 'one' };
    expect((await door.ask(request, { key })).lines).toMatchObject([{ done: { tag: 'INSERT 0 1' } }]);
  });

  it('that fails, or only reads, is done again', async () => {
    const before = await kept();
    const wrong = { statement: 'INSERT INTO t VALUES (1)', request_id: 'wrong' };
    for (let i = 0; i < 2; i++) expect((await door.ask(wrong)).status).toBe(409);
    const read = { statement: 'SELECT count(*) FROM t', request_id: 'read' };
    for (let i = 0; i < 2; i++) expect((await door.ask(read)).lines.length).toBe(3);
    expect((await door.ask({ ...read, statement: 'SELECT 1' })).status).toBe(200);
    expect(await kept()).toEqual(before);
  });

  it('has its own of several statements, definitions, and what COMMIT ends', async () => {
    const several = { statement: 'CREATE TABLE u (id int); INSERT INTO u VALUES (1)', request_id: 'several' };
    await door.ask(several);
    expect((await door.ask(several)).lines).toMatchObject([{ done: { tag: 'INSERT 0 1', repeated: true } }]);
    const { lines } = await door.ask({ statement: 'BEGIN; INSERT INTO u VALUES (2)', request_id: 'begins' });
    const token = tokenOf(lines);
    const commit = { statement: 'COMMIT', transaction: token, request_id: 'commits' };
    const first = await door.ask(commit);
    expect(first.lines).toMatchObject([{ done: { tag: 'COMMIT' } }]);
    expect((await door.ask(commit)).lines).toMatchObject([{ done: { tag: 'COMMIT', repeated: true } }]);
    expect(await door.rows('SELECT count(*) FROM u')).toEqual([['2']]);
    const two = {
      statement: 'BEGIN; INSERT INTO u VALUES (3); COMMIT; INSERT INTO u VALUES (4)',
      request_id: 'two',
    };
    expect(sqlstateOf((await door.ask(two)).lines)).toBe('0A000');
  });

  it('of a lesser role and of a limited key is kept, and seen by nobody else', async () => {
    await door.rows(
      'CREATE TABLE notes (id int PRIMARY KEY, who text); CREATE ROLE writes; GRANT ALL ON notes TO writes',
    );
    const request = { statement: 'INSERT INTO notes VALUES (1)', request_id: 'lesser' };
    const key = await keyOf('role = writes');
    for (const repeated of [undefined, true]) {
      const { lines } = await door.ask(request, { key });
      expect(isRepeated(lines)).toBe(repeated);
    }
    const limited = await keyOf("role = owner, collections = 'notes'");
    const other = { ...request, statement: 'INSERT INTO notes VALUES (2)' };
    for (const repeated of [undefined, true]) {
      const { lines } = await door.ask(other, { key: limited });
      expect(isRepeated(lines)).toBe(repeated);
    }
    const seen = { statement: 'SELECT request_id FROM quern.requests' };
    expect((await door.ask(seen, { key: limited })).lines[1]).toEqual({ rows: [['lesser']] });
    expect((await door.ask(seen, { key })).lines[1]).toEqual({ rows: [['lesser']] });
    const writing = { statement: "INSERT INTO quern.requests VALUES ('', '', 0, '', '', '', '', now())" };
    expect((await door.ask(writing)).status).toBe(403);
  });

  it('and with data is done once: the data is part of what it asks', async () => {
    const path = (statement: string): string =>
      `/sql?${new URLSearchParams({ statement, request_id: 'data', params: '[]' })}`;
    const copy = path('COPY t (id) FROM STDIN');
    const about = { headers: { 'content-type': 'text/plain' } };
    const rows = Array.from({ length: 50_000 }, (_, i) => `${100 + i}\n`).join('');
    const first = await door.ask(rows, { ...about, path: copy });
    expect(first.lines).toMatchObject([{ done: { tag: 'COPY 50000' } }]);
    const again = await door.ask(rows, { ...about, path: copy });
    expect(again.lines).toEqual([{ done: { ...(first.lines[0]?.done as object), repeated: true } }]);
    for (const [body, statement] of [
      [`${rows}1\n`, 'COPY t (id) FROM STDIN'],
      [rows.slice(0, -2), 'COPY t (id) FROM STDIN'],
      ['', 'COPY t (id) FROM STDIN'],
      [rows, 'COPY t (id) FROM STDIN '],
    ] as const) {
      const { lines } = await door.ask(body, { ...about, path: path(statement) });
      expect(sqlstateOf(lines)).toBe('22023');
    }
    await door.rows('CREATE TABLE files (bytes bytea)');
    const insert = `/sql?${new URLSearchParams({ statement: 'INSERT INTO files VALUES ($1)', request_id: 'file' })}`;
    for (const repeated of [undefined, true]) {
      const { lines } = await door.ask('abc', { ...about, path: insert });
      expect(isRepeated(lines)).toBe(repeated);
    }
    expect(sqlstateOf((await door.ask('abd', { ...about, path: insert })).lines)).toBe('22023');
    expect(await door.rows('SELECT bytes FROM files')).toEqual([['\\x616263']]);
  });

  it('is kept over a restart', async () => {
    const before = await kept();
    await door[Symbol.asyncDispose]();
    door = await HttpDoor.open(store);
    expect(await kept()).toEqual(before);
  });
});
