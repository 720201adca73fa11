/** postgres.js as its users do: helpers for inserts and lists, types, transactions, cursors, forEach, COPY, errors. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

let server: ServerProcess;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await startFreshServer();
  sql = postgres({
    host: server.host,
    port: server.port,
    username: 'quern',
    database: 'quern',
    password: server.key,
    max: 4,
    onnotice: () => undefined,
  });
});

afterAll(async () => {
  await sql?.end();
  await server?.[Symbol.asyncDispose]();
});

interface User {
  id: number;
  name: string;
  age: number | null;
}

describe('postgres.js', () => {
  beforeEach(async () => {
    await sql`DROP TABLE IF EXISTS pj_user`;
    await sql`CREATE TABLE pj_user (id serial PRIMARY KEY, name text UNIQUE, age int)`;
  });

  it('prepares a statement anew whose columns have changed', async () => {
    await sql.reserve().then(async (one) => {
      expect(await one.unsafe('SELECT * FROM pj_user', [], { prepare: true })).toHaveLength(0);
      await one`ALTER TABLE pj_user ADD COLUMN email text`;
      await one`INSERT INTO pj_user (name, email) VALUES ('Ada', 'a@b')`;
      const [row] = await one.unsafe('SELECT * FROM pj_user', [], { prepare: true });
      expect(row?.email).toBe('a@b');
      one.release();
    });
  });

  it('inserts objects and reads them back', async () => {
    const users = [
      { name: 'Ada', age: 36 },
      { name: 'Grace', age: 85 },
      { name: 'Alan', age: null },
    ];
    const inserted = await sql<User[]>`INSERT INTO pj_user ${sql(users, 'name', 'age')} RETURNING *`;
    expect([...inserted]).toEqual(users.map((user, i) => ({ id: i + 1, ...user })));
    expect([inserted.command, inserted.count]).toEqual(['INSERT', 3]);
    const some = await sql<
      User[]
    >`SELECT ${sql(['name', 'age'])} FROM pj_user WHERE name IN ${sql(['Ada', 'Alan'])} ORDER BY id`;
    expect(some.map(({ name }) => name)).toEqual(['Ada', 'Alan']);
    const changed =
      await sql`UPDATE pj_user SET ${sql({ age: 41 }, 'age')} WHERE name = 'Alan' RETURNING age`;
    expect([...changed]).toEqual([{ age: 41 }]);
    const older = (than: number) => sql`age > ${than}`;
    expect((await sql`SELECT count(*)::int AS n FROM pj_user WHERE ${older(40)}`)[0]?.n).toBe(2);
    expect(some.columns.map(({ name, type }) => [name, type])).toEqual([
      ['name', 25],
      ['age', 23],
    ]);
  });

  it('sends and reads every type', async () => {
    const at = new Date('2024-02-29T12:30:00.500Z');
    const [row] = await sql`SELECT ${1}::int AS i, ${'2'}::int8 AS l, ${1.5}::float8 AS f, ${true}::bool AS b,
      ${at}::timestamptz AS t, ${sql.json({ a: [1, null] })}::jsonb AS j,
      ${sql.array(['x', 'y"z'])}::text[] AS a, ${sql.array([1, 2])}::int[] AS n,
      ${Buffer.from([1, 2])}::bytea AS y, ${null}::text AS z`;
    expect(row).toEqual({
      i: 1,
      l: '2',
      f: 1.5,
      b: true,
      t: at,
      j: { a: [1, null] },
      a: ['x', 'y"z'],
      n: [1, 2],
      y: Buffer.from([1, 2]),
      z: null,
    });
  });

  it('describes a statement', async () => {
    const { types, columns } =
      await sql`SELECT name, age FROM pj_user WHERE id = ${1} AND name = ${'x'}`.describe();
    expect([types, columns.map(({ name, type }) => [name, type])]).toEqual([
      [23, 25],
      [
        ['name', 25],
        ['age', 23],
      ],
    ]);
  });

  it('walks with cursors and forEach', async () => {
    const sizes: number[] = [];
    for await (const rows of sql`SELECT n FROM generate_series(1, 25) n`.cursor(10)) sizes.push(rows.length);
    expect(sizes).toEqual([10, 10, 5]);
    const seen: number[] = [];
    await sql`SELECT n FROM generate_series(1, 100) n`.cursor(10, (rows) => {
      seen.push(rows[0]?.n);
      return seen.length === 3 ? sql.CLOSE : undefined;
    });
    expect(seen).toEqual([1, 11, 21]);
    let sum = 0;
    const { count } = await sql`SELECT n FROM generate_series(1, 100) n`.forEach(({ n }) => {
      sum += n;
    });
    expect([sum, count]).toEqual([5050, 100]);
  });

  it('runs transactions with savepoints, and pipelines', async () => {
    const [, inside] = await sql.begin('isolation level repeatable read', async (tx) => {
      await tx`INSERT INTO pj_user (name) VALUES ('outer')`;
      await tx
        .savepoint(async (sp) => {
          await sp`INSERT INTO pj_user (name) VALUES ('inner')`;
          await sp`INSERT INTO pj_user (name) VALUES ('outer')`;
        })
        .catch((error) =>
          expect(error).toMatchObject({ code: '23505', constraint_name: 'pj_user_name_key' }),
        );
      return Promise.all([tx`SELECT 1 AS a`, tx`SELECT name FROM pj_user`]);
    });
    expect([...inside]).toEqual([{ name: 'outer' }]);
    await expect(
      sql.begin(async (tx) => {
        await tx`DELETE FROM pj_user`;
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect((await sql`SELECT count(*)::int AS n FROM pj_user`)[0]?.n).toBe(1);
    const reserved = await sql.reserve();
    const all = await Promise.all([
      reserved`SELECT 1 AS n`,
      reserved`SELECT 2 AS n`,
      reserved`SELECT 3 AS n`,
    ]);
    expect(all.map(([row]) => row?.n)).toEqual([1, 2, 3]);
    reserved.release();
  });

  it('copies in and out', async () => {
    await pipeline(
      Readable.from(['a\t1\n', 'b\t\\N\n']),
      await sql`COPY pj_user (name, age) FROM STDIN`.writable(),
    );
    expect([...(await sql`SELECT name, age FROM pj_user ORDER BY name`)]).toEqual([
      { name: 'a', age: 1 },
      { name: 'b', age: null },
    ]);
    let text = '';
    for await (const chunk of await sql`COPY pj_user (name, age) TO STDOUT (FORMAT csv)`.readable())
      text += chunk;
    expect(text).toBe('a,1\nb,\n');
  });

  it('tells errors and cancels', async () => {
    await expect(sql`SELECT * FROM nowhere`).rejects.toMatchObject({ code: '42P01', position: '15' });
    await expect(sql`SELECT ${'x'}::int`).rejects.toMatchObject({ code: '22P02' });
    await expect(sql.unsafe('SELEC 1')).rejects.toMatchObject({ code: '42601', severity_local: 'ERROR' });
    const long = sql`SELECT count(*) FROM generate_series(1, 2000000000)`;
    setTimeout(() => long.cancel(), 200);
    await expect(long).rejects.toMatchObject({ code: '57014' });
    expect([...(await sql.unsafe('SELECT 1 AS a; SELECT 2 AS b'))].map((rows) => [...rows])).toEqual([
      [{ a: 1 }],
      [{ b: 2 }],
    ]);
    expect(sql.parameters.server_version).toMatch(/^1[78]/);
  });
});
