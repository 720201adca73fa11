/** Writes with an id that are sent again after the server was killed: each is there once, and answered as the first time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { type Sent, send } from './http-request.ts';

const WRITES_COUNT = 60;
const KILLED_AFTER = 15;

const folder = mkdtempSync(join(tmpdir(), 'quern-once-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ask(server: ServerProcess, body: object): Promise<string> {
  const sent: Sent = {
    port: server.httpPort,
    path: '/sql',
    key: server.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return (await send(sent)).body;
}

const write = (i: number): object => ({
  statement: 'INSERT INTO t VALUES ($1)',
  params: [i],
  request_id: `write ${i}`,
});

it('are done once', async () => {
  const answers = new Map<number, string>();
  let first = await startServer({ data });
  const { key } = first;
  await ask(first, { statement: 'CREATE TABLE t (id int, PRIMARY KEY (id))' });
  const all = Array.from({ length: WRITES_COUNT }, async (_, i) => {
    const answer = await ask(first, write(i)).catch(() => null);
    if (answer !== null) answers.set(i, answer);
    if (answers.size === KILLED_AFTER) first.process.kill('SIGKILL');
  });
  await Promise.all(all);
  await first.stop();
  expect(answers.size).toBeGreaterThanOrEqual(KILLED_AFTER);
  first = await startServer({ data, key });
  await using server = first;
  for (let i = 0; i < WRITES_COUNT; i++) {
    const { done } = JSON.parse(await ask(server, write(i))) as { done: Readonly<Record<string, unknown>> };
    const before = answers.get(i);
    if (before === undefined) expect(done.tag).toBe('INSERT 0 1');
    else expect({ done }).toEqual({ done: { ...JSON.parse(before).done, repeated: true } });
  }
  expect(await ask(server, { statement: 'SELECT count(*) FROM t' })).toContain(`[["${WRITES_COUNT}"]]`);
});
