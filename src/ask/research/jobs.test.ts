/** Runs as jobs: who waits for them, who goes, what ends them, what changes beneath them, and what a crash leaves. */
import { describe, expect, it } from 'vitest';
import { keptKeys, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { COMPARISON, REPORTS, TestResearch } from '../../../sql-tests/fixtures/research.ts';
import { sliced } from '../../../sql-tests/slow-tests.ts';
import { SqlError } from '../../errors.ts';

const CALL = `research('${COMPARISON}', ARRAY['filings'])`;
const STATE = 'SELECT state FROM quern.research ORDER BY seq';

async function prepared(): Promise<TestResearch> {
  const research = await TestResearch.open();
  await research.session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await research.store('filings', REPORTS);
  return research;
}

/** Facts and answer. */
const given = async (session: TestSession, call: string): Promise<string> =>
  JSON.stringify(
    await session.rows(`SELECT kind, fact, ref_ids, refs, confidence FROM ${call} WHERE kind <> 'progress'`),
  );

const CANCELLED = new SqlError('query_canceled', 'canceling statement due to user request');
const LOST = new SqlError('connection_failure', 'connection to client lost', { severity: 'FATAL' });

describe('who waits', () => {
  it('cancels what nobody else waits for, within a moment', async () => {
    await using research = await prepared();
    await using client = await own(research);
    research.gate.close(3);
    const failed = client.session.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    client.session.session.cancel(CANCELLED);
    expect((await failed).sqlstate).toBe('57014');
    await research.until(STATE, 'cancelled');
    const again = await research.session.error(
      'SELECT * FROM research_result((SELECT research_id FROM quern.research))',
    );
    expect(again.sqlstate).toBe('57014');
  });

  it('ends with the key that began it, and says so', async () => {
    await using research = await prepared();
    const [[, key = ''] = []] = await research.session.rows('CREATE API KEY asker WITH (role = owner)');
    const client = await research.database.sessionOf(key as string);
    research.gate.close(3);
    const failed = client.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    await research.session.rows('DROP API KEY asker');
    expect((await failed).sqlstate).toBe('57P01');
    expect((await client.error('SELECT 1')).sqlstate).toBe('57P01');
    expect(await research.session.rows(STATE)).toEqual([['running']]);
    research.gate.open();
    await research.until(STATE, 'error');
    expect(await research.session.rows('SELECT sqlstate, reason FROM quern.research')).toEqual([
      ['57P01', 'the key that it was begun with is no longer valid'],
    ]);
  });

  it('by statement_timeout too', async () => {
    await using research = await prepared();
    research.gate.close(3);
    await using client = await own(research);
    await client.session.rows('SET statement_timeout = 1000');
    expect((await client.session.error(`SELECT * FROM ${CALL}`)).sqlstate).toBe('57014');
    await research.until(STATE, 'cancelled');
  });

  it('leaves a run that another one waits for, and one that goes on in the background', async () => {
    await using research = await prepared();
    await using one = await own(research);
    await using other = await own(research);
    research.gate.close(3);
    const first = one.session.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    const second = given(other.session, CALL);
    await research.until('SELECT count(*) FROM quern.research', '1');
    one.session.session.cancel(CANCELLED);
    await first;
    research.gate.open();
    expect(await second).toContain('Globex: Capital expenditures, 2022: 425');
    research.gate.close(3);
    const id = await started(research);
    const third = one.session.error(`SELECT * FROM research_result('${id}')`);
    await research.gate.waits;
    one.session.session.cancel(CANCELLED);
    await third;
    research.gate.open();
    await research.until(`SELECT state FROM quern.research WHERE research_id = '${id}'`, 'done');
  });

  it('is not ended by a session that only reads, whose statement looked on', async () => {
    await using research = await prepared();
    await using asker = await own(research);
    await using onlooker = await own(research, { 'quern.read_only': 'on' });
    research.gate.close(3);
    const lost = asker.session.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    const [[id] = []] = await research.session.rows('SELECT research_id FROM quern.research');
    const looked = onlooker.session.error(`SELECT * FROM research_result('${id}')`);
    await research.until(
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%research_result(%' AND state = 'active'",
      '2',
    );
    asker.session.session.cancel(LOST);
    await lost;
    onlooker.session.session.cancel(CANCELLED);
    expect((await looked).sqlstate).toBe('57014');
    research.gate.open();
    await research.until(STATE, 'done');
  });

  it('who loses the connection finds it done, or under way', async () => {
    await using research = await prepared();
    await using client = await own(research);
    research.gate.close(3);
    const lost = client.session.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    client.session.session.cancel(LOST);
    expect((await lost).sqlstate).toBe('08006');
    await research.until(STATE, 'running');
    const again = given(research.session, CALL);
    research.gate.open();
    expect(await again).toContain('Acme: Capital expenditures, 2020: 120');
    expect(await research.session.rows('SELECT count(*) FROM quern.research')).toEqual([['1']]);
  });

  it('begins in the background, tells its id at once, gives the same answer as often as one asks', async () => {
    await using research = await prepared();
    const id = await started(research);
    const first = await given(research.session, `research_result('${id}')`);
    expect(await given(research.session, `research_result('${id}')`)).toBe(first);
    expect(await given(research.session, CALL)).toBe(first);
    expect(await research.session.rows(`SELECT cancel_research('${id}')`)).toEqual([['f']]);
  });

  it('a run is cancelled by its id', async () => {
    await using research = await prepared();
    research.gate.close(3);
    const id = await started(research);
    await research.gate.waits;
    expect(await research.session.rows(`SELECT cancel_research('${id}')`)).toEqual([['t']]);
    expect(await research.session.rows(STATE)).toEqual([['cancelled']]);
  });
});

describe('what changes beneath a run', () => {
  it('a dataset that is dropped ends it with the right error', async () => {
    await using research = await prepared();
    await using client = await own(research);
    research.gate.close(4);
    const failed = client.session.error(`SELECT * FROM ${CALL}`);
    await research.gate.waits;
    await research.session.rows('DROP DATASET filings');
    research.gate.open();
    const error = await failed;
    expect([error.sqlstate, error.message]).toEqual(['42704', 'dataset "filings" does not exist']);
    await research.until(STATE, 'error');
  });

  it('a document that is replaced is read again: no fact of the old version is given', async () => {
    await using research = await prepared();
    await using client = await own(research);
    research.gate.close(6);
    const answer = given(client.session, CALL);
    await research.gate.waits;
    const [document] = REPORTS;
    const chunks = (document?.chunks ?? []).map((chunk) => ({
      ...chunk,
      text: chunk.text.replace('120', '121'),
    }));
    await research.store('filings', [{ docId: 'acme-2020', metadata: { company: 'Acme' }, chunks }]);
    research.gate.open();
    expect(await answer).toContain('Acme: Capital expenditures, 2020: 121 (in millions)');
    expect(await answer).not.toContain('2020: 120');
    const rejected = "SELECT count(*) > 0 FROM quern.research_steps WHERE reason = 'document changed'";
    expect(await research.session.rows(rejected)).toEqual([['t']]);
  });

  it('an answer is not begun twice: two ask at once', async () => {
    await using research = await prepared();
    await using one = await own(research);
    await using other = await own(research);
    const answers = await Promise.all([given(one.session, CALL), given(other.session, CALL)]);
    expect(answers[0]).toBe(answers[1]);
  });
});

it('goes on after a crash at any point, and ends with the same answer', async () => {
  const start = new MemoryStore();
  const keys = keptKeys();
  const files = await TestResearch.open({ store: start, keys });
  await files.session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await files.store('filings', REPORTS);
  files.gate.close(0);
  const id = await started(files);
  await files.gate.waits;
  await files[Symbol.asyncDispose]();
  const counted = new FaultyStore(start, null);
  const whole = await TestResearch.open({ store: counted, keys });
  const expected = await given(whole.session, `research_result('${id}')`);
  expect(expected).toContain('Globex: Capital expenditures, 2022: 425');
  await whole[Symbol.asyncDispose]();
  const points = 3 * (counted.writes - 1);
  expect(points).toBeGreaterThan(50);
  const every = Array.from({ length: Math.ceil((points - 2) / 8) }, (_, i) => 2 + i * 8);
  for (const at of sliced(import.meta, every, 'points of a crash')) {
    const store = new FaultyStore(start, { kind: 'crash', at });
    // A crashed store never answers: nothing of it can be closed.
    void TestResearch.open({ store, keys });
    await crashed(store);
    await using after = await TestResearch.open({ store: store.survivor(), keys });
    expect(await given(after.session, `research_result('${id}')`)).toBe(expected);
    expect(await after.session.rows(STATE)).toEqual([['done']]);
    expect(after.logged).toEqual([]);
  }
});

it('begins anew from its question where its steps are of an older format', async () => {
  const store = new MemoryStore();
  const keys = keptKeys();
  const before = await TestResearch.open({ store, keys });
  await before.session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await before.store('filings', REPORTS);
  before.gate.close(4);
  const id = await started(before);
  await before.gate.waits;
  await before.write(`UPDATE quern.research SET format = NULL, attempts = 5`);
  await before.write(`UPDATE quern.research_steps SET detail = '{"of": "another format"}'`);
  await before[Symbol.asyncDispose]();
  await using after = await TestResearch.open({ store, keys });
  expect(await given(after.session, `research_result('${id}')`)).toBe(await given(after.session, CALL));
  expect(await after.session.rows(STATE)).toEqual([['done'], ['done']]);
  expect(after.logged).toEqual([]);
});

async function crashed(store: FaultyStore): Promise<void> {
  for (let step = 0; !store.crashed && step < STEPS_MAX; step++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(store.crashed).toBe(true);
}

const STEPS_MAX = 6_000;

const started = async ({ session }: TestResearch): Promise<string> =>
  String((await session.rows(`SELECT start_${CALL}`))[0]?.[0]);

async function own(
  research: TestResearch,
  settings: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly session: TestSession }> {
  const session = await research.database.session(settings);
  return { session, [Symbol.asyncDispose]: () => session.session[Symbol.asyncDispose]() };
}
