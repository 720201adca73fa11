/** node `pg` as its users do: pool, prepared statements, types, cursors, COPY streams, errors, notices, cancel. */
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

let server: ServerProcess;
let pool: pg.Pool;

const settings = () => ({
  host: server.host,
  port: server.port,
  user: 'quern',
  database: 'quern',
  password: server.key,
});

beforeAll(async () => {
  server = await startFreshServer();
  pool = new pg.Pool({ ...settings(), max: 4 });
});

afterAll(async () => {
  await pool?.end();
  await server?.[Symbol.asyncDispose]();
});

/** One client of the pool for as long as `work` takes. */
async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

describe('node pg', () => {
  beforeEach(async () => {
    await pool.query('DROP TABLE IF EXISTS np_item');
    await pool.query(
      'CREATE TABLE np_item (id serial PRIMARY KEY, name text NOT NULL, price numeric(8,2), tags text[], meta jsonb)',
    );
  });

  it('binds texts to columns of documents that differ in type', async () => {
    await pool.query('DROP TABLE IF EXISTS np_docs; CREATE TABLE np_docs (_id text)');
    await pool.query('INSERT INTO np_docs (_id, n, nest) VALUES (\'1\', 5, jsonb \'{"x": {"y": 3}}\')');
    await pool.query(
      'INSERT INTO np_docs (_id, n, nest) VALUES (\'2\', \'five\', jsonb \'{"x": {"y": "three"}}\')',
    );
    await pool.query("INSERT INTO np_docs (_id, n) VALUES ('3', '5'), ('4', false::text)");
    const ids = async (where: string, values: readonly unknown[]): Promise<unknown[]> => {
      const { rows } = await pool.query(`SELECT _id FROM np_docs WHERE ${where} ORDER BY 1`, [...values]);
      return rows.map(({ _id }) => _id);
    };
    expect(await ids('n = $1', ['five'])).toEqual(['2']);
    expect(await ids('n = $1', ['5'])).toEqual(['3']);
    expect(await ids('n = $1::int', [5])).toEqual(['1']);
    expect(await ids('n = ANY($1)', [['five', '5']])).toEqual(['2', '3']);
    expect(await ids('n = ANY($1::int[])', [[5]])).toEqual(['1']);
    expect(await ids('n BETWEEN $1 AND $2', ['f', 'g'])).toEqual(['2', '4']);
    expect(await ids("nest['x']['y'] > $1", [1])).toEqual(['1', '2']);
    expect(await ids("nest['x']['y'] = ANY($1)", [[3, 'three']])).toEqual(['1', '2']);
  });

  it('reads values as JavaScript has them', async () => {
    const { rows, fields } = await pool.query(
      `SELECT 1::int4 AS i, 9007199254740993::int8 AS l, 0.5::float8 AS f, 1.50::numeric AS n, true AS b,
        '\\xdead'::bytea AS y, '2024-02-29 12:30:00+00'::timestamptz AS t, '{1,NULL,3}'::int4[] AS a,
        '{"k": [1]}'::jsonb AS j, NULL::text AS z, 'naïve'::text AS s, '1 day 02:03:04'::interval AS v,
        'NaN'::float8 AS nan`,
    );
    expect(rows[0]).toEqual({
      i: 1,
      l: '9007199254740993',
      f: 0.5,
      n: '1.50',
      b: true,
      y: Buffer.from('dead', 'hex'),
      t: new Date('2024-02-29T12:30:00Z'),
      a: [1, null, 3],
      j: { k: [1] },
      z: null,
      s: 'naïve',
      v: expect.objectContaining({ days: 1, hours: 2, minutes: 3, seconds: 4 }),
      nan: Number.NaN,
    });
    expect(fields.slice(0, 4).map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
      ['i', 23],
      ['l', 20],
      ['f', 701],
      ['n', 1700],
    ]);
  });

  it('takes parameters of every kind', async () => {
    const at = new Date('2024-01-02T03:04:05.678Z');
    const sql =
      'SELECT $1::int AS i, $2::text AS s, $3::timestamptz AS t, $4::text[] AS a, $5::jsonb AS j, $6::bytea AS y';
    const values = [7, "it's", at, ['a', 'b"c', null], { deep: [1, 'x'] }, Buffer.from([0, 255])];
    const { rows } = await pool.query(sql, values);
    expect(rows[0]).toEqual({
      i: 7,
      s: "it's",
      t: at,
      a: ['a', 'b"c', null],
      j: { deep: [1, 'x'] },
      y: Buffer.from([0, 255]),
    });
    const inserted = await pool.query(
      'INSERT INTO np_item (name, price, tags, meta) VALUES ($1, $2, $3, $4), ($5, $6, $7, $8) RETURNING id, price',
      ['a', 1.5, ['x'], { k: 1 }, 'b', null, null, null],
    );
    expect([inserted.command, inserted.rowCount, inserted.rows]).toEqual([
      'INSERT',
      2,
      [
        { id: 1, price: '1.50' },
        { id: 2, price: null },
      ],
    ]);
    const found = await pool.query('SELECT name FROM np_item WHERE name = ANY($1) ORDER BY 1', [
      ['b', 'a', 'c'],
    ]);
    expect(found.rows.map((row) => row.name)).toEqual(['a', 'b']);
  });

  it('keeps a named statement', async () => {
    await withClient(async (client) => {
      for (let n = 0; n < 3; n++) {
        const named = { name: 'double', text: 'SELECT $1::int * 2 AS twice', values: [n] };
        expect((await client.query(named)).rows).toEqual([{ twice: n * 2 }]);
      }
      const { rows } = await client.query(
        "SELECT count(*)::int AS n FROM pg_prepared_statements WHERE name = 'double'",
      );
      expect(rows).toEqual([{ n: 1 }]);
    });
  });

  it('serves a pool', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => pool.query('SELECT $1::int + 1 AS n', [n])),
    );
    expect(answers.map(({ rows }) => rows[0].n)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(pool.totalCount).toBeLessThanOrEqual(4);
  });

  it('commits and rolls back', async () => {
    await withClient(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await client.query("INSERT INTO np_item (name) VALUES ('kept')");
      await client.query('SAVEPOINT s');
      await expect(client.query('INSERT INTO np_item (name) VALUES (NULL)')).rejects.toMatchObject({
        code: '23502',
        column: 'name',
        table: 'np_item',
        schema: 'public',
      });
      await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
      await client.query('ROLLBACK TO SAVEPOINT s');
      await client.query('COMMIT');
      await client.query('BEGIN');
      await client.query('DELETE FROM np_item');
      await client.query('ROLLBACK');
    });
    expect((await pool.query('SELECT name FROM np_item')).rows).toEqual([{ name: 'kept' }]);
  });

  it('reads through a cursor', async () => {
    await withClient(async (client) => {
      const cursor = client.query(new Cursor('SELECT n FROM generate_series(1, $1::int) AS n', [250]));
      const sizes: number[] = [];
      let sum = 0;
      for (;;) {
        const rows = await cursor.read(100);
        sizes.push(rows.length);
        if (rows.length === 0) break;
        for (const { n } of rows) sum += n;
      }
      expect([sizes, sum]).toEqual([[100, 100, 50, 0], 31375]);
      const half = client.query(new Cursor('SELECT n FROM generate_series(1, 10) AS n'));
      expect(await half.read(2)).toEqual([{ n: 1 }, { n: 2 }]);
      await half.close();
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
  });

  it('copies streams in and out', async () => {
    await withClient(async (client) => {
      const lines = Array.from({ length: 5000 }, (_, n) => `name ${n}\t${n}.25\n`);
      await pipeline(Readable.from(lines), client.query(copyFrom('COPY np_item (name, price) FROM STDIN')));
      const { rows } = await client.query('SELECT count(*)::int AS n, max(price) AS top FROM np_item');
      expect(rows).toEqual([{ n: 5000, top: '4999.25' }]);
      let text = '';
      const sink = new Writable({
        write(chunk, _encoding, done) {
          text += chunk;
          done();
        },
      });
      const source =
        'COPY (SELECT name, price FROM np_item WHERE id <= 2 ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER)';
      await pipeline(client.query(copyTo(source)), sink);
      expect(text).toBe('name,price\nname 0,0.25\nname 1,1.25\n');
      const bad = pipeline(
        Readable.from(['x\t1\ty\n']),
        client.query(copyFrom('COPY np_item (name, price) FROM STDIN')),
      );
      await expect(bad).rejects.toMatchObject({ code: '22P04', where: expect.stringContaining('line 1') });
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
  });

  it('tells errors as PostgreSQL does', async () => {
    const wrong: [string, object][] = [
      ['SELECT * FROM np_itm', { code: '42P01', position: '15', severity: 'ERROR' }],
      ['SELECT nam FROM np_item', { code: '42703', position: '8' }],
      ['SELECT 1 +', { code: '42601', message: 'syntax error at end of input' }],
      ['SELECT 1/0', { code: '22012' }],
      ["SELECT 'a'::int", { code: '22P02', position: '8' }],
      ['SELECT lower(1, 2)', { code: '42883', hint: expect.stringContaining('explicit type casts') }],
    ];
    for (const [sql, fields] of wrong) await expect(pool.query(sql)).rejects.toMatchObject(fields);
    await pool.query("INSERT INTO np_item (id, name) VALUES (99, 'x')");
    await expect(pool.query("INSERT INTO np_item (id, name) VALUES (99, 'y')")).rejects.toMatchObject({
      code: '23505',
      constraint: 'np_item_pkey',
      detail: 'Key (id)=(99) already exists.',
    });
    await expect(pool.query('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(pool.query('SELECT $1::int, $2::int', [1])).rejects.toMatchObject({ code: '08P01' });
  });

  it('gives several results of one simple query', async () => {
    const results = (await pool.query('SELECT 1 AS a; SELECT 2 AS b, 3 AS c')) as unknown as pg.QueryResult[];
    expect(results.map(({ rows }) => rows)).toEqual([[{ a: 1 }], [{ b: 2, c: 3 }]]);
  });

  it('hears notices and is cancelled', async () => {
    const client = new pg.Client({ ...settings(), statement_timeout: 200, application_name: 'np' });
    await client.connect();
    const heard = once(client, 'notice');
    await client.query('DROP TABLE IF EXISTS np_never');
    expect((await heard)[0]).toMatchObject({ severity: 'NOTICE', code: '00000' });
    expect((await client.query('SHOW application_name')).rows).toEqual([{ application_name: 'np' }]);
    await expect(client.query('SELECT count(*) FROM generate_series(1, 2000000000)')).rejects.toMatchObject({
      code: '57014',
    });
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const gone = once(client, 'error');
    // pg tells the broken connection as a second error.
    client.on('error', () => undefined);
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    expect((await gone)[0]).toMatchObject({ code: '57P01' });
  });

  it('refuses a wrong password', async () => {
    const client = new pg.Client({ ...settings(), password: 'wrong' });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
  });
});
