/**
 * Reads of a serializable transaction hold when it commits: every read beside every write of another
 * transaction. Where the read, asked again after the write, answers otherwise, the commit has to fail; that is
 * held against the answers themselves. Where it may go on is a list of its own, or every commit might fail.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SqlError } from '../errors.ts';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import { sliced } from '../../sql-tests/slow-tests.ts';
import type { Operation } from '../storage/store.ts';

/** A store whose writes wait while it is closed, so that several commits come into one round. */
class GatedStore extends MemoryStore {
  #gate: PromiseWithResolvers<void> | null = null;

  shut(): void {
    this.#gate ??= Promise.withResolvers();
  }

  open(): void {
    this.#gate?.resolve();
    this.#gate = null;
  }

  override async write(operations: readonly Operation[]): Promise<void> {
    await this.#gate?.promise;
    await super.write(operations);
  }
}

const TABLES = `
  create type color as enum ('red', 'green', 'blue');
  create table items (id int primary key, code text unique, class int, price numeric, note text, tags int[],
    day date, fixed char(3), flag boolean, tone color, ref uuid, share float8);
  create index on items (class);
  create table docs (body text index keyword_index(), v vector(2) index vector_index());
  create table books (title text index keyword_index());
  create table parents (id int primary key, name text);
  create table children (id int primary key, parent int references parents);
  create table pairs (a int, b text, primary key (a, b));
  create table slips (k int unique deferrable initially deferred, n int);
  create table log (what text);
  create table junk (n int);
  create view cheap as select * from items where price < 3;
  create function total(c int) returns numeric language sql as 'select sum(price) from items where class = $1';
`;
const ROWS = `
  truncate items, docs, children, parents, pairs, slips, log;
  delete from books$p1; delete from books$p2;
  insert into items select n, 'c' || n, nullif(n % 4, 3), n / 2.0, case when n < 4 then 'ab' || n else 'x' end,
    array[n], date '2024-01-01' + n, 'f' || n, n % 2 = 0, (array['red', 'green', 'blue'])[1 + n % 3]::color,
    ('00000000-0000-0000-0000-00000000000' || n)::uuid, n / 4.0 from generate_series(1, 8) n;
  insert into docs (_id, body, v) values ('1', 'red fox', '[1,1]'), ('2', 'grey wolf', '[5,5]');
  insert into books$p1 (_id, title) values ('1', 'one'); insert into books$p2 (_id, title) values ('1', 'two');
  insert into parents values (1, 'p1'), (2, 'p2'), (3, 'p3'); insert into children values (1, 1), (2, 2);
  insert into pairs values (1, 'x'), (1, 'y'), (2, 'x');
  insert into slips values (1, 10), (2, 20), (3, 30);
`;

const READS: Readonly<Record<string, string>> = {
  hit: 'select * from items where id = 3',
  miss: 'select * from items where id = 99',
  'hit by code': "select * from items where code = 'c3'",
  'miss by code': "select * from items where code = 'zz'",
  'hit of two columns': "select * from pairs where a = 1 and b = 'y'",
  'miss of two columns': "select * from pairs where a = 2 and b = 'y'",
  'hit of a deferrable key': 'select n from slips where k = 1',
  'miss of a deferrable key': 'select n from slips where k = 9',
  'deferrable key of a row changed here':
    'update slips set n = 11 where k = 1; select n from slips where k = 1',
  'list of deferrable keys': 'select n from slips where k in (1, 9)',
  'half of a key': 'select count(*) from pairs where a = 2',
  'list of keys': 'select price from items where id in (2, 3, 99)',
  'array of keys': "select price from items where id = any('{3, 99}')",
  'key as numeric': 'select price from items where id = 3.0',
  'range of keys': 'select count(*), sum(price) from items where id between 3 and 5',
  'open range': 'select count(*) from items where id > 8',
  class: 'select sum(price) from items where class = 1',
  'no class': 'select count(*) from items where class is null',
  'class and price': 'select count(*) from items where class = 1 and price < 2',
  'class or price': 'select count(*) from items where class = 1 or price > 100',
  'not a class': 'select count(*) from items where class <> 1',
  prefix: "select count(*) from items where note like 'ab%'",
  infix: "select count(*) from items where note like '%b3%'",
  note: "select count(*) from items where note = 'x'",
  'note of another case': "select count(*) from items where upper(note) = 'X'",
  price: 'select count(*) from items where price = 1.50',
  tags: "select count(*) from items where tags = '{99}'",
  day: "select count(*) from items where day >= '2024-04-01'",
  fixed: "select count(*) from items where fixed = 'zz'",
  flag: 'select count(*) from items where flag',
  'flag is true': 'select count(*) from items where flag = true',
  tone: "select count(*) from items where tone >= 'green'",
  uuid: "select count(*) from items where ref = '00000000-0000-0000-0000-0000000000AA'",
  share: "select count(*) from items where share = 'nan'",
  count: 'select count(*) from items',
  greatest: 'select max(id), min(class) from items',
  first: 'select id from items order by id desc limit 1',
  exists: 'select exists (select from items where class = 7)',
  correlated: 'select (select count(*) from children c where c.parent = p.id) from parents p',
  anti: 'select name from parents p where not exists (select from children c where c.parent = p.id)',
  join: 'select name, count(*) from parents p join children c on c.parent = p.id group by name order by 1',
  lateral: 'select sum(i.price) from generate_series(3, 4) g, lateral (select * from items where id = g) i',
  view: 'select count(*) from cheap',
  function: 'select total(1)',
  union: 'select id from items where id = 3 union all select id from children where id = 9',
  cte: 'with c as materialized (select * from items where class = 1) select count(*) from c',
  savepoint: 'savepoint s; select * from items where id = 3; rollback to s',
  cursor: 'declare c cursor for select price from items where class = 1 order by id; fetch 9 c; close c',
  upsert: "insert into items (id, code) values (99, 'u') on conflict do nothing",
  'upsert of what is there': 'insert into items (id) values (3) on conflict do nothing',
  merge: `merge into log using (select count(*)::text n from items where class = 1) s on what = n
    when not matched then insert values (n)`,
  'insert and select': 'insert into log select note from items where class = 1 order by id returning what',
  keyword: "select _id from docs where match('fox', body) order by 1",
  vector: "select _id from docs order by v <-> '[2,2]' limit 1",
  partition: 'select * from books$p1',
  'key of a partition': "select * from books$p2 where _id = '9'",
  'no partition': 'savepoint s; select * from books$p9',
  partitions: 'select partition from quern.partitions order by 1',
  catalog: "select count(*) from pg_class where relname = 'made'",
};

const WRITES: Readonly<Record<string, string>> = {
  'insert 9': "insert into items (id, code, class, price, note) values (9, 'c9', 1, 1.5, 'ab9')",
  'insert 99': `insert into items values (99, 'zz', 7, 101, 'X', '{99}', '2024-05-05', 'zz', true, 'blue',
    '00000000-0000-0000-0000-0000000000aa', 'nan')`,
  'update 3': 'update items set price = price + 1 where id = 3',
  'update 8': 'update items set price = 200, flag = false where id = 8',
  'another class': 'update items set class = 1 where id = 2',
  'another key': "update items set id = 99, code = 'zz' where id = 3",
  'no class': 'update items set class = null where id = 1',
  'delete 3': 'delete from items where id = 3',
  'delete a class': 'delete from items where class = 1',
  'delete all': 'delete from items',
  'there and gone': "insert into items (id, code) values (99, 'zz'); delete from items where id = 99",
  'gone and there': `delete from items where id = 3;
    insert into items (id, code, class, price, note) values (3, 'c3', 1, 9, 'x')`,
  upsert:
    "insert into items (id, note) values (3, 'new'), (99, 'new') on conflict (id) do update set note = 'new'",
  'insert a pair': "insert into pairs values (2, 'y')",
  'delete a pair': "delete from pairs where a = 1 and b = 'y'",
  'insert a slip': 'insert into slips values (9, 90)',
  'slips turn': 'update slips set k = 1 + k % 3',
  'another slip': 'update slips set k = 9 where k = 3',
  'a slip there and gone': 'insert into slips values (9, 90), (1, 91); delete from slips where n > 80',
  'delete a slip': 'delete from slips where k = 1',
  'insert a parent': "insert into parents values (9, 'p9')",
  'insert a child': 'insert into children values (9, 3)',
  'move a child': 'update children set parent = 3 where id = 2',
  'insert a doc': "insert into docs (_id, body, v) values ('3', 'fox', '[2,2]')",
  'delete a doc': "delete from docs where _id = '1'",
  'insert into p1': "insert into books$p1 (_id, title) values ('2', 'more')",
  'insert into p2': "insert into books$p2 (_id, title) values ('9', 'more')",
  'insert into p9': "insert into books$p9 (_id, title) values ('9', 'more')",
  'drop p1': "alter table books drop partition 'p1'",
  'create a table': 'create table made (n int)',
  junk: 'insert into junk values (1)',
  nothing: 'update items set price = 0 where id = 77',
};

/** Read, then writes that are not in its way. */
const FREE: Readonly<Record<string, readonly string[]>> = {
  hit: ['insert 9', 'insert 99', 'update 8', 'another class', 'no class', 'there and gone', 'create a table'],
  miss: ['insert 9', 'update 3', 'delete 3', 'delete all', 'gone and there', 'there and gone'],
  'hit by code': ['insert 9', 'update 8'],
  'miss by code': ['insert 9', 'update 3', 'delete 3'],
  'hit of two columns': ['insert a pair'],
  'miss of two columns': ['delete a pair'],
  'hit of a deferrable key': ['insert a slip', 'another slip', 'a slip there and gone'],
  'miss of a deferrable key': ['slips turn', 'delete a slip', 'a slip there and gone'],
  'half of a key': ['delete a pair'],
  'list of keys': ['insert 9', 'update 8'],
  'array of keys': ['insert 9', 'update 8'],
  'range of keys': ['insert 9', 'insert 99', 'update 8', 'no class', 'there and gone'],
  'open range': ['update 3', 'delete 3'],
  class: ['insert 99', 'update 3', 'update 8'],
  'no class': ['insert 9', 'insert 99', 'update 8'],
  'class and price': ['insert 99', 'update 3'],
  prefix: ['insert 99', 'update 8'],
  note: ['insert 9', 'insert 99', 'update 3'],
  price: ['insert 99', 'update 8'],
  day: ['insert 9', 'update 3', 'delete all'],
  tone: ['insert 9'],
  uuid: ['insert 9', 'update 3', 'delete all'],
  lateral: ['insert 9', 'update 8'],
  view: ['insert 99'],
  function: ['insert 99', 'update 8'],
  upsert: ['insert 9', 'update 3', 'delete 3'],
  keyword: ['insert 9', 'insert into p1'],
  partition: ['insert into p2', 'insert into p9', 'insert 9'],
  'key of a partition': ['insert into p1', 'drop p1'],
  'no partition': ['insert into p1', 'drop p1'],
  catalog: ['insert 9', 'insert into p9'],
};

interface Way {
  /** Where rows lie. */
  readonly layout: 'heads' | 'segments';
  /** The other's commit and the reader's: in turn, in one round, or with a merge of the rows in between. */
  readonly commits: 'in turn' | 'together' | 'merged';
}

let database: TestDatabase;
const store = new GatedStore();
let one: TestSession;
let other: TestSession;
let third: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open({ store });
  one = await database.session();
  other = await database.session();
  third = await database.session();
  await one.rows(TABLES);
  await one.rows("insert into books$p1 (_id) values ('x'); insert into books$p2 (_id) values ('x')");
  await other.rows("set lock_timeout = '20ms'");
});

afterAll(async () => {
  await database?.close();
});

/** The answer, or the error. */
async function answer(session: TestSession, text: string): Promise<string> {
  try {
    return JSON.stringify(await session.rows(text));
  } catch (error) {
    if (error instanceof SqlError) return error.sqlstate;
    throw error;
  }
}

/** Answer of a read by itself, in a transaction that leaves nothing. */
async function aloneAnswer(read: string): Promise<string> {
  await third.rows('begin');
  const alone = await answer(third, read);
  await third.rows('rollback');
  return alone;
}

interface Outcome {
  readonly commit: string;
  readonly isAnotherAnswer: boolean;
}

/** Null where the write has to wait for the reader. */
async function attempt(read: string, write: string, { commits }: Way): Promise<Outcome | null> {
  const before = await aloneAnswer(read);
  await one.rows('begin isolation level serializable');
  expect(await answer(one, read)).toBe(before);
  if (before === '42P01') await one.rows('rollback to s');
  await other.rows('begin');
  const waited = await answer(other, write);
  await one.rows("insert into log values ('one')");
  if (waited === '55P03') {
    await Promise.all([one.rows('rollback'), other.rows('rollback')]);
    return null;
  }
  const commit = commits === 'together' ? await commitTogether() : await commitInTurn(commits === 'merged');
  return { commit, isAnotherAnswer: (await aloneAnswer(read)) !== before };
}

async function commitInTurn(merges: boolean): Promise<string> {
  await other.rows('commit');
  if (merges) await database.environment.engine.flush();
  return answer(one, 'commit');
}

async function commitTogether(): Promise<string> {
  store.shut();
  const first = third.rows('insert into junk values (0)');
  await new Promise(setImmediate);
  const second = other.rows('commit');
  await new Promise(setImmediate);
  const last = answer(one, 'commit');
  await new Promise(setImmediate);
  store.open();
  await Promise.all([first, second]);
  return last;
}

async function reset({ layout }: Pick<Way, 'layout'>): Promise<void> {
  for (const session of [one, other]) if (session.session.status() !== 'I') await session.rows('rollback');
  await third.rows('drop table if exists made');
  await answer(third, "alter table books drop partition 'p9'");
  await third.rows(ROWS);
  if (layout === 'segments') await database.environment.engine.flush();
}

const WRITE_NAMES = Object.keys(WRITES);

/** Pairs take turns with these. */
const WAYS: readonly Way[] = [
  { layout: 'heads', commits: 'in turn' },
  { layout: 'heads', commits: 'together' },
  { layout: 'heads', commits: 'merged' },
  { layout: 'segments', commits: 'in turn' },
  { layout: 'heads', commits: 'together' },
];

it.each(
  sliced(
    import.meta,
    Object.keys(READS).map((name, i) => [name, i] as const),
  ),
)('%s', async (name, i) => {
  const read = READS[name] as string;
  const wrong: string[] = [];
  const failed: string[] = [];
  for (const [j, writeName] of WRITE_NAMES.entries()) {
    const way = WAYS[(i + j) % WAYS.length] as Way;
    await reset(way);
    const outcome = await attempt(read, WRITES[writeName] as string, way);
    if (outcome === null) continue;
    const what = `${writeName}, ${way.layout}, ${way.commits}`;
    if (outcome.isAnotherAnswer && outcome.commit !== '40001') wrong.push(what);
    const isFree = [...(FREE[name] ?? []), 'junk', 'nothing'].includes(writeName);
    if (isFree && outcome.commit !== '[]') failed.push(what);
  }
  expect({ wrong, failed }).toEqual({ wrong: [], failed: [] });
});

it('a table that was made and filled since the snapshot has been read empty', async () => {
  await reset({ layout: 'heads' });
  await one.rows('begin isolation level serializable; select * from items');
  await other.rows('create table made (n int); insert into made values (1)');
  expect(await one.rows('select * from made')).toEqual([]);
  await one.rows("insert into log values ('one')");
  expect(await answer(one, 'commit')).toBe('40001');
});

it('a table of its own, and changes of others that it does not read, are in nobody`s way', async () => {
  await reset({ layout: 'heads' });
  await one.rows('begin isolation level serializable; select * from items where id = 3');
  await one.rows('create table made (n int primary key); insert into made values (1)');
  expect(await one.rows('select * from made where n = 1')).toEqual([['1']]);
  await other.rows("insert into docs (_id, body) values ('7', 'x'); insert into items (id) values (7000)");
  expect(await answer(one, 'commit')).toBe('[]');
});

it('who has written nothing, or only read, is never refused', async () => {
  for (const mode of ['read write', 'read only', 'read only, deferrable']) {
    await reset({ layout: 'heads' });
    await one.rows(`begin isolation level serializable, ${mode}; select count(*) from items`);
    await other.rows('delete from items');
    expect(await one.rows('select count(*) from items')).toEqual([['8']]);
    expect(await answer(one, 'commit')).toBe('[]');
  }
});

it('single statements are serializable where the setting says so', async () => {
  await reset({ layout: 'heads' });
  await one.rows("set default_transaction_isolation = 'serializable'");
  expect(await one.rows('show transaction_isolation')).toEqual([['serializable']]);
  const statement = one.rows('insert into log select count(*)::text from items, pg_sleep(0.05)');
  await other.rows("insert into items (id, code) values (9, 'c9')");
  await expect(statement).rejects.toMatchObject({
    sqlstate: '40001',
    message: 'could not serialize access due to read/write dependencies among transactions',
    fields: { hint: 'The transaction might succeed if retried.' },
  });
  await one.rows('reset default_transaction_isolation');
});

it('what is too much to remember is the whole table', async () => {
  await reset({ layout: 'heads' });
  const scans = (n: number): string =>
    Array.from({ length: n }, (_, i) => `select from items where class = ${100 + i}`).join(';');
  for (const [count, outcome] of [
    [200, '[]'],
    [300, '40001'],
  ] as const) {
    await one.rows(`begin isolation level serializable; ${scans(count)}`);
    await other.rows('update items set price = 1 where id = 5');
    await one.rows("insert into log values ('one')");
    expect(await answer(one, 'commit')).toBe(outcome);
  }
});

it('more changes than are looked at are changes', async () => {
  await reset({ layout: 'heads' });
  for (const [count, outcome] of [
    [3_000, '[]'],
    [5_000, '40001'],
  ] as const) {
    await one.rows('begin isolation level serializable; select from items where class = 100');
    await other.rows(
      `insert into items (id) select 10000 + ${count} * 2 + n from generate_series(1, ${count}) n`,
    );
    await one.rows("insert into log values ('one')");
    expect(await answer(one, 'commit')).toBe(outcome);
  }
});
