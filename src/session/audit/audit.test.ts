/** The audit: what is written down and what is not, who reads it, and that nothing of it goes unseen. */
import { afterEach, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { AUDIT_REFUSALS_MINUTE_MAX } from '../../limits.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { type Operation, storageError } from '../../storage/store.ts';
import type { AuditSink } from './follow.ts';
import { AUDIT_RELATIONS } from './relations.ts';

const KEPT = { days: 365, whenFull: 'stop', sink: null } as const;
const NEVER = new AbortController().signal;

class FullStore extends MemoryStore {
  isFull = false;

  override async write(operations: readonly Operation[]): Promise<void> {
    if (this.isFull) throw storageError(new Error('ENOSPC'), 'data');
    await super.write(operations);
  }
}

let database: TestDatabase | null = null;
afterEach(async () => {
  await database?.close();
  database = null;
});

async function open(audit: Parameters<typeof TestDatabase.open>[0] = {}): Promise<TestSession> {
  database = await TestDatabase.open({ audit: KEPT, ...audit });
  await asServer(...AUDIT_RELATIONS);
  const session = await database.session();
  await database.factory.audit.settled();
  return session;
}

/** Actions with their objects, the oldest first, without sign-ins. */
const told = (session: TestSession) =>
  session.rows(`SELECT action, objects::text FROM quern.audit WHERE action <> 'sign in' ORDER BY sequence`);

const verified = async (session: TestSession) =>
  JSON.parse((await session.rows('SELECT quern.audit_verify()'))[0]?.[0] ?? '') as Record<string, unknown>;

const asServer = async (...statements: readonly string[]): Promise<void> => {
  await using own = database?.openOwn();
  await own?.transaction(async (query) => {
    for (const statement of statements) await query(statement);
  }, NEVER);
};

/** As the wire does: the session hears of what its client is told. */
async function refused(session: TestSession, text: string): Promise<string> {
  const error = await session.error(text);
  session.session.fail(error);
  return error.sqlstate;
}

describe('the audit', () => {
  it('tells what a transaction has changed, in its commit, and nothing of one that was rolled back', async () => {
    const session = await open();
    await session.rows('CREATE TABLE films (id int PRIMARY KEY, year int)');
    await session.rows('BEGIN; CREATE TABLE gone (a int); ROLLBACK');
    await session.rows('CREATE TEMPORARY TABLE mine (a int)');
    await session.rows('BEGIN; CREATE ROLE reads; GRANT SELECT ON films TO reads; COMMIT');
    await session.rows('ALTER TABLE films RENAME TO movies');
    await session.rows('CREATE INDEX by_year ON movies (year)');
    await session.rows('CREATE POLICY old ON movies USING (year < 2000)');
    await session.rows('REVOKE SELECT ON movies FROM reads');
    await session.rows('CREATE SCHEMA archive; DROP TABLE movies CASCADE');
    expect(await told(session)).toEqual([
      ['create', '{"table public.films","index public.films_pkey"}'],
      ['create', '{"role reads"}'],
      ['grant', '{"table public.films of quern: quern=arwdDxtm/quern, reads=r/quern"}'],
      ['alter', '{"table public.films → table public.movies"}'],
      ['alter', '{"table public.movies"}'],
      ['create', '{"index public.by_year"}'],
      ['alter', '{"table public.movies"}'],
      ['create', '{"policy old on table public.movies"}'],
      ['grant', '{"table public.movies of quern: quern=arwdDxtm/quern"}'],
      ['create', '{"schema archive"}'],
      [
        'drop',
        '{"table public.movies","index public.films_pkey","index public.by_year","policy old on table public.movies"}',
      ],
    ]);
    expect(await verified(session)).toMatchObject({ first: 1, entries: 12 });
  });

  it('tells of keys, exports and denials, with who did it', async () => {
    const session = await open();
    await session.rows('CREATE TABLE films (id int)');
    const [[, key] = []] = await session.rows('CREATE API KEY bi WITH (role = reader)');
    const reader = await (database as TestDatabase).sessionOf(String(key));
    await refused(reader, 'DROP TABLE films');
    await refused(reader, 'SELECT quern.audit_verify()');
    expect(await reader.rows('SELECT count(*) FROM quern.audit')).toEqual([['0']]);
    await reader.rows('COPY films TO STDOUT', { copyOut() {}, copyData() {}, copyDone() {} });
    await session.error('CREATE API KEY bi WITH (role = reader)');
    await session.rows('DROP API KEY bi');
    const rows = await session.rows(
      `SELECT action, role, key, objects::text, detail FROM quern.audit WHERE sequence > 2 ORDER BY sequence`,
    );
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ['create key', 'quern', 'owner', '{"key bi"}'],
      ['sign in', 'reader', 'bi', '{}'],
      ['denied', 'reader', 'bi', '{}'],
      ['denied', 'reader', 'bi', '{}'],
      ['export', 'reader', 'bi', '{"table public.films"}'],
      ['create key', 'quern', 'owner', '{"key bi"}'],
      ['create key', 'quern', 'owner', '{"key bi"}'],
      ['drop key', 'quern', 'owner', '{"key bi"}'],
    ]);
    expect(rows[6]?.[4]).toContain('"failed": "42710"');
    expect(JSON.stringify(rows)).not.toContain(String(key));
  });

  it('is written by nobody, and read by auditors alone', async () => {
    const session = await open();
    for (const statement of [
      `INSERT INTO quern.audit_entries (entry) VALUES ('{}')`,
      'DELETE FROM quern.audit_entries',
      'UPDATE quern.audit_texts SET text = NULL',
      'TRUNCATE quern.audit_entries',
      'DROP TABLE quern.audit_entries CASCADE',
      'ALTER TABLE quern.audit_entries RENAME TO mine',
      'DROP VIEW quern.audit',
      'CREATE VIEW quern.mine AS SELECT 1 AS one',
    ]) {
      expect((await session.error(statement)).sqlstate, statement).toBe('42501');
    }
    await session.rows('CREATE ROLE auditor; GRANT quern_auditor TO auditor; CREATE ROLE other');
    const seen = async (role: string) => {
      await session.rows(`SET ROLE ${role}`);
      const [[count] = []] = await session.rows('SELECT count(*) FROM quern.audit');
      await session.rows('RESET ROLE');
      return Number(count);
    };
    expect(await seen('auditor')).toBeGreaterThan(0);
    expect(await seen('other')).toBe(0);
  });

  it('counts refusals of an address that tries without end', async () => {
    const session = await open();
    const wrong = () => (database as TestDatabase).sessionOf('no key', { remoteAddress: '10.1.1.1' });
    await expect(wrong()).rejects.toThrow('password authentication failed');
    await session.rows('CREATE ROLE other; SET ROLE other');
    for (let i = 0; i < AUDIT_REFUSALS_MINUTE_MAX + 5; i++) await refused(session, 'CREATE SCHEMA mine');
    await session.rows('RESET ROLE');
    await (database as TestDatabase).factory.audit.settled();
    const [[denied, wrongs] = []] = await session.rows(
      `SELECT count(*) FILTER (WHERE action = 'denied'), count(*) FILTER (WHERE action = 'sign in refused' AND
         address = '10.1.1.1') FROM quern.audit`,
    );
    expect([denied, wrongs]).toEqual([String(AUDIT_REFUSALS_MINUTE_MAX), '1']);
  });
});

describe('the chain', () => {
  async function filled(): Promise<TestSession> {
    const session = await open();
    for (let i = 0; i < 8; i++) await session.rows(`CREATE SCHEMA s${i}`);
    return session;
  }
  const broken = async (session: TestSession): Promise<string> =>
    (await session.error('SELECT quern.audit_verify()')).message;

  it('is whole over many commits at once', async () => {
    const session = await filled();
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const one = await (database as TestDatabase).session();
        await one.rows(`CREATE SCHEMA many${i}`);
      }),
    );
    await (database as TestDatabase).factory.audit.settled();
    const entries = Number((await session.rows('SELECT count(*) FROM quern.audit'))[0]?.[0]);
    expect(await verified(session)).toMatchObject({ entries, first: 1, last: entries });
  });

  it.each([
    [
      'an entry taken out',
      ['DELETE FROM quern.audit_entries WHERE sequence = 4'],
      'entries 4 to 4 are missing',
    ],
    [
      'the first one taken out',
      ['DELETE FROM quern.audit_entries WHERE sequence = 1'],
      'entries 1 to 1 are missing',
    ],
    [
      'the last ones taken out',
      ['DELETE FROM quern.audit_entries WHERE sequence > 6'],
      'entries 7 to 9 are missing',
    ],
    ['all taken out', ['DELETE FROM quern.audit_entries'], 'entries 1 to 9 are missing'],
    [
      'one changed',
      [`UPDATE quern.audit_entries SET entry = replace(entry, 's3', 's9') WHERE sequence = 5`],
      // An UPDATE makes a new row, which gets a number of its own.
      'entries 5 to 5 are missing',
    ],
  ])('shows %s', async (_, statements, message) => {
    const session = await filled();
    await asServer(...statements);
    expect(await broken(session)).toContain(message);
  });

  it('goes on where retention has taken the oldest away', async () => {
    const session = await open({ audit: { ...KEPT, days: 1 } });
    for (let i = 0; i < 120; i++) await session.rows(`CREATE SCHEMA s${i}`);
    const { forgetEntries } = await import('./retention.ts');
    await using own = (database as TestDatabase).openOwn();
    const gone = await own.transaction(
      (query) => forgetEntries(query, { days: 1, countMax: 10, nowMs: Date.now() }),
      NEVER,
    );
    expect(gone).toBe(111);
    expect(await verified(session)).toMatchObject({ first: 112, entries: 11 });
    await asServer('DELETE FROM quern.audit_entries WHERE sequence = 112');
    expect(await broken(session)).toContain('entries 112 to 112 are missing');
  });
});

describe('a log outside', () => {
  it('gets each entry once, in order, also what it missed while it could not be written', async () => {
    let lines = '';
    let isFull = true;
    const sink: AuditSink = {
      last: 0,
      async write(more) {
        if (isFull) throw new Error('no space');
        lines += more;
      },
      close: async () => undefined,
    };
    const session = await open({ audit: { ...KEPT, sink } });
    const [[, key] = []] = await session.rows('CREATE API KEY bi WITH (role = reader)');
    const come = () => (database as TestDatabase).sessionOf(String(key));
    await expect
      .poll(() =>
        come().then(
          () => 'in',
          (error: Error) => error.message,
        ),
      )
      .toBe('the audit cannot be written');
    isFull = false;
    await (database as TestDatabase).close();
    const sequences = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).sequence);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
    expect(sequences.length).toBeGreaterThan(1);
    database = null;
  });
});

describe('a disk that is full', () => {
  it('stops changes, and lets nobody in but superusers', async () => {
    const store = new FullStore();
    const session = await open({ store });
    const [[, key] = []] = await session.rows('CREATE API KEY bi WITH (role = reader)');
    const come = () =>
      (database as TestDatabase).sessionOf(String(key)).then(
        () => 'in',
        (error: Error) => error.message,
      );
    expect(await come()).toBe('in');
    store.isFull = true;
    expect(await session.error('CREATE SCHEMA one')).toMatchObject({ condition: 'disk_full' });
    expect(await session.error('CREATE API KEY more WITH (role = reader)')).toMatchObject({
      condition: 'disk_full',
    });
    expect((await session.rows('SHOW quern.read_only'))[0]).toEqual(['off']);
    await expect.poll(come).toBe('the audit cannot be written');
    await (database as TestDatabase).session();
    store.isFull = false;
    await session.rows('CREATE API KEY more WITH (role = reader)');
    await expect.poll(come).toBe('in');
    // Those who came in meanwhile are told of all the same.
    const [[count] = []] = await session.rows(`SELECT count(*) FROM quern.audit WHERE action = 'sign in'`);
    expect(Number(count)).toBeGreaterThanOrEqual(3);
    expect(await session.rows('SELECT nspname FROM pg_namespace WHERE nspname = $$one$$')).toEqual([]);
  });
});
