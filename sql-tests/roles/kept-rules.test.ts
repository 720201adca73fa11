/**
 * Nothing tells that rows of row rules are kept: the same rows come with it and without it, by every way to ask, whatever was
 * written meanwhile to the table and to the tables that its rules ask.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const IDS = 12;
const READERS = ['ann', 'bob'] as const;
const TENANTS = ['t1', 't2'] as const;

const POLICIES = [
  'id IN (SELECT doc FROM acl WHERE reader = current_user)',
  'EXISTS (SELECT FROM acl WHERE acl.doc = notes.id AND acl.reader = current_user)',
  "tenant = current_setting('app.tenant', true) OR id = ANY (SELECT doc FROM acl WHERE reader = current_user)",
  'id > (SELECT count(*) FROM acl WHERE reader = current_user)',
  'tenant IN (SELECT tenant FROM members)',
  "tenant = current_setting('app.tenant', true)",
];

const QUERIES = [
  'SELECT id FROM notes ORDER BY id',
  'SELECT count(*), min(id), max(id) FROM notes',
  "SELECT id, round(bm25_score()::numeric, 6) FROM notes WHERE matches('whale sea', body) ORDER BY bm25_score() DESC, id",
  ...Array.from({ length: 3 }, (_, i) => `SELECT tenant FROM notes WHERE id = ${1 + 4 * i}`),
  'SELECT n.id FROM notes n JOIN acl ON acl.doc = n.id ORDER BY 1',
];

let database: TestDatabase;
let owner: TestSession;
let kept: TestSession;
let fresh: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { headRows: 8 } });
  [owner, kept, fresh] = [await database.session(), await database.session(), await database.session()];
  await owner.rows(`CREATE ROLE ann; CREATE ROLE bob;
    CREATE TABLE notes (id int PRIMARY KEY, tenant text, body text);
    CREATE INDEX ON notes USING keyword (body);
    CREATE TABLE acl (reader text, doc int, PRIMARY KEY (reader, doc));
    CREATE TABLE members (reader text, tenant text);
    GRANT SELECT, INSERT, DELETE ON notes, acl, members TO ann, bob;
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY; CREATE POLICY rule ON notes USING (true);
    ALTER TABLE members ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON members USING (reader = current_user)`);
  await fresh.rows("SET quern.disabled_rules = 'kept-masks'");
});

afterAll(() => database.close());

type Step =
  | { readonly kind: 'write'; readonly sql: string }
  | { readonly kind: 'policy'; readonly using: string }
  | {
      readonly kind: 'ask';
      readonly role: string;
      readonly tenant: string;
      readonly own: string | null;
      readonly past: string | null;
    };

const id = fc.integer({ min: 1, max: IDS });
const reader = fc.constantFrom(...READERS);
const tenant = fc.constantFrom(...TENANTS);
const write = fc.oneof(
  fc
    .tuple(id, tenant)
    .map(([n, t]) => `INSERT INTO notes VALUES (${n}, '${t}', 'whale ${n} sea') ON CONFLICT DO NOTHING`),
  fc.tuple(id, tenant).map(([n, t]) => `UPDATE notes SET tenant = '${t}' WHERE id = ${n}`),
  id.map((n) => `DELETE FROM notes WHERE id = ${n}`),
  fc.tuple(reader, id).map(([r, n]) => `INSERT INTO acl VALUES ('${r}', ${n}) ON CONFLICT DO NOTHING`),
  fc.tuple(reader, id).map(([r, n]) => `DELETE FROM acl WHERE reader = '${r}' AND doc = ${n}`),
  fc.tuple(reader, tenant).map(([r, t]) => `INSERT INTO members VALUES ('${r}', '${t}')`),
  fc.tuple(reader, tenant).map(([r, t]) => `DELETE FROM members WHERE reader = '${r}' AND tenant = '${t}'`),
  fc.constant('VACUUM FULL notes'),
);
const own = fc.tuple(reader, id).map(([r, n]) => `DELETE FROM acl WHERE reader = '${r}' AND doc = ${n}`);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: write.map((sql): Step => ({ kind: 'write', sql })) },
  { weight: 1, arbitrary: fc.constantFrom(...POLICIES).map((using): Step => ({ kind: 'policy', using })) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      role: reader,
      tenant,
      own: fc.option(own),
      past: fc.option(own),
    }),
  },
);

/** @param own a write of the asker's own transaction; @param past one of another's, after its snapshot. */
async function ask(session: TestSession, asked: Step & { kind: 'ask' }): Promise<unknown[]> {
  const { role, tenant: value, own: written, past } = asked;
  await session.rows(`SET ROLE ${role}; SET app.tenant = '${value}'`);
  if (written === null && past === null) return await answers(session);
  await session.rows('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM acl');
  try {
    const before = await answers(session);
    if (written !== null) await session.rows(written);
    return [...before, ...(await answers(session))];
  } finally {
    await session.rows('ROLLBACK');
  }
}

async function answers(session: TestSession): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const query of QUERIES) found.push(await session.rows(query));
  return found;
}

it('the same rows with what is kept and without it', async () => {
  const filled = Array.from(
    { length: IDS },
    (_, i) => `(${i + 1}, '${TENANTS[i % 2]}', 'whale ${i} of the sea')`,
  );
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
    await owner.rows(`DELETE FROM notes; DELETE FROM acl; DELETE FROM members;
      INSERT INTO notes VALUES ${filled.join()};
      INSERT INTO acl VALUES ('ann', 2), ('ann', 3), ('bob', 3)`);
    await owner.rows(`ALTER POLICY rule ON notes USING (${POLICIES[0]})`);
    for (const one of steps) {
      if (one.kind === 'write') await owner.rows(one.sql);
      else if (one.kind === 'policy') await owner.rows(`ALTER POLICY rule ON notes USING (${one.using})`);
      else {
        expect(await ask(kept, one)).toEqual(await ask(fresh, one));
        if (one.past !== null) await owner.rows(one.past);
      }
    }
  });
  await fc.assert(property, { numRuns: 10 });
});
