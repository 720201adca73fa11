/** Kysely: schema builder, typed queries with joins, CTEs and upserts, transactions, introspection, streams. */
import { CamelCasePlugin, type Generated, Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';

interface Database {
  ky_person: {
    id: Generated<number>;
    first_name: string;
    age: number | null;
    created: Generated<Date>;
    meta: { langs: string[] } | null;
  };
  ky_pet: { id: Generated<number>; owner_id: number; name: string; species: 'cat' | 'dog' };
}

let server: ServerProcess;
let db: Kysely<Database>;

beforeAll(async () => {
  server = await startFreshServer();
  const { host, port, key: password } = server;
  const pool = new pg.Pool({ host, port, password, user: 'quern', database: 'quern', max: 3 });
  db = new Kysely<Database>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) });
});

afterAll(async () => {
  await db?.destroy();
  await server?.[Symbol.asyncDispose]();
});

describe('Kysely', () => {
  it('makes tables', async () => {
    await db.schema
      .createTable('ky_person')
      .addColumn('id', 'serial', (c) => c.primaryKey())
      .addColumn('first_name', 'varchar(40)', (c) => c.notNull().unique())
      .addColumn('age', 'integer')
      .addColumn('created', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      .addColumn('meta', 'jsonb')
      .execute();
    await db.schema
      .createTable('ky_pet')
      .ifNotExists()
      .addColumn('id', 'bigserial', (c) => c.primaryKey())
      .addColumn('owner_id', 'integer', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('species', 'text', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('ky_pet_owner').on('ky_pet').column('owner_id').execute();
  });

  it('inserts, updates, upserts and deletes', async () => {
    const people = [
      { first_name: 'Jennifer', age: 30, meta: { langs: ['en'] } },
      { first_name: 'Arnold', age: 70, meta: null },
      { first_name: 'Zoë', age: null, meta: null },
    ];
    const inserted = await db
      .insertInto('ky_person')
      .values(people.map((p) => ({ ...p, meta: p.meta === null ? null : JSON.stringify(p.meta) }) as never))
      .returning(['id', 'first_name'])
      .execute();
    expect(inserted).toEqual(people.map((p, i) => ({ id: i + 1, first_name: p.first_name })));
    const updated = await db
      .updateTable('ky_person')
      .set((eb) => ({ age: eb('age', '+', 1) }))
      .where('first_name', '=', 'Arnold')
      .returningAll()
      .executeTakeFirstOrThrow();
    expect(updated).toMatchObject({ age: 71, created: expect.any(Date) });
    await db
      .insertInto('ky_person')
      .values({ first_name: 'Zoë', age: 5 } as never)
      .onConflict((oc) => oc.column('first_name').doUpdateSet((eb) => ({ age: eb.ref('excluded.age') })))
      .execute();
    const pets = [
      { owner_id: 1, name: 'Catto', species: 'cat' as const },
      { owner_id: 1, name: 'Doggo', species: 'dog' as const },
      { owner_id: 2, name: 'Hammo', species: 'dog' as const },
    ];
    expect((await db.insertInto('ky_pet').values(pets).executeTakeFirst()).numInsertedOrUpdatedRows).toBe(3n);
    const removed = await db.deleteFrom('ky_pet').where('name', '=', 'Hammo').executeTakeFirst();
    expect(removed.numDeletedRows).toBe(1n);
  });

  it('joins, groups and nests', async () => {
    const counted = await db
      .selectFrom('ky_person as p')
      .leftJoin('ky_pet as t', 't.owner_id', 'p.id')
      .select((eb) => ['p.first_name', eb.fn.count<string>('t.id').as('pets')])
      .groupBy('p.first_name')
      .having((eb) => eb.fn.count('t.id'), '>=', 0)
      .orderBy('pets', 'desc')
      .orderBy('p.first_name')
      .execute();
    expect(counted).toEqual([
      { first_name: 'Jennifer', pets: '2' },
      { first_name: 'Arnold', pets: '0' },
      { first_name: 'Zoë', pets: '0' },
    ]);
    const nested = await db
      .selectFrom('ky_person')
      .select((eb) => [
        'first_name',
        jsonArrayFrom(
          eb
            .selectFrom('ky_pet')
            .select(['name', 'species'])
            .whereRef('ky_pet.owner_id', '=', 'ky_person.id')
            .orderBy('name'),
        ).as('pets'),
      ])
      .where((eb) => eb.between('age', 1, 40))
      .orderBy('id')
      .execute();
    expect(nested).toEqual([
      {
        first_name: 'Jennifer',
        pets: [
          { name: 'Catto', species: 'cat' },
          { name: 'Doggo', species: 'dog' },
        ],
      },
      { first_name: 'Zoë', pets: [] },
    ]);
    const old = await db
      .with('old', (q) => q.selectFrom('ky_person').selectAll().where('age', '>', 20))
      .selectFrom('old')
      .select(({ fn, val }) => [
        fn.max('age').as('oldest'),
        val('x').as('mark'),
        fn.countAll<string>().as('n'),
      ])
      .executeTakeFirstOrThrow();
    expect(old).toEqual({ oldest: 71, mark: 'x', n: '2' });
    const ranked = await db
      .selectFrom('ky_pet')
      .select((eb) => [
        'name',
        eb.fn
          .agg<string>('row_number')
          .over((o) => o.orderBy('name', 'desc'))
          .as('rank'),
      ])
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('ky_person').select('id').whereRef('ky_person.id', '=', 'ky_pet.owner_id')),
      )
      .execute();
    expect(ranked).toEqual([
      { name: 'Doggo', rank: '1' },
      { name: 'Catto', rank: '2' },
    ]);
    const langs = await db
      .selectFrom('ky_person')
      .select((eb) => eb.ref('meta', '->').key('langs').at(0).as('first'))
      .where('meta', 'is not', null)
      .execute();
    expect(langs).toEqual([{ first: 'en' }]);
  });

  it('keeps transactions, and streams', async () => {
    await expect(
      db
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (trx) => {
          await trx.deleteFrom('ky_pet').execute();
          await trx.insertInto('ky_person').values({ first_name: 'Arnold' }).execute();
        }),
    ).rejects.toMatchObject({ code: '23505', constraint: 'ky_person_first_name_key' });
    const trx = await db.startTransaction().execute();
    await trx.insertInto('ky_pet').values({ owner_id: 3, name: 'Temp', species: 'cat' }).execute();
    const saved = await trx.savepoint('before').execute();
    await saved.deleteFrom('ky_pet').execute();
    await saved.rollbackToSavepoint('before').execute();
    await saved.commit().execute();
    const names: string[] = [];
    for await (const { name } of db.selectFrom('ky_pet').select('name').orderBy('name').stream(2))
      names.push(name);
    expect(names).toEqual(['Catto', 'Doggo', 'Temp']);
  });

  it('introspects tables and views', async () => {
    const tables = await db.introspection.getTables();
    const person = tables.find(({ name }) => name === 'ky_person');
    expect(person).toMatchObject({ schema: 'public', isView: false });
    expect(
      person?.columns.map((c) => [c.name, c.dataType, c.isNullable, c.isAutoIncrementing, c.hasDefaultValue]),
    ).toEqual([
      ['id', 'int4', false, true, true],
      ['first_name', 'varchar', false, false, false],
      ['age', 'int4', true, false, false],
      ['created', 'timestamptz', false, false, true],
      ['meta', 'jsonb', true, false, false],
    ]);
    expect((await db.introspection.getSchemas()).map(({ name }) => name)).toContain('public');
    await db.schema
      .createView('ky_cats')
      .as(db.selectFrom('ky_pet').selectAll().where('species', '=', 'cat'))
      .execute();
    const view = (await db.introspection.getTables()).find(({ name }) => name === 'ky_cats');
    expect(view?.isView).toBe(true);
    const camel = db.withPlugin(new CamelCasePlugin()) as unknown as Kysely<{ kyPet: { ownerId: number } }>;
    expect(await camel.selectFrom('kyPet').select('ownerId').distinct().orderBy('ownerId').execute()).toEqual(
      [{ ownerId: 1 }, { ownerId: 3 }],
    );
  });

  it('migrates', async () => {
    const migrations: Record<string, Migration> = {
      '1_make': {
        up: async (k) => k.schema.createTable('ky_made').addColumn('id', 'integer').execute(),
        down: async (k) => k.schema.dropTable('ky_made').execute(),
      },
      '2_alter': {
        up: async (k) => k.schema.alterTable('ky_made').addColumn('note', 'text').execute(),
        down: async (k) => k.schema.alterTable('ky_made').dropColumn('note').execute(),
      },
    };
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error, results } = await migrator.migrateToLatest();
    expect([error, results?.map(({ status }) => status)]).toEqual([undefined, ['Success', 'Success']]);
    expect((await migrator.migrateDown()).results?.[0]).toMatchObject({
      migrationName: '2_alter',
      status: 'Success',
    });
  });
});
