/** Transactions over several requests, by their token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpDoor, type Line, sqlstateOf } from '../../../sql-tests/fixtures/http-door.ts';

let door: HttpDoor;

beforeAll(async () => {
  door = await HttpDoor.open();
  await door.rows('CREATE TABLE t (id int PRIMARY KEY)');
});

afterAll(async () => {
  await door[Symbol.asyncDispose]();
  expect(door.failures).toEqual([]);
});

interface Told {
  readonly token: string;
  readonly status: string;
}

const toldOf = (lines: readonly Line[]): Told | undefined =>
  lines.find(({ transaction }) => transaction !== undefined)?.transaction as Told | undefined;

async function begun(statement = 'BEGIN', settings = {}): Promise<string> {
  const { lines } = await door.ask({ statement, settings });
  return toldOf(lines)?.token ?? '';
}

async function keyOf(name: string, role = 'owner'): Promise<string> {
  const [row] = (await door.rows(`CREATE API KEY ${name} WITH (role = ${role})`)) as [unknown[]];
  return row.find((value) => String(value).startsWith('quern_')) as string;
}

const ids = (): Promise<readonly unknown[]> => door.rows('SELECT id FROM t ORDER BY id');
const sessions = (): Promise<readonly unknown[]> =>
  door.rows("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kept'");

describe('a transaction', () => {
  it('goes on by its token, is seen by nobody else, and ends by COMMIT', async () => {
    const transaction = await begun('BEGIN; INSERT INTO t VALUES (1)', { application_name: 'kept' });
    expect(transaction).toMatch(/^[\w-]{32}$/);
    const { lines } = await door.ask({ statement: 'INSERT INTO t VALUES ($1)', params: [2], transaction });
    expect(lines).toEqual([
      { done: { tag: 'INSERT 0 1' } },
      { transaction: { token: transaction, status: 'open' } },
    ]);
    expect(await ids()).toEqual([]);
    expect(await sessions()).toEqual([['1']]);
    const { lines: ended } = await door.ask({ statement: 'COMMIT', transaction });
    expect(ended).toEqual([{ done: { tag: 'COMMIT', lsn: expect.any(String) } }]);
    expect(await ids()).toEqual([[1], [2]]);
    expect(await sessions()).toEqual([['0']]);
    const again = await door.ask({ statement: 'SELECT 1', transaction });
    expect([again.status, sqlstateOf(again.lines)]).toEqual([404, '25P01']);
  });

  it('stays failed until it is rolled back, to a savepoint too', async () => {
    const transaction = await begun('BEGIN; INSERT INTO t VALUES (5); SAVEPOINT s');
    const wrong = await door.ask({ statement: 'INSERT INTO t VALUES (1)', transaction });
    expect([wrong.status, sqlstateOf(wrong.lines), toldOf(wrong.lines)?.status]).toEqual([
      409,
      '23505',
      'failed',
    ]);
    const next = await door.ask({ statement: 'SELECT 1', transaction });
    expect(sqlstateOf(next.lines)).toBe('25P02');
    const back = await door.ask({ statement: 'ROLLBACK TO s', transaction });
    expect(toldOf(back.lines)?.status).toBe('open');
    await door.ask({ statement: 'COMMIT', transaction });
    expect(await ids()).toEqual([[1], [2], [5]]);
  });

  it('that fails in its first request is gone', async () => {
    const { lines } = await door.ask({
      statement: 'BEGIN; SELECT 1/0',
      settings: { application_name: 'kept' },
    });
    expect(toldOf(lines)).toBeUndefined();
    expect(await sessions()).toEqual([['0']]);
  });

  it('is that of its key alone', async () => {
    const transaction = await begun();
    const key = await keyOf('other');
    const stranger = await door.ask({ statement: 'ROLLBACK', transaction }, { key });
    expect([stranger.status, sqlstateOf(stranger.lines)]).toEqual([404, '25P01']);
    const guessed = await door.ask({ statement: 'ROLLBACK', transaction: 'x'.repeat(32) });
    expect([guessed.status, sqlstateOf(guessed.lines)]).toEqual([404, '25P01']);
    expect((await door.ask({ statement: 'ROLLBACK', transaction })).status).toBe(200);
    await door.rows('DROP API KEY other');
  });

  it('of a key that ends is rolled back with it', async () => {
    const key = await keyOf('ends');
    const settings = { application_name: 'kept' };
    await door.ask({ statement: 'BEGIN; INSERT INTO t VALUES (70)', settings }, { key });
    expect(await sessions()).toEqual([['1']]);
    await door.rows('DROP API KEY ends');
    while (String(await sessions()) !== '0');
    expect(await ids()).not.toContainEqual([70]);
  });

  it('takes one request at a time', async () => {
    const transaction = await begun();
    const long = door.ask({ statement: 'SELECT pg_sleep(60)', transaction, request_id: 'long' });
    const running = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'";
    while ((await door.rows(running)).length === 0);
    const second = await door.ask({ statement: 'SELECT 1', transaction });
    expect([second.status, sqlstateOf(second.lines)]).toEqual([409, '55006']);
    expect((await door.ask(undefined, { method: 'DELETE', path: '/sql/long' })).status).toBe(204);
    const { lines } = await long;
    expect([sqlstateOf(lines), toldOf(lines)?.status]).toEqual(['57014', 'failed']);
    await door.ask({ statement: 'ROLLBACK', transaction });
  });

  it('that is left idle is rolled back', async () => {
    const settings = { idle_in_transaction_session_timeout: '50ms', application_name: 'kept' };
    const transaction = await begun('BEGIN; INSERT INTO t VALUES (9)', settings);
    while (String(await sessions()) !== '0');
    expect(await ids()).not.toContainEqual([9]);
    expect((await door.ask({ statement: 'COMMIT', transaction })).status).toBe(404);
    expect(await door.rows('SHOW idle_in_transaction_session_timeout')).toEqual([['30s']]);
    await door.rows("CREATE ROLE patient; ALTER ROLE patient SET idle_in_transaction_session_timeout = '7s'");
    const { lines } = await door.ask(
      { statement: 'SHOW idle_in_transaction_session_timeout' },
      { key: await keyOf('patients', 'patient') },
    );
    expect(lines[1]).toEqual({ rows: [['7s']] });
  });

  it('has its settings from the request that begins it', async () => {
    const transaction = await begun('BEGIN', { timezone: 'Asia/Tokyo' });
    const { lines } = await door.ask({ statement: 'SHOW timezone', transaction });
    expect(lines[1]).toEqual({ rows: [['Asia/Tokyo']] });
    const more = await door.ask({ statement: 'SELECT 1', transaction, settings: {} });
    expect([more.status, sqlstateOf(more.lines)]).toEqual([400, '22023']);
    await door.ask({ statement: 'ROLLBACK', transaction });
  });

  it('is one of so many of its key', async () => {
    const tokens: string[] = [];
    for (let i = 0; i < 20; i++) tokens.push(await begun());
    const { status, lines } = await door.ask({ statement: 'BEGIN' });
    expect([status, sqlstateOf(lines), toldOf(lines)]).toEqual([429, '53300', undefined]);
    for (const transaction of tokens) await door.ask({ statement: 'ROLLBACK', transaction });
    expect(await begun()).not.toBe('');
  });
});

describe('a request with an id', () => {
  it('is cancelled by it, by its own key', async () => {
    const asked = door.ask({ statement: 'SELECT pg_sleep(60)', request_id: 'a b/ü' });
    const running = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'";
    while ((await door.rows(running)).length === 0);
    const key = await keyOf('stranger');
    const cancel = { method: 'DELETE', path: `/sql/${encodeURIComponent('a b/ü')}` };
    expect((await door.ask(undefined, { ...cancel, key })).status).toBe(404);
    expect((await door.ask(undefined, { ...cancel, path: '/sql/other' })).status).toBe(404);
    expect((await door.ask(undefined, cancel)).status).toBe(204);
    const { status, lines } = await asked;
    expect([status, sqlstateOf(lines)]).toEqual([409, '57014']);
    expect((await door.ask(undefined, cancel)).status).toBe(404);
  });
});
