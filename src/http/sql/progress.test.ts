/** Lines that tell of a statement before its results: its plan, and how far it is. */
import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, type Line, sqlstateOf } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
  await door.rows('CREATE TABLE t (id int PRIMARY KEY, name text)');
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

describe('the plan', () => {
  it('is told before the rows, with the values of parameters', async () => {
    const { lines } = await door.ask({ statement: 'SELECT * FROM t WHERE id = $1', params: [1], plan: true });
    expect(lines).toEqual([
      { plan: [{ Plan: expect.objectContaining({ 'Node Type': expect.any(String) }) }] },
      { columns: expect.any(Array) },
      { done: { tag: 'SELECT 0' } },
    ]);
    const write = await door.ask({ statement: "INSERT INTO t VALUES (1, 'a')", plan: true, request_id: 'a' });
    expect(write.lines).toMatchObject([{ plan: expect.any(Array) }, { done: { tag: 'INSERT 0 1' } }]);
    expect(await door.rows('SELECT count(*) FROM t')).toEqual([['1']]);
  });

  it.each<[string, object, string]>([
    ['of what has none', { statement: 'CREATE TABLE u (id int)' }, '42601'],
    ['of two statements', { statement: 'SELECT 1; DELETE FROM t' }, '42601'],
    ['that is asked for by a word', { statement: 'SELECT 1', plan: 'yes' }, '22023'],
  ])('%s is refused', async (_, request, sqlstate) => {
    const { lines } = await door.ask({ plan: true, ...request });
    expect([lines.length, sqlstateOf(lines)]).toEqual([1, sqlstate]);
    expect(await door.rows('SELECT count(*) FROM t')).toEqual([['1']]);
  });

  it('of data, or in a raw answer, is refused', async () => {
    const path = `/sql?${new URLSearchParams({ statement: 'COPY t FROM STDIN', plan: 'true' })}`;
    const { lines } = await door.ask('2\tb\n', { path, headers: { 'content-type': 'text/plain' } });
    expect(sqlstateOf(lines)).toBe('0A000');
    const raw = { statement: 'COPY t TO STDOUT', plan: true };
    expect(sqlstateOf((await door.ask(raw, { headers: { accept: 'text/csv' } })).lines)).toBe('0A000');
  });

  it("tells of a wrong statement as it is, at its own text's position", async () => {
    const { lines } = await door.ask({ statement: 'SELECT nothing FROM t', plan: true });
    expect(lines).toMatchObject([{ error: { sqlstate: '42703', position: 8 } }]);
  });
});

describe('progress', () => {
  it('is told of COPY while it reads, and to others by pg_stat_progress_copy', async () => {
    const query = new URLSearchParams({ statement: 'COPY t FROM STDIN', progress: 'true' });
    const request = send(`${door.url}/sql?${query}`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'text/plain' },
    });
    const sent = Array.from({ length: 5_000 }, (_, i) => `${i + 10}\tname ${i}\n`).join('');
    request.write(sent);
    const lines: Line[] = [];
    const ended = new Promise<void>((resolve) => {
      request.on('response', (response) => {
        response.setEncoding('utf8').on('data', (text: string) => {
          for (const line of text.trim().split('\n')) lines.push(JSON.parse(line) as Line);
          request.end();
        });
        response.on('end', resolve);
      });
    });
    const copies = 'SELECT relid::regclass::text, command, bytes_processed > 0 FROM pg_stat_progress_copy';
    let seen: readonly unknown[] = [];
    while (seen.length === 0 || !(seen[0] as unknown[])[2]) seen = await door.rows(copies);
    expect(seen).toEqual([['t', 'COPY FROM', true]]);
    await ended;
    const told = { command: 'COPY FROM', bytes: sent.length, bytes_total: 0, rows: expect.any(Number) };
    expect(lines[0]).toEqual({ progress: told });
    expect(lines.at(-1)).toMatchObject({ done: { tag: 'COPY 5000' } });
    expect(await door.rows(copies)).toEqual([]);
  });

  it('is not told of what has none', async () => {
    const { lines } = await door.ask({ statement: 'SELECT pg_sleep(1.2)', progress: true });
    expect(lines.map((line) => Object.keys(line)[0])).toEqual(['columns', 'rows', 'done']);
  });
});
