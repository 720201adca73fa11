/** Drizzle on node `pg` and on postgres.js: typed queries, relations, transactions, vectors, prepared statements. */
import {
  relations,
  sql,
  and,
  asc,
  cosineDistance,
  count,
  desc,
  eq,
  gt,
  ilike,
  inArray,
  sum,
} from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import {
  boolean,
  getTableConfig,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  serial,
  text,
  timestamp,
  varchar,
  vector,
} from 'drizzle-orm/pg-core';
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

const users = pgTable('dz_user', {
  id: serial('id').primaryKey(),
  name: varchar('name', { length: 40 }).notNull().unique(),
  active: boolean('active').notNull().default(true),
  created: timestamp('created', { withTimezone: true }).notNull().defaultNow(),
});

const posts = pgTable(
  'dz_post',
  {
    id: serial('id').primaryKey(),
    authorId: integer('author_id').notNull(),
    title: text('title').notNull(),
    price: numeric('price', { precision: 8, scale: 2 }),
    tags: text('tags').array(),
    meta: jsonb('meta').$type<{ words: number }>(),
    embedding: vector('embedding', { dimensions: 3 }),
  },
  (table) => [index('dz_post_author').on(table.authorId)],
);

const schema = {
  users,
  posts,
  userRelations: relations(users, ({ many }) => ({ posts: many(posts) })),
  postRelations: relations(posts, ({ one }) => ({
    author: one(users, { fields: [posts.authorId], references: [users.id] }),
  })),
};

const CREATE = `
  CREATE TABLE dz_user (id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE,
    active boolean NOT NULL DEFAULT true, created timestamptz NOT NULL DEFAULT now());
  CREATE TABLE dz_post (id serial PRIMARY KEY, author_id integer NOT NULL,
    title text NOT NULL, price numeric(8,2),
    tags text[], meta jsonb, embedding vector(3));
  CREATE INDEX dz_post_author ON dz_post USING btree (author_id);
  CREATE INDEX dz_post_embedding ON dz_post USING hnsw (embedding vector_cosine_ops)`;

let server: ServerProcess;
let pool: pg.Pool;
let client: postgres.Sql;

beforeAll(async () => {
  server = await startFreshServer();
  const { host, port, key: password } = server;
  pool = new pg.Pool({ host, port, password, user: 'quern', database: 'quern', max: 3 });
  client = postgres({ host, port, password, username: 'quern', database: 'quern', max: 2 });
});

afterAll(async () => {
  await pool?.end();
  await client?.end();
  await server?.[Symbol.asyncDispose]();
});

/** The same on either driver: the two have one query interface. */
function suite(connect: () => ReturnType<typeof drizzle<typeof schema>>): void {
  it('inserts and returns', async () => {
    const db = connect();
    await db.execute(sql.raw('DROP TABLE IF EXISTS dz_user'));
    await db.execute(sql.raw('DROP TABLE IF EXISTS dz_post'));
    for (const statement of CREATE.split(';')) await db.execute(sql.raw(statement));
    const made = await db
      .insert(users)
      .values([{ name: 'Ada' }, { name: 'Grace', active: false }])
      .returning();
    expect(made).toEqual([
      { id: 1, name: 'Ada', active: true, created: expect.any(Date) },
      { id: 2, name: 'Grace', active: false, created: expect.any(Date) },
    ]);
    const written = [
      {
        authorId: 1,
        title: 'Engines',
        price: '1.50',
        tags: ['a', 'b c'],
        meta: { words: 7 },
        embedding: [1, 0, 0],
      },
      { authorId: 1, title: 'Numbers', price: '2.25', tags: null, meta: null, embedding: [0, 1, 0] },
      { authorId: 2, title: 'Compilers', price: null, tags: [], meta: { words: 9 }, embedding: [1, 1, 0] },
    ];
    await db.insert(posts).values(written);
    const read = await db.select().from(posts).orderBy(posts.id);
    expect(read).toEqual(written.map((post, i) => ({ id: i + 1, ...post })));
  });

  it('joins, groups and filters', async () => {
    const db = connect();
    const totals = await db
      .select({ name: users.name, posts: count(posts.id), total: sum(posts.price) })
      .from(users)
      .leftJoin(posts, eq(posts.authorId, users.id))
      .groupBy(users.name)
      .having(({ posts: n }) => gt(n, 0))
      .orderBy(desc(count(posts.id)));
    expect(totals).toEqual([
      { name: 'Ada', posts: 2, total: '3.75' },
      { name: 'Grace', posts: 1, total: null },
    ]);
    const found = await db
      .select({ title: posts.title, words: sql<number>`(${posts.meta}->>'words')::int` })
      .from(posts)
      .where(and(inArray(posts.authorId, [1, 2]), ilike(posts.title, '%E%S')))
      .orderBy(asc(posts.title));
    expect(found).toEqual([
      { title: 'Compilers', words: 9 },
      { title: 'Engines', words: 7 },
      { title: 'Numbers', words: null },
    ]);
    const inner = db
      .$with('active')
      .as(db.select({ id: users.id }).from(users).where(eq(users.active, true)));
    expect(await db.with(inner).select({ n: count() }).from(inner)).toEqual([{ n: 1 }]);
    expect(await db.$count(posts, eq(posts.authorId, 1))).toBe(2);
  });

  it('loads relations', async () => {
    const all = await connect().query.users.findMany({
      columns: { name: true },
      with: { posts: { columns: { title: true }, orderBy: [desc(posts.title)], limit: 1 } },
      orderBy: [asc(users.id)],
    });
    expect(all).toEqual([
      { name: 'Ada', posts: [{ title: 'Numbers' }] },
      { name: 'Grace', posts: [{ title: 'Compilers' }] },
    ]);
    const one = await connect().query.posts.findFirst({ where: eq(posts.id, 3), with: { author: true } });
    expect(one).toMatchObject({ title: 'Compilers', author: { name: 'Grace' } });
  });

  it('updates, upserts and rolls back', async () => {
    const db = connect();
    const changed = await db
      .insert(users)
      .values({ name: 'Ada', active: false })
      .onConflictDoUpdate({ target: users.name, set: { active: sql`excluded.active` } })
      .returning({ id: users.id, active: users.active });
    expect(changed).toEqual([{ id: 1, active: false }]);
    await db.insert(users).values({ name: 'Ada' }).onConflictDoNothing();
    await expect(
      db.transaction(async (tx) => {
        await tx.update(users).set({ name: 'Renamed' }).where(eq(users.id, 1));
        await tx.transaction(async (inner) => inner.delete(posts)).catch(() => undefined);
        tx.rollback();
      }),
    ).rejects.toThrow('Rollback');
    expect(await db.$count(posts)).toBe(3);
    const failed = db.insert(users).values({ name: 'Ada' });
    await expect(failed).rejects.toMatchObject({ cause: { code: '23505' } });
  });

  it('orders by distance, and prepares', async () => {
    const db = connect();
    const near = await db
      .select({ title: posts.title })
      .from(posts)
      .orderBy(cosineDistance(posts.embedding, [1, 0.1, 0]))
      .limit(2);
    expect(near.map(({ title }) => title)).toEqual(['Engines', 'Compilers']);
    const prepared = db
      .select({ name: users.name })
      .from(users)
      .where(eq(users.id, sql.placeholder('id')))
      .prepare('dz_by_id');
    expect(await prepared.execute({ id: 2 })).toEqual([{ name: 'Grace' }]);
    expect(await prepared.execute({ id: 1 })).toEqual([{ name: 'Ada' }]);
  });
}

describe('Drizzle on node pg', () => {
  suite(() => drizzle(pool, { schema }));
});

describe('Drizzle on postgres.js', () => {
  suite(() => drizzleOnPostgres(client, { schema }) as unknown as ReturnType<typeof drizzle<typeof schema>>);
});

describe('what Drizzle declares', () => {
  it('is what information_schema shows', async () => {
    for (const table of [users, posts]) {
      const { name, columns } = getTableConfig(table);
      const { rows } = await pool.query(
        `SELECT column_name, is_nullable, column_default IS NOT NULL AS has_default
         FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
        [name],
      );
      const declared = columns.map((column) => ({
        column_name: column.name,
        is_nullable: column.notNull ? 'NO' : 'YES',
        has_default: column.hasDefault,
      }));
      expect(rows).toEqual(declared);
    }
  });
});
