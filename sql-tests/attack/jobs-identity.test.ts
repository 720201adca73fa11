/** Research goes on when its session does something else, or is gone: as whoever began it, and with their rights of now. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/storage/memory-store.ts';
import { keptKeys, type TestSession } from '../fixtures/database.ts';
import { COMPARISON, REPORTS, TestResearch } from '../fixtures/research.ts';

const RESEARCH = `research('${COMPARISON}', ARRAY['filings'])`;
/** Figures that stand in documents of Globex alone. */
const OF_GLOBEX = /\b(?:405|415|425)\b/;
const GLOBEX_STEPS = "SELECT count(*) FROM quern.research_steps WHERE doc_id LIKE 'globex%'";
const STATES = 'SELECT state, sqlstate FROM quern.research ORDER BY seq';

const SCHEMA = `
  CREATE DATASET filings WITH (embedding_model = 'hash');
  CREATE ROLE analyst; CREATE ROLE other; CREATE ROLE lead; CREATE ROLE visitor; GRANT analyst TO lead;
  GRANT USAGE ON SCHEMA filings TO analyst, other;
  GRANT SELECT ON ALL TABLES IN SCHEMA filings TO analyst, other;
  ALTER TABLE filings.documents ENABLE ROW LEVEL SECURITY;
  CREATE POLICY of_company ON filings.documents USING (metadata->>'company' =
    coalesce(quern.key_attribute('company'), current_setting('app.company', true)))`;

let world: TestResearch;
let analyst: TestSession;

const opened = async (role: string, company = 'Acme'): Promise<TestSession> => {
  const session = await world.database.session();
  await session.rows(`SET app.company = '${company}'; SET SESSION AUTHORIZATION ${role}`);
  return session;
};

/** A session by a new key. */
const keyed = async (name: string, options: string): Promise<TestSession> => {
  const [[, key] = []] = await world.session.rows(`CREATE API KEY ${name} WITH (${options})`);
  return world.database.sessionOf(String(key));
};

const LIMITED = `role = analyst, attributes = '{"company": "Acme"}'`;

beforeEach(async () => {
  world = await TestResearch.open();
  await world.session.rows(SCHEMA);
  await world.store('filings', REPORTS);
  analyst = await opened('analyst');
});

afterEach(() => world[Symbol.asyncDispose]());

const told = async (session: TestSession, call = RESEARCH): Promise<string> =>
  JSON.stringify(await session.rows(`SELECT kind, "update", fact, refs FROM ${call}`));

const started = async (session: TestSession): Promise<string> =>
  String((await session.rows(`SELECT start_${RESEARCH}`))[0]?.[0]);

const states = (): Promise<unknown> => world.session.rows(STATES);
const ended = (state: string): Promise<void> => world.until(STATES, state);

/** A run that waits in the midst of its reading. */
async function held(session: TestSession, reads = 3): Promise<string> {
  world.gate.close(reads);
  const id = await started(session);
  await world.gate.waits;
  return id;
}

describe('a run sees what its starter sees', () => {
  it('a role under policies: facts, citations, progress and steps tell nothing of hidden documents', async () => {
    const answer = await told(analyst);
    expect(answer).toContain('Acme: Capital expenditures, 2020: 120');
    expect(answer).not.toMatch(OF_GLOBEX);
    expect(answer).not.toContain('globex');
    expect(await world.session.rows(GLOBEX_STEPS)).toEqual([['0']]);
    expect(await told(world.session)).toMatch(OF_GLOBEX);
  });

  it('a key of limited scope, which its run keeps', async () => {
    const session = await keyed('narrow', `${LIMITED}, datasets = 'filings'`);
    const answer = await told(session);
    expect(answer).toContain('Acme: Capital expenditures, 2020: 120');
    expect(answer).not.toMatch(OF_GLOBEX);
    expect(await world.session.rows(GLOBEX_STEPS)).toEqual([['0']]);
    const elsewhere = await keyed('elsewhere', "role = analyst, datasets = 'papers'");
    expect((await elsewhere.error(`SELECT * FROM ${RESEARCH}`)).sqlstate).toBe('42501');
  });

  it('settings are those that were when it began', async () => {
    const id = await held(analyst, 0);
    await analyst.rows("SET app.company = 'Globex'");
    world.gate.open();
    await ended('done|');
    // The rows cite what the session sees no more.
    expect((await analyst.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('42501');
    await analyst.rows("SET app.company = 'Acme'");
    expect(await told(analyst, `research_result('${id}')`)).not.toMatch(OF_GLOBEX);
  });

  it('by SET LOCAL; and not as the owner of a function that another one calls', async () => {
    await analyst.rows("SET app.company = 'Globex'");
    const local = await analyst.rows(
      `BEGIN; SET LOCAL app.company = 'Acme'; SELECT fact FROM ${RESEARCH} WHERE kind = 'fact'; COMMIT`,
    );
    expect(JSON.stringify(local)).not.toMatch(OF_GLOBEX);
    await world.session.rows(
      `CREATE FUNCTION public.researched() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER AS
         $$SELECT fact FROM quern.${RESEARCH} WHERE kind = 'fact'$$`,
    );
    expect((await analyst.error('SELECT public.researched()')).sqlstate).toBe('0A000');
  });

  it('where no rights are, none is begun', async () => {
    const visitor = await opened('visitor');
    expect((await visitor.error(`SELECT * FROM ${RESEARCH}`)).sqlstate).toBe('42501');
    expect((await visitor.error(`SELECT start_${RESEARCH}`)).sqlstate).toBe('42501');
    expect(await world.session.rows('SELECT count(*) FROM quern.research')).toEqual([['0']]);
  });

  it('keeps its settings only while it is under way, and no more of them than it may', async () => {
    await analyst.rows("SET app.secret = 'mellon'");
    await held(analyst);
    const starters = "SELECT count(*) FROM quern.research_starters WHERE starter::text LIKE '%mellon%'";
    expect(await world.session.rows(starters)).toEqual([['1']]);
    expect((await analyst.error('SELECT * FROM quern.research_starters')).sqlstate).toBe('42501');
    world.gate.open();
    await ended('done|');
    expect(await world.session.rows('SELECT count(*) FROM quern.research_starters')).toEqual([['0']]);
    await analyst.rows(`SET app.secret = '${'x'.repeat(70_000)}'`);
    expect((await analyst.error(`SELECT * FROM ${RESEARCH}`)).sqlstate).toBe('54000');
  });
});

describe('whose a run is', () => {
  it("another role's id is an unknown one: to read, to wait for, to cancel", async () => {
    const id = await held(analyst);
    const other = await opened('other');
    const unknown = '00000000-0000-0000-0000-000000000000';
    const error = await other.error(`SELECT * FROM research_result('${id}')`);
    const known = await other.error(`SELECT * FROM research_result('${unknown}')`);
    expect([error.sqlstate, error.message.replace(id, unknown)]).toEqual(['22023', known.message]);
    expect(await other.rows(`SELECT cancel_research('${id}')`)).toEqual([['f']]);
    expect(await states()).toEqual([['running', null]]);
    const lead = await opened('lead');
    expect(await lead.rows(`SELECT cancel_research('${id}')`)).toEqual([['t']]);
    expect(await states()).toEqual([['cancelled', null]]);
  });

  it("a limited key's are its own: not its role's, nor those of another key", async () => {
    const [one, two] = [await keyed('one', LIMITED), await keyed('two', LIMITED)];
    const id = await started(one);
    await ended('done|');
    for (const session of [two, analyst])
      expect((await session.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('22023');
    expect(await told(one, `research_result('${id}')`)).toContain('Acme: Capital expenditures');
    expect(await told(world.session, `research_result('${id}')`)).toContain('Acme: Capital expenditures');
    const ofRole = await started(analyst);
    await ended('done|\ndone|');
    expect((await one.error(`SELECT * FROM research_result('${ofRole}')`)).sqlstate).toBe('22023');
  });

  it('stands in quern.research for the same', async () => {
    const one = await keyed('one', LIMITED);
    await started(one);
    await started(analyst);
    await ended('done|\ndone|');
    const count = 'SELECT count(*) FROM quern.research';
    for (const [session, runs] of [
      [one, '1'],
      [analyst, '1'],
      [await opened('lead'), '1'],
      [await keyed('two', LIMITED), '0'],
      [await opened('other'), '0'],
      [world.session, '2'],
    ] as const)
      expect(await session.rows(count)).toEqual([[runs]]);
    const runs = (session: TestSession, relation: string): Promise<unknown> =>
      session.rows(`SELECT count(DISTINCT research_id) FROM quern.${relation}`);
    const relations = ['research_steps', 'research_results', 'research_documents'];
    for (const relation of relations) {
      expect(await runs(one, relation)).toEqual([['1']]);
      expect(await runs(analyst, relation)).toEqual([['1']]);
      expect(await runs(await opened('other'), relation)).toEqual([['0']]);
    }
    await world.session.rows(
      `ALTER POLICY of_company ON filings.documents USING (doc_id <> 'acme-2021' AND metadata->>'company' = 'Acme')`,
    );
    for (const relation of relations) {
      expect(await runs(one, relation)).toEqual([['0']]);
      expect(await runs(analyst, relation)).toEqual([['0']]);
      expect(await runs(world.session, relation)).toEqual([['2']]);
    }
  });

  it('is shared by the same role, with the same key and the same settings, and by nobody else', async () => {
    const id = await held(analyst);
    expect(await started(await opened('analyst'))).toBe(id);
    const others = [
      await opened('analyst', 'Globex'),
      await opened('other'),
      await keyed('limited', LIMITED),
      await keyed('whole', 'role = analyst'),
      world.session,
    ];
    const ids = new Set([id]);
    for (const session of others) ids.add(await started(session));
    expect(ids.size).toBe(others.length + 1);
  });

  it('what is hidden since the end is given no more, nor how it was found', async () => {
    const id = await started(analyst);
    await ended('done|');
    await world.session.rows('ALTER POLICY of_company ON filings.documents USING (false)');
    const seen: string[] = [];
    const error = await analyst.error(`SELECT * FROM research_result('${id}')`, {
      rows: (batch: { length: number; columns: readonly { get(row: number): unknown }[] }) => {
        for (let row = 0; row < batch.length; row++) seen.push(String(batch.columns[1]?.get(row)));
      },
    } as never);
    expect(error.sqlstate).toBe('42501');
    expect(seen.filter((line) => !line.startsWith('Research '))).toEqual([]);
    await world.session.rows('REVOKE SELECT ON filings.documents FROM analyst');
    expect((await analyst.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('42501');
  });
});

describe('what ends a run, or narrows it', () => {
  it('a right that is taken away', async () => {
    await held(analyst);
    await world.session.rows('REVOKE SELECT ON ALL TABLES IN SCHEMA filings FROM analyst');
    world.gate.open();
    await ended('error|42501');
  });

  it('a policy that hides documents: facts of theirs are given no more', async () => {
    await analyst.rows("SET app.company = 'Globex'");
    const id = await held(analyst, 9);
    expect(await world.session.rows(`${GLOBEX_STEPS} AND kind = 'keep'`)).not.toEqual([['0']]);
    await world.session.rows(
      `ALTER POLICY of_company ON filings.documents USING
         (metadata->>'company' = 'Globex' AND metadata->>'year' <> '2020')`,
    );
    world.gate.open();
    await ended('done|');
    const answer = await told(analyst, `research_result('${id}')`);
    expect(answer).toContain('Globex: Capital expenditures, 2021: 415');
    expect(answer).not.toContain('405');
    expect(answer).not.toContain('Searching');
  });

  it.each([
    ['is dropped', 'DROP API KEY mine'],
    ['has expired', 'ALTER API KEY mine EXPIRE'],
    ['is narrowed', "ALTER API KEY mine SET (datasets = 'papers')"],
  ])('its key %s', async (_, statement) => {
    await held(await keyed('mine', 'role = analyst'));
    await world.session.rows(statement);
    world.gate.open();
    await ended('error|57P01');
  });

  it('its role is dropped; then only superusers see the run', async () => {
    const id = await held(analyst);
    await world.session.rows('DROP OWNED BY analyst; DROP ROLE analyst');
    world.gate.open();
    await ended('error|42501');
    expect((await analyst.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('22023');
    await world.session.rows('CREATE ROLE analyst');
    const again = await opened('analyst');
    expect((await again.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('22023');
    expect((await world.session.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('42501');
  });

  it('the role that its session had taken may not be taken any more', async () => {
    const lead = await opened('lead');
    await lead.rows('SET ROLE analyst');
    await held(lead);
    await world.session.rows('REVOKE analyst FROM lead');
    world.gate.open();
    await ended('error|42501');
  });
});

describe('after a restart', () => {
  it.each([
    ['goes on as its starter', null, 'done|'],
    ['not once its key is narrowed', "ALTER API KEY mine SET (datasets = 'papers')", 'error|57P01'],
    ['not once its rights are gone', 'REVOKE USAGE ON SCHEMA filings FROM analyst', 'error|42501'],
  ] as const)('%s', async (_, statement, end) => {
    const [store, keys] = [new MemoryStore(), keptKeys()];
    const before = world;
    world = await TestResearch.open({ store, keys });
    await before[Symbol.asyncDispose]();
    await world.session.rows(SCHEMA);
    await world.store('filings', REPORTS);
    const [[, key] = []] = await world.session.rows(`CREATE API KEY mine WITH (${LIMITED})`);
    const id = await held(await world.database.sessionOf(String(key)));
    if (statement !== null) await world.session.rows(statement);
    // Its signal ends what waits: nothing is written of it.
    await world[Symbol.asyncDispose]();
    world = await TestResearch.open({ store, keys });
    await ended(end);
    if (statement !== null) return;
    const session = await world.database.sessionOf(String(key));
    const answer = await told(session, `research_result('${id}')`);
    expect(answer).toContain('Acme: Capital expenditures');
    expect(answer).not.toMatch(OF_GLOBEX);
  });

  it('runs of before are superusers’, and go on', async () => {
    const store = new MemoryStore();
    const before = world;
    world = await TestResearch.open({ store });
    await before[Symbol.asyncDispose]();
    await world.session.rows(SCHEMA);
    await world.store('filings', REPORTS);
    const id = await held(world.session);
    await world.write('UPDATE quern.research SET role = NULL');
    await world.write('DELETE FROM quern.research_starters');
    await world[Symbol.asyncDispose]();
    world = await TestResearch.open({ store });
    await ended('done|');
    expect(await told(world.session, `research_result('${id}')`)).toMatch(OF_GLOBEX);
    analyst = await opened('analyst');
    expect((await analyst.error(`SELECT * FROM research_result('${id}')`)).sqlstate).toBe('22023');
  });
});

describe('evaluations', () => {
  const CREATE = `CREATE EVALUATION spent AS SELECT 'Capital expenditures of Globex in 2020' AS question,
    ARRAY['globex-2020', 'acme-2020'] AS doc_id`;

  it('ask as whoever runs them, and are whose they are', async () => {
    await analyst.rows(CREATE);
    await analyst.rows('EVALUATE SEARCH spent ON filings; EVALUATE ASK spent ON filings');
    const found = "SELECT count(*) FROM quern.evaluation_results WHERE found::text LIKE '%globex%'";
    expect(await world.session.rows(found)).toEqual([['0']]);
    expect(
      await world.session.rows('SELECT DISTINCT role::regrole::text, key FROM quern.evaluation_runs'),
    ).toEqual([['analyst', null]]);
    await world.session.rows('EVALUATE SEARCH spent ON filings');
    expect(await world.session.rows(found)).toEqual([['1']]);
    const lead = await opened('lead');
    await lead.rows(
      'EVALUATE SEARCH spent USING (SELECT doc_id FROM filings.documents); DROP EVALUATION spent',
    );
    for (const relation of ['evaluations', 'evaluation_questions', 'evaluation_runs', 'evaluation_results'])
      expect(await world.session.rows(`SELECT count(*) FROM quern.${relation}`)).toEqual([['0']]);
  });

  it("others' are unknown, but for their names, which are taken", async () => {
    await analyst.rows(CREATE);
    const other = await opened('other');
    const limited = await keyed('narrow', LIMITED);
    for (const session of [other, limited]) {
      for (const text of ['EVALUATE SEARCH spent ON filings', 'DROP EVALUATION spent']) {
        const error = await session.error(text);
        expect([error.sqlstate, error.fields.hint]).toEqual([
          '42704',
          'There is none yet: CREATE EVALUATION makes one.',
        ]);
      }
      expect((await session.error(CREATE)).sqlstate).toBe('42710');
      for (const relation of ['evaluations', 'evaluation_questions', 'evaluation_runs', 'evaluation_results'])
        expect(await session.rows(`SELECT * FROM quern.${relation}`)).toEqual([]);
      await session.rows(CREATE.replace('spent', 'IF NOT EXISTS spent'));
    }
    await limited.rows(CREATE.replace('spent', 'own'));
    await limited.rows('EVALUATE SEARCH own ON filings');
    expect(await limited.rows('SELECT q.evaluation FROM quern.evaluation_questions q')).toEqual([['own']]);
    expect(await limited.rows('SELECT count(*) FROM quern.evaluation_results')).toEqual([['1']]);
    expect((await analyst.error('DROP EVALUATION own')).sqlstate).toBe('42704');
    await limited.rows('DROP EVALUATION own');
    expect(await world.session.rows('SELECT name FROM quern.evaluations')).toEqual([['spent']]);
  });

  it('read nothing that their runner may not', async () => {
    await world.session.rows('REVOKE SELECT ON ALL TABLES IN SCHEMA filings FROM other');
    const other = await opened('other');
    await other.rows(CREATE);
    expect((await other.error('EVALUATE SEARCH spent ON filings')).sqlstate).toBe('42501');
    expect((await other.error('EVALUATE ASK spent ON filings')).sqlstate).toBe('42501');
    const using = 'EVALUATE SEARCH spent USING (SELECT doc_id FROM filings.documents)';
    expect((await other.error(using)).sqlstate).toBe('42501');
    const made = "CREATE EVALUATION b AS SELECT text AS question, ARRAY['x'] AS doc_id FROM filings.chunks";
    expect((await other.error(made)).sqlstate).toBe('42501');
  });
});
