/**
 * Several connections at once: the scripts, answered by PostgreSQL (`node sql-tests/isolation/oracle.ts`),
 * and what needs many clients or says other words than PostgreSQL does.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg, { type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from '../clients/program.ts';
import type { Address } from '../runner/target.ts';
import { seeded } from '../faults/mutations.ts';
import { runIsolationScript } from './isolation-script.ts';

const scripts = globSync(join(import.meta.dirname, '*.iso')).sort();
let server: ServerProcess;
let pool: pg.Pool;

const address = (): Address => ({
  host: server.host,
  port: server.port,
  user: 'quern',
  database: 'quern',
  password: server.key,
});

beforeAll(async () => {
  server = await startFreshServer();
  pool = new pg.Pool({ ...address(), max: 10 });
});

afterAll(async () => {
  await pool?.end();
  await server?.[Symbol.asyncDispose]();
});

/** Runs with so many connections at once. */
async function withClients(
  count: number,
  work: (clients: readonly pg.PoolClient[]) => Promise<void>,
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  try {
    await work(clients);
  } finally {
    for (const client of clients) client.release(true);
  }
}

/** Resolves when a session waits for a lock. */
async function blocked(client: pg.PoolClient, by: pg.PoolClient): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  for (;;) {
    const { rows } = await by.query('select cardinality(pg_blocking_pids($1)) as n', [processID]);
    if (rows[0].n > 0) return;
  }
}

describe('isolation scripts', () => {
  it.each(scripts.map((path) => [basename(path), path]))('%s', async (_, path) => {
    const script = readFileSync(path, 'utf8');
    expect(await runIsolationScript(script, address())).toBe(script);
  });
});

describe('many connections', () => {
  const next = 'select id from jobs where taken_by is null order by id for update skip locked limit 1';
  it.each([
    ['a scalar subquery', `update jobs set taken_by = $1 where id = (${next}) returning id`],
    ['IN', `update jobs set taken_by = $1 where id in (${next}) returning id`],
    [
      'WITH',
      `with n as (${next}) update jobs set taken_by = $1 from n where jobs.id = n.id returning jobs.id`,
    ],
    ['DELETE', `delete from jobs where id = (${next}) and $1 >= 0 returning id`],
  ])('take every job of a queue once, by %s', (_, take) =>
    withClients(8, async (clients) => {
      await pool.query('create table jobs (id int primary key, taken_by int)');
      await pool.query('insert into jobs select n, null from generate_series(1, 60) n');
      const taken: number[] = [];
      await Promise.all(
        clients.map(async (client, number) => {
          for (let found = 1; found > 0; ) {
            await client.query('begin');
            const { rows } = await client.query(take, [number]);
            await client.query('commit');
            found = rows.length;
            taken.push(...rows.map(({ id }) => id));
          }
        }),
      );
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
      await pool.query('drop table jobs');
    }),
  );

  it('count up one row together', () =>
    withClients(8, async (clients) => {
      await pool.query('create table counters (k text primary key, n int)');
      const count = `insert into counters values ('a', 1) on conflict (k) do update set n = counters.n + 1`;
      await Promise.all(
        clients.map(async (client) => {
          for (let i = 0; i < 20; i++) await client.query(count);
        }),
      );
      await Promise.all(
        clients.map(async (client) => {
          for (let i = 0; i < 20; i++) await client.query('update counters set n = n + 1');
        }),
      );
      expect((await pool.query('select n from counters')).rows).toEqual([{ n: 320 }]);
    }));

  const table = 'create table taken (k text primary key, n int)';
  it.each([
    ['INSERT', table, "insert into taken values ('a', 1)"],
    ['DO NOTHING', table, "insert into taken values ('a', 1) on conflict do nothing"],
    ['DO UPDATE', table, "insert into taken values ('a', 1) on conflict (k) do update set n = taken.n + 1"],
    ['an upsert by _id', 'create table taken (_id text, title text)', "insert into taken (_id) values ('a')"],
    [
      'a unique expression',
      'create table taken (k text); create unique index on taken (lower(k))',
      "insert into taken values ('a')",
    ],
    [
      'a partial unique index',
      "create table taken (k text, n int); create unique index on taken (n) where k = 'a'",
      "insert into taken values ('a', 1)",
    ],
    [
      'UPDATE',
      `${table}; insert into taken values ('x', 1), ('y', 2), ('z', 3), ('w', 4)`,
      "update taken set k = 'a' where n = $1",
    ],
  ])('give a key to one, when B and C wait for A, D comes, A and B roll back: %s', (_, made, write) =>
    withClients(5, async (clients) => {
      await pool.query(`drop table if exists taken; ${made}`);
      const [a, b, c, d, watcher] = clients as [PoolClient, PoolClient, PoolClient, PoolClient, PoolClient];
      const start = async (client: PoolClient, number: number): Promise<unknown> => {
        await client.query('begin');
        return client.query(write, write.includes('$1') ? [number] : []);
      };
      /** Commits what was written; a writer that was refused rolls back. */
      const end = (written: Promise<unknown>, client: PoolClient): Promise<unknown> =>
        written.then(
          () => client.query('commit'),
          () => client.query('rollback'),
        );
      await start(a, 1);
      const second = start(b, 2);
      await blocked(b, watcher);
      const third = end(start(c, 3), c);
      await blocked(c, watcher);
      await a.query('rollback');
      await second;
      const fourth = end(start(d, 4), d);
      await Promise.race([blocked(d, watcher), fourth]);
      await b.query('rollback');
      await Promise.all([third, fourth]);
      const key = made.includes('_id') ? '_id' : 'k';
      // By a look at all rows, which finds those that the index has lost.
      const count = `select count(*)::int as n from taken where ${key} || '' = 'a'`;
      expect((await pool.query(count)).rows).toEqual([{ n: 1 }]);
      await pool.query(`delete from taken where ${key} = 'a'`);
      expect((await pool.query(count)).rows).toEqual([{ n: 0 }]);
    }),
  );

  it('keep deferred keys apart and deferred references together, whoever comes first', () =>
    withClients(6, async (clients) => {
      await pool.query('create table owners (id int primary key)');
      await pool.query('insert into owners select generate_series(1, 5)');
      await pool.query(
        'create table late (k int unique deferrable initially deferred, now int unique deferrable, owner int references owners deferrable initially deferred)',
      );
      const random = seeded(20_261_122);
      const number = (): number => 1 + random(5);
      const statements = [
        () => `insert into late values (${number()}, ${number()}, ${number()})`,
        () => `insert into late values (${number()}, ${number()}, ${number()})`,
        () => `insert into late (k, owner) values (${number()}, ${number()}), (${number()}, ${number()})`,
        () => `update late set k = ${number()} where k = ${number()}`,
        () => `update late set k = k % 5 + 1`,
        () => `delete from late where k = ${number()}`,
        () => `delete from owners where id = ${number()}`,
        () => `insert into owners values (${number()})`,
        () => `set constraints all immediate`,
      ];
      const wrong = `select 1 from late group by k having count(*) > 1
        union all select 2 from late where now is not null group by now having count(*) > 1
        union all select 3 from late where not exists (select from owners where id = owner)`;
      let commits = 0;
      const work = async (client: PoolClient): Promise<void> => {
        for (let i = 0; i < 60; i++) {
          try {
            await client.query('begin');
            for (let n = 1 + random(3); n > 0; n--) {
              await client.query((statements[random(statements.length)] as () => string)());
            }
            await client.query('commit');
            commits++;
          } catch (error) {
            expect(['23503', '23505', '40P01']).toContain((error as pg.DatabaseError).code);
            await client.query('rollback');
          }
          expect((await client.query(wrong)).rows).toEqual([]);
        }
      };
      await Promise.all(clients.map(work));
      expect(commits).toBeGreaterThan(20);
    }));

  it('refer to a row that an upsert, which waited for it, may not replace', () =>
    withClients(3, async ([one, two, watcher]) => {
      if (one === undefined || two === undefined || watcher === undefined) throw new Error('three clients');
      await pool.query('create table parents (_id text, isbn text unique)');
      await pool.query('create table children (isbn text references parents (isbn))');
      await one.query("begin; insert into parents (_id, isbn) values ('a', '1')");
      const upsert = two.query("insert into parents (_id, isbn) values ('a', '2')");
      const refused = expect(upsert).rejects.toMatchObject({ code: '23503' });
      await blocked(two, watcher);
      await one.query("insert into children values ('1'); commit");
      await refused;
      expect((await pool.query('select isbn from parents')).rows).toEqual([{ isbn: '1' }]);
    }));

  it.each([
    ['a type', "create type mood as enum ('a')", 'drop type mood', 'create table moods (m mood)', '42704'],
    [
      'a function',
      "create function one() returns int language sql as 'select 1'",
      'drop function one()',
      'create view ones as select one()',
      '42883',
    ],
    ['a schema', 'create schema gone', 'drop schema gone', 'create table gone.t (a int)', '3F000'],
  ])('define nothing by %s that goes meanwhile', (_, made, drop, define, code) =>
    withClients(3, async ([one, two, watcher]) => {
      if (one === undefined || two === undefined || watcher === undefined) throw new Error('three clients');
      await pool.query(made);
      await one.query(`begin; ${drop}`);
      const refused = expect(two.query(define)).rejects.toMatchObject({ code });
      await blocked(two, watcher);
      await one.query('commit');
      await refused;
    }),
  );

  it('end a cycle of waits with 40P01, through shared locks too', () =>
    withClients(3, async ([one, two, watcher]) => {
      if (one === undefined || two === undefined || watcher === undefined) throw new Error('three clients');
      await pool.query('create table pairs (id int primary key)');
      await pool.query('insert into pairs values (1), (2)');
      for (const client of [one, two]) {
        await client.query('begin');
        await client.query('select id from pairs where id = 1 for share');
      }
      const first = one.query('update pairs set id = id where id = 1').then(() => one.query('commit'));
      await blocked(one, watcher);
      await expect(two.query('delete from pairs where id = 1')).rejects.toMatchObject({ code: '40P01' });
      await two.query('rollback');
      await first;
    }));

  it('cancel a wait for a lock and a sleep', () =>
    withClients(3, async ([one, two, watcher]) => {
      if (one === undefined || two === undefined || watcher === undefined) throw new Error('three clients');
      await one.query('select pg_advisory_lock(1)');
      const waiting = expect(two.query('select pg_advisory_lock(1)')).rejects.toMatchObject({
        code: '57014',
      });
      await blocked(two, watcher);
      await watcher.query('select pg_cancel_backend($1)', [
        (two as unknown as { processID: number }).processID,
      ]);
      await waiting;
      await two.query("set statement_timeout = '20ms'");
      await expect(two.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
      await expect(two.query('select pg_advisory_lock(1)')).rejects.toMatchObject({
        code: '57014',
        message: 'canceling statement due to statement timeout',
      });
      await one.query('begin; lock table pairs in exclusive mode');
      await two.query('begin; declare c cursor for select * from pairs, (select pg_sleep(60)) s');
      await expect(two.query('fetch from c')).rejects.toMatchObject({ code: '57014' });
    }));

  it('give back what a session held when it ends', () =>
    withClients(1, async ([one]) => {
      const leaving = new pg.Client(address());
      await leaving.connect();
      await leaving.query('select pg_advisory_lock(77)');
      const waiting = one?.query('select pg_advisory_lock(77)');
      await leaving.end();
      await waiting;
    }));
});
