/** pgvector's JavaScript package with node `pg`, postgres.js and Kysely. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import pgvector, { SparseVector } from 'pgvector';
import { cosineDistance, l2Distance } from 'pgvector/kysely';
import { registerTypes } from 'pgvector/pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

let server: ServerProcess;
const settings = () => ({ host: server.host, port: server.port, password: server.key, database: 'quern' });

beforeAll(async () => {
  server = await startFreshServer();
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe("pgvector's package", () => {
  it('works with node pg', async () => {
    const client = new pg.Client({ ...settings(), user: 'quern' });
    await client.connect();
    await client.query('CREATE EXTENSION IF NOT EXISTS vector');
    await registerTypes(client);
    await client.query(
      'CREATE TABLE vj_item (id serial PRIMARY KEY, e vector(3), h halfvec(3), b bit(3), s sparsevec(3))',
    );
    const values = [
      [1, 1, 1],
      [2, 2, 2],
      [1, 1, 2],
    ].flatMap((v) => [
      pgvector.toSql(v),
      pgvector.toSql(v),
      v.map((x) => (x > 1 ? 1 : 0)).join(''),
      new SparseVector(v).toPostgres(),
    ]);
    const rows = [0, 4, 8].map((n) => `($${n + 1}, $${n + 2}, $${n + 3}, $${n + 4})`).join(', ');
    await client.query(`INSERT INTO vj_item (e, h, b, s) VALUES ${rows}`, values);
    await client.query('CREATE INDEX ON vj_item USING hnsw (e vector_l2_ops)');
    const near = await client.query('SELECT * FROM vj_item ORDER BY e <-> $1 LIMIT 2', [
      pgvector.toSql([1, 1, 1]),
    ]);
    expect(near.rows.map((row) => [row.id, row.e, row.h, row.b, row.s.toArray()])).toEqual([
      [1, [1, 1, 1], [1, 1, 1], '000', [1, 1, 1]],
      [3, [1, 1, 2], [1, 1, 2], '001', [1, 1, 2]],
    ]);
    await client.end();
  });

  it('works with postgres.js', async () => {
    const sql = postgres({ ...settings(), username: 'quern', max: 1, onnotice: () => undefined });
    await sql`DROP TABLE IF EXISTS vj_short`;
    await sql`CREATE TABLE vj_short (id serial PRIMARY KEY, embedding vector(2))`;
    const items = [
      [1, 0],
      [0, 1],
    ].map((v) => ({ embedding: pgvector.toSql(v) }));
    await sql`INSERT INTO vj_short ${sql(items, 'embedding')}`;
    const found =
      await sql`SELECT id, embedding FROM vj_short ORDER BY embedding <=> ${pgvector.toSql([0.2, 1])}`;
    expect(found.map((row) => [row.id, pgvector.fromSql(row.embedding)])).toEqual([
      [2, [0, 1]],
      [1, [1, 0]],
    ]);
    await sql.end();
  });

  it('works with Kysely', async () => {
    interface Database {
      vj_kysely: { id: number; embedding: string | null };
    }
    const pool = new pg.Pool({ ...settings(), user: 'quern' });
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
    await pool.query('CREATE TABLE vj_kysely (id int PRIMARY KEY, embedding vector(2))');
    const rows = [
      [3, 3],
      [1, 1],
      [1, 2],
    ].map((v, id) => ({ id, embedding: pgvector.toSql(v) }));
    await db.insertInto('vj_kysely').values(rows).execute();
    const near = db
      .selectFrom('vj_kysely')
      .select('id')
      .orderBy(l2Distance('embedding', [1, 1.2]))
      .limit(2);
    expect(await near.execute()).toEqual([{ id: 1 }, { id: 2 }]);
    const angle = db
      .selectFrom('vj_kysely')
      .select(cosineDistance('embedding', [1, 1]).as('d'))
      .where('id', '=', 0);
    expect((await angle.executeTakeFirstOrThrow()).d).toBeCloseTo(0, 6);
    await db.destroy();
  });
});
