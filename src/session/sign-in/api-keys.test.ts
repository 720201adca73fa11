/** API keys as statements: who may make them, whom they let in, and what their scope leaves of a role's rights. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { makeServerRelations } from '../../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let owner: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  await owner.tags(`
    CREATE TABLE books (title text INDEX keyword_index());
    CREATE TABLE orders (id int PRIMARY KEY);
    CREATE VIEW shown AS SELECT id FROM orders;
    INSERT INTO orders VALUES (1);
    INSERT INTO books (_id, title) VALUES ('a', 'of all');
    INSERT INTO "books$acme" (_id, title) VALUES ('b', 'of acme');
    INSERT INTO "books$other" (_id, title) VALUES ('c', 'of others');
    CREATE FUNCTION count_orders() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM orders';
    CREATE POLICY hidden ON orders USING (true);
    COMMENT ON POLICY hidden ON orders IS 'hidden';
    COMMENT ON CONSTRAINT orders_pkey ON orders IS 'hidden';
    COMMENT ON FUNCTION count_orders() IS 'hidden';
    COMMENT ON TABLE books IS 'shown';
    CREATE DATASET filings WITH (embedding_model = 'hash')`);
});

afterAll(() => database.close());

async function made(options: string, name = ''): Promise<string> {
  const [row] = await owner.rows(`CREATE API KEY ${name} WITH (${options})`);
  return row?.[1] as string;
}

const failure = (session: TestSession, text: string): Promise<unknown> =>
  session.rows(text).then(
    (rows) => rows,
    (error) => (error as { condition: string }).condition,
  );

it('is told once, listed without its text, and lets in by four names', async () => {
  const [[name, key] = []] = await owner.rows('CREATE API KEY bi WITH (role = reader)');
  expect(name).toBe('bi');
  expect(key).toMatch(/^quern_[\w-]{43}$/);
  for (const user of ['quern', 'reader', 'bi', (key as string).slice(0, 12)]) {
    await (await database.sessionOf(key as string, { user })).session[Symbol.asyncDispose]();
  }
  for (const user of ['writer', 'owner', 'nobody', 'BI']) {
    await expect(
      database.sessionOf(key as string, { user, remoteAddress: `10.1.0.${user.length}` }),
    ).rejects.toMatchObject({
      condition: 'invalid_password',
    });
  }
  const listed = await owner.rows(
    `SELECT name, prefix, role, read_only, collections, last_used = current_date FROM quern.api_keys WHERE name = 'bi'`,
  );
  expect(listed).toEqual([['bi', (key as string).slice(0, 12), 'reader', 'f', null, 't']]);
  const [[seen = ''] = []] = await owner.rows('SELECT string_agg(query, $$ $$) FROM pg_stat_activity');
  expect(seen).not.toContain(key);
});

it('cannot be made within a transaction, twice, or by whoever has less', async () => {
  expect(await failure(owner, 'BEGIN; CREATE API KEY inside')).toBe('active_sql_transaction');
  await owner.tags('ROLLBACK');
  expect(await failure(owner, 'SELECT 1; CREATE API KEY inside')).toBe('active_sql_transaction');
  await made('role = reader', 'twice');
  expect(await failure(owner, 'CREATE API KEY twice')).toBe('duplicate_object');
  expect(await failure(owner, 'CREATE API KEY reader')).toBe('duplicate_object');
  expect(await failure(owner, 'CREATE API KEY x WITH (role = nobody)')).toBe('undefined_object');
  expect(await failure(owner, 'CREATE API KEY x WITH (nonsense)')).toBe('syntax_error');
  const admin = await database.sessionOf(await made('role = admin'));
  expect(await failure(admin, 'CREATE API KEY of_admin WITH (role = writer)')).toHaveLength(1);
  expect(await failure(admin, 'CREATE API KEY x WITH (role = owner)')).toBe('insufficient_privilege');
  expect(await failure(admin, 'DROP API KEY owner')).toBe('insufficient_privilege');
  const reader = await database.sessionOf(await made('role = reader'));
  expect(await failure(reader, 'CREATE API KEY x WITH (role = reader)')).toBe('insufficient_privilege');
  const narrow = await database.sessionOf(await made("role = owner, collections = 'books'"));
  expect(await failure(narrow, 'CREATE API KEY x')).toBe('insufficient_privilege');
  const brief = await database.sessionOf(await made("role = owner, expires = '1 hour'"));
  expect(await failure(brief, 'CREATE API KEY x')).toBe('insufficient_privilege');
  expect(await failure(brief, "CREATE API KEY briefer WITH (expires = '30 minutes')")).toHaveLength(1);
});

it('only reads where it says so', async () => {
  const session = await database.sessionOf(await made('role = owner, read_only'));
  expect(await session.rows('SELECT count(*) FROM orders')).toEqual([['1']]);
  for (const text of [
    'INSERT INTO orders VALUES (2)',
    'SET quern.read_only = off; INSERT INTO orders VALUES (2)',
    'DISCARD ALL; DELETE FROM orders',
    'CREATE TABLE made (a int)',
    'CREATE API KEY made',
  ]) {
    expect(await failure(session, text), text).toMatch(
      /read_only_sql_transaction|cant_change|invalid_parameter/,
    );
  }
});

it('reaches the collections of its scope, whoever it acts as', async () => {
  const session = await database.sessionOf(await made("role = owner, collections = ARRAY['books']"));
  expect(await session.rows('SELECT count(*) FROM books')).toHaveLength(1);
  for (const text of [
    'SELECT * FROM orders',
    'SELECT * FROM shown',
    'SELECT 1 WHERE EXISTS (SELECT FROM orders)',
    'SELECT count_orders()',
    'EXPLAIN SELECT * FROM orders',
    'COPY orders TO STDOUT',
    'PREPARE p AS SELECT * FROM orders; EXECUTE p',
    'BEGIN; DECLARE c CURSOR FOR SELECT * FROM orders',
    'DELETE FROM orders',
    'TRUNCATE orders',
    'INSERT INTO books (_id) SELECT id::text FROM orders',
    'SELECT * FROM filings.documents',
    "SELECT * FROM search('x', 'filings')",
    "SELECT quern.delete_document('filings', 'a')",
    'SELECT * FROM quern.ingest_queue',
    'SELECT * FROM quern.outside_calls',
    "SELECT lsn('orders')",
    'CREATE TABLE made (a int)',
    'CREATE TEMP TABLE made (a int)',
    'CREATE TABLE made AS SELECT 1',
    'LISTEN x',
    'NOTIFY x',
    "SELECT pg_notify('x', 'y')",
    'ANALYZE orders',
    'LOCK TABLE orders',
    'DROP DATASET filings',
    'SET ROLE quern; SELECT * FROM orders',
  ]) {
    const found = await failure(session, text);
    await session.tags('ROLLBACK');
    expect([text, found]).toEqual([text, 'insufficient_privilege']);
  }
  expect(await failure(session, "SELECT * FROM suggest('orders', 'x')")).toBe('undefined_table');
});

it('sees nothing of the rest in system relations', async () => {
  const session = await database.sessionOf(await made("role = owner, collections = 'books'"));
  expect(
    await session.rows(
      "SELECT relname FROM pg_class WHERE relname IN ('books', 'orders', 'shown', 'documents')",
    ),
  ).toEqual([['books']]);
  expect(await session.rows('SELECT name FROM quern.datasets')).toEqual([]);
  expect(await session.rows("SELECT to_regclass('orders'), to_regclass('books')")).toEqual([[null, 'books']]);
  expect(await session.rows("SELECT count(*) FROM pg_stats WHERE tablename = 'orders'")).toEqual([['0']]);
  expect(await session.rows('SELECT count(*) FROM pg_stat_activity')).toEqual([['1']]);
  const comments = "SELECT description FROM pg_description WHERE description IN ('hidden', 'shown')";
  expect(await session.rows(comments)).toEqual([['shown']]);
});

it('reaches partitions by their names only', async () => {
  const session = await database.sessionOf(
    await made("role = owner, collections = 'books', partitions = 'acme'"),
  );
  expect(await session.rows('SELECT _id FROM "books$acme"')).toEqual([['b']]);
  await session.tags(`INSERT INTO "books$acme" (_id, title) VALUES ('d', 'more')`);
  for (const text of [
    'SELECT * FROM books',
    'SELECT * FROM "books$other"',
    "INSERT INTO books (_id) VALUES ('x')",
    `DELETE FROM "books$other"`,
    "SELECT lsn('books$other')",
    "SELECT lsn('books')",
    "SELECT * FROM suggest('books', 'o')",
  ]) {
    expect([text, await failure(session, text)]).toEqual([text, 'insufficient_privilege']);
  }
  expect(await session.rows('SELECT partition, row_count FROM quern.partitions')).toEqual([['acme', '2']]);
});

it('reaches datasets by their names only, and has attributes', async () => {
  const session = await database.sessionOf(
    await made(`role = reader, datasets = 'filings', attributes = '{"tenant": "a", "level": 3}'`),
  );
  expect(await session.rows('SELECT count(*) FROM filings.documents')).toEqual([['0']]);
  expect(await session.rows("SELECT * FROM search('x', 'filings')")).toEqual([]);
  expect(await failure(session, "SELECT * FROM search('x', 'others')")).toBe('insufficient_privilege');
  expect(await failure(session, 'SELECT * FROM orders')).toBe('insufficient_privilege');
  const attributes =
    "SELECT quern.key_attribute('tenant'), quern.key_attribute('level'), quern.key_attribute('none')";
  expect(await session.rows(attributes)).toEqual([['a', '3', null]]);
  expect(await owner.rows("SELECT quern.key_attribute('toString')")).toEqual([[null]]);
});

it('comes from its addresses only', async () => {
  const key = await made("role = reader, addresses = '10.2.0.0/16,2001:db8::/32'");
  for (const remoteAddress of ['10.2.3.4', '::ffff:10.2.0.1', '2001:db8::9']) {
    await (await database.sessionOf(key, { remoteAddress })).session[Symbol.asyncDispose]();
  }
  for (const remoteAddress of ['10.3.0.1', '2001:db9::1', 'fe80::1%eth0', '']) {
    await expect(database.sessionOf(key, { remoteAddress })).rejects.toMatchObject({
      condition: 'invalid_password',
    });
  }
  expect(await failure(owner, "CREATE API KEY x WITH (addresses = '10.0.0.0/33')")).toBe(
    'invalid_parameter_value',
  );
});

it('ends its sessions and what they run when it ends', async () => {
  const key = await made('role = owner', 'ending');
  const running = await database.sessionOf(key);
  const ended = expect(running.rows('SELECT pg_sleep(20)')).rejects.toMatchObject({
    condition: 'admin_shutdown',
  });
  const idle = await database.sessionOf(key);
  const reasons: string[] = [];
  idle.session.onTerminate(({ condition }) => reasons.push(condition));
  await owner.tags('ALTER API KEY ending RENAME TO renamed');
  expect(reasons).toEqual([]);
  await owner.tags("ALTER API KEY renamed SET (collections = 'books')");
  await ended;
  expect(reasons).toEqual(['admin_shutdown']);
  expect(await failure(idle, 'SELECT 1')).toBe('admin_shutdown');
  await owner.tags('ALTER API KEY renamed EXPIRE');
  await expect(database.sessionOf(key)).rejects.toMatchObject({ condition: 'invalid_password' });
});

it('expires by itself, amid a statement', async () => {
  const key = await made("role = owner, expires = '0.6 seconds'");
  const session = await database.sessionOf(key);
  await expect(session.rows('SELECT pg_sleep(20)')).rejects.toMatchObject({ condition: 'admin_shutdown' });
  await expect(database.sessionOf(key)).rejects.toMatchObject({ condition: 'invalid_password' });
});

it('is rotated with an overlap, and dropped', async () => {
  const first = await made('role = reader', 'turning');
  const [[, second = ''] = []] = await owner.rows(
    "ALTER API KEY turning ROTATE WITH (overlap = '0.5 seconds')",
  );
  const session = await database.sessionOf(first);
  await database.sessionOf(second as string);
  expect(await owner.rows("SELECT old_key_until > now() FROM quern.api_keys WHERE name = 'turning'")).toEqual(
    [['t']],
  );
  await expect(session.rows('SELECT pg_sleep(20)')).rejects.toMatchObject({ condition: 'admin_shutdown' });
  await expect(database.sessionOf(first)).rejects.toMatchObject({ condition: 'invalid_password' });
  await owner.tags('DROP API KEY turning');
  expect(await owner.notices('DROP API KEY IF EXISTS turning')).toEqual([
    'API key "turning" does not exist, skipping',
  ]);
  await expect(database.sessionOf(second as string)).rejects.toMatchObject({ condition: 'invalid_password' });
  expect(await failure(owner, 'DROP API KEY turning')).toBe('undefined_object');
});

it('answers a new text before it ends the session that asked', async () => {
  const session = await database.sessionOf(await made('role = owner', 'own'));
  const reasons: string[] = [];
  session.session.onTerminate(({ condition }) => reasons.push(condition));
  const [[name, key] = []] = await session.rows('ALTER API KEY own ROTATE');
  expect([name, reasons]).toEqual(['own', ['admin_shutdown']]);
  await database.sessionOf(key as string);
});
