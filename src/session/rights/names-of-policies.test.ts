/** Texts that are kept (policies, views, defaults, bodies) mean what they meant, whatever search path their reader has. */
import { expect, it } from 'vitest';
import { TestDatabase } from '../../../sql-tests/fixtures/database.ts';

it('names in policies, views, defaults and bodies are found as they were', async () => {
  const database = await TestDatabase.open();
  try {
    const owner = await database.session();
    await owner.rows(`CREATE ROLE eve; CREATE SCHEMA evil AUTHORIZATION eve;
      GRANT CREATE, TEMPORARY ON DATABASE quern TO eve;
      CREATE FUNCTION tenant() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_user::text $$;
      CREATE TABLE readers (note int, reader text); GRANT SELECT ON readers TO eve;
      CREATE TABLE notes (id int, owner text); INSERT INTO notes VALUES (1, 'eve'), (2, 'bob');
      CREATE TABLE memos (id int, owner text); INSERT INTO memos VALUES (1, 'eve'), (2, 'bob');
      INSERT INTO readers VALUES (1, 'eve');
      GRANT SELECT ON notes, memos TO eve;
      ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
      ALTER TABLE memos ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON notes USING (owner = tenant());
      CREATE TABLE files (id int, owner text DEFAULT tenant());
      INSERT INTO files VALUES (1, 'eve'), (2, 'bob');
      GRANT SELECT, INSERT ON files TO eve; ALTER TABLE files ENABLE ROW LEVEL SECURITY;
      CREATE POLICY lowered ON files USING (owner = lower(current_user));
      CREATE VIEW mine AS SELECT tenant() AS tenant; GRANT SELECT ON mine TO eve;
      CREATE FUNCTION whose() RETURNS text RETURN tenant();
      CREATE POLICY listed ON memos USING
        (EXISTS (SELECT 1 FROM readers WHERE note = id AND reader = current_user));
      CREATE VIEW all_readers AS SELECT note FROM readers;
      GRANT SELECT ON all_readers TO eve`);
    const eve = await database.session();
    await eve.rows('SET ROLE eve');
    await eve.rows(`CREATE FUNCTION evil.tenant() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'bob' $$;
      CREATE FUNCTION evil.lower(name) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'bob' $$`);
    await eve.rows(
      `CREATE TABLE evil.readers (note int, reader text); INSERT INTO evil.readers VALUES (2, 'eve')`,
    );
    await eve.rows(`CREATE TEMPORARY TABLE readers (note int, reader text)`);
    await eve.rows(`INSERT INTO pg_temp.readers VALUES (2, 'eve')`);
    for (const path of ['public', 'evil, public', 'pg_temp, evil, public', 'evil, pg_catalog']) {
      await eve.rows(`SET search_path = ${path}`);
      expect([path, await eve.rows('SELECT id FROM public.notes')]).toEqual([path, [['1']]]);
      expect([path, await eve.rows('SELECT id FROM public.memos')]).toEqual([path, [['1']]]);
      expect([path, await eve.rows('SELECT id FROM public.files')]).toEqual([path, [['1']]]);
      expect([path, await eve.rows('SELECT tenant, public.whose() FROM public.mine')]).toEqual([
        path,
        [['eve', 'eve']],
      ]);
      await eve.rows('BEGIN; INSERT INTO public.files (id) VALUES (3)');
      expect([path, await eve.rows('SELECT count(*) FROM public.files; ROLLBACK')]).toEqual([path, [['2']]]);
      expect([path, await eve.rows('SELECT note FROM public.all_readers')]).toEqual([path, [['1']]]);
    }
  } finally {
    await database.close();
  }
});
