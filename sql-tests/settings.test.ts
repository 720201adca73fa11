/**
 * Every setting that a client may change: it is a hint that no answer depends on, or takes only the values that
 * are true, or changes what a statement answers, which is shown here.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../src/session/settings/limit-rows.ts';
import { SERVER_RELATIONS } from '../src/session/datasets/relations.ts';
import { SETTINGS } from '../src/session/settings/table.ts';
import { type InProcessServer, startInProcess } from './runner/in-process.ts';
import { connectTarget } from './runner/target.ts';

/** Run after SET: what it answers by default, and with the value. */
interface Probe {
  readonly value: string;
  readonly sql: string;
  readonly before: string;
  readonly after: string;
}

const upload = (name: string, metadata = '{}'): string =>
  `SELECT left(quern.upsert_file('files', '${name}', '${name}', 'four', '${metadata}'), 0)`;

/** Limits that a session may lower. */
const LIMIT_PROBES: Readonly<Record<string, Probe>> = {
  'quern.max_document_bytes': {
    value: '100',
    sql: "INSERT INTO documents (_id, text) VALUES (gen_random_uuid()::text, repeat('x', 200))",
    before: '',
    after: '54000',
  },
  'quern.max_file_bytes': { value: '3', sql: upload('a'), before: '', after: '54000' },
  'quern.max_doc_id_bytes': { value: '2', sql: upload('abc'), before: '', after: '22023' },
  'quern.max_file_name_bytes': { value: '2', sql: upload('abc'), before: '', after: '22023' },
  'quern.max_metadata_bytes': { value: '8', sql: upload('a', '{"year": 2020}'), before: '', after: '54000' },
  'quern.max_metadata_fields': {
    value: '1',
    sql: upload('a', '{"a": 1, "b": 2}'),
    before: '',
    after: '54000',
  },
  'quern.max_top_k': {
    value: '5',
    sql: "SELECT text FROM search('words', ARRAY['files'], top_k => 6)",
    before: '',
    after: '22023',
  },
  'quern.max_search_datasets': {
    value: '1',
    sql: "SELECT text FROM search('words', ARRAY['files', 'others'])",
    before: '',
    after: '54000',
  },
  'quern.max_neighbours': {
    value: '1',
    sql: "SELECT text FROM search('words', ARRAY['files'], neighbours => 2)",
    before: '',
    after: '22023',
  },
};

const PROBES: Readonly<Record<string, Probe>> = {
  ...LIMIT_PROBES,
  TimeZone: {
    value: 'Asia/Tokyo',
    sql: "SELECT '2020-01-01 00:00+00'::timestamptz",
    before: '2020-01-01 00:00:00+00',
    after: '2020-01-01 09:00:00+09',
  },
  IntervalStyle: {
    value: 'iso_8601',
    sql: "SELECT '1 day 2 hours'::interval",
    before: '1 day 02:00:00',
    after: 'P1DT2H',
  },
  search_path: { value: 'pg_catalog', sql: 'SELECT current_schema()', before: 'public', after: 'pg_catalog' },
  application_name: {
    value: 'probe',
    sql: 'SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    before: '',
    after: 'probe',
  },
  default_transaction_read_only: {
    value: 'on',
    sql: 'CREATE TEMPORARY TABLE made AS SELECT 1; CREATE TABLE shared (a int); DROP TABLE shared, made; SELECT 1',
    before: '1',
    after: '25006',
  },
  DateStyle: { value: 'German', sql: "SELECT '2020-02-01'::date", before: '2020-02-01', after: '01.02.2020' },
  default_transaction_isolation: {
    value: 'repeatable read',
    sql: 'SHOW transaction_isolation',
    before: 'read committed',
    after: 'repeatable read',
  },
  extra_float_digits: {
    value: '0',
    sql: 'SELECT 0.1::float8 + 0.2',
    before: '0.30000000000000004',
    after: '0.3',
  },
  'pg_trgm.similarity_threshold': {
    value: '0.9',
    sql: "SELECT 'word' % 'words'",
    before: 't',
    after: 'f',
  },
  'pg_trgm.word_similarity_threshold': {
    value: '0.9',
    sql: "SELECT 'word' <% 'two words'",
    before: 't',
    after: 'f',
  },
  'pg_trgm.strict_word_similarity_threshold': {
    value: '0.9',
    sql: "SELECT 'word' <<% 'two words'",
    before: 't',
    after: 'f',
  },
  bytea_output: { value: 'escape', sql: "SELECT 'a'::bytea", before: '\\x61', after: 'a' },
  default_text_search_config: {
    value: 'simple',
    sql: "SELECT to_tsvector('dogs')",
    before: "'dog':1",
    after: "'dogs':1",
  },
  check_function_bodies: {
    value: 'off',
    sql: "CREATE FUNCTION unread() RETURNS int LANGUAGE sql AS 'SELECT a FROM nowhere'; SELECT 1",
    before: '42P01',
    after: '1',
  },
  restrict_nonsystem_relation_kind: {
    value: 'view',
    sql: 'SELECT a FROM seen',
    before: '1',
    after: '55000',
  },
  'quern.embedding_model': {
    value: 'hash',
    sql: "SELECT vector_dims(embed('quiet sea'))",
    before: '384',
    after: '64',
  },
  statement_timeout: { value: '50ms', sql: 'SELECT pg_sleep(0.5)', before: '', after: '57014' },
  transaction_timeout: { value: '100ms', sql: 'SELECT pg_sleep(0.5)', before: '', after: '25P04' },
};

/** Shown by tests of their own, where two sessions, an idle one or an index are at hand. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  lock_timeout: 'sql-tests/isolation',
  row_security: 'sql-tests/postgres/policies.slt',
  temp_file_limit: 'src/execute/spill/statements.test.ts',
  idle_in_transaction_session_timeout: 'src/session/session.test.ts',
  idle_session_timeout: 'src/session/session.test.ts',
  transaction_isolation: 'sql-tests/postgres/transactions.slt',
  transaction_read_only: 'sql-tests/postgres/transactions.slt',
  client_min_messages: 'src/session/session.test.ts',
  'quern.read_only': 'src/session/read-only.test.ts',
  'quern.exact': 'sql-tests/statements/filtered-ranking.test.ts',
  'quern.ef_search': 'sql-tests/quern/graph-options.slt',
  'hnsw.ef_search': 'sql-tests/quern/graph-options.slt',
  'quern.disabled_rules': 'sql-tests/scripts.test.ts',
  'quern.lsn': 'src/session/session.test.ts',
  'quern.unknown_columns': 'sql-tests/quern/mixed-functions.slt',
  'quern.lsn_timeout': 'sql-tests/wire/error-kinds.test.ts',
  'quern.keep_answers': 'src/session/answers/answers.test.ts',
  'quern.research_questions': 'src/ask/research/research.test.ts',
  'quern.research_searches': 'src/ask/research/research.test.ts',
  'quern.research_timeout': 'src/ask/research/research.test.ts',
};

/** Values that are refused though they are words of the setting's kind. */
const REFUSED: Readonly<Record<string, string>> = { client_encoding: 'LATIN1', role: 'nobody_there' };

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess('memory', undefined, SERVER_RELATIONS);
  await using target = await connectTarget(server.address);
  await target.run('CREATE VIEW seen AS SELECT 1 AS a');
  await target.run('CREATE TABLE documents (_id text PRIMARY KEY, text text)');
  for (const name of ['files', 'others']) {
    await target.run(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  }
});
afterAll(async () => server[Symbol.asyncDispose]());

/** The first value of the last statement, or the SQLSTATE. */
async function answer(statements: readonly string[]): Promise<string> {
  const client = new pg.Client(server.address);
  client.on('error', () => undefined);
  await client.connect();
  try {
    let value: unknown = '';
    for (const text of statements) {
      const results = await client.query({ text, types: { getTypeParser: () => String } as never });
      const last = Array.isArray(results) ? results.at(-1) : results;
      value = Object.values(last.rows[0] ?? {})[0] ?? '';
    }
    return String(value);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? '';
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const changeable = SETTINGS.filter(({ context }) => context === 'user');

it('every setting is a hint, fixed, or shown to be gone by', () => {
  const unknown = changeable.filter(({ name, hint, only }) => {
    return !hint && !only && !(name in PROBES) && !(name in ELSEWHERE) && !(name in REFUSED);
  });
  expect(unknown.map(({ name }) => name)).toEqual([]);
});

it.each(Object.entries(PROBES))('%s changes an answer', async (name, { value, sql, before, after }) => {
  expect(await answer([sql])).toBe(before);
  expect(await answer([`SET "${name}" = '${value}'`, sql])).toBe(after);
});

it.each(Object.entries(REFUSED))('%s is not taken to be %s', async (name, value) => {
  expect(await answer([`SET "${name}" = '${value}'`])).toMatch(/^(22023|0A000)$/);
});

it.each(changeable.filter(({ only }) => only).map(({ name }) => name))(
  '%s keeps what is true',
  async (name) => {
    const { kind, only = [] } = changeable.find((setting) => setting.name === name) ?? {};
    const words = kind?.type === 'enum' ? kind.values : kind?.type === 'bool' ? ['on', 'off'] : ['elsewhere'];
    for (const word of words) {
      const wanted = only.includes(word) ? '' : '0A000';
      expect(await answer([`SET "${name}" = '${word}'`])).toBe(wanted);
    }
  },
);

const limits = LIMITS.flatMap(({ rows }) => rows);

it('every limit is shown, and lowered where the page says so', () => {
  const known = SETTINGS.map(({ name }) => name);
  expect(limits.map(({ setting }) => setting).filter((name) => !known.includes(name))).toEqual([]);
  const lowered = limits.filter(({ isSettable }) => isSettable).map(({ setting }) => setting);
  expect(lowered.toSorted()).toEqual(Object.keys(LIMIT_PROBES).toSorted());
});

it.each(limits.filter(({ setting }) => setting.startsWith('quern.max_')))(
  '$setting is told, and cannot be raised',
  async ({ setting, constant, value, isSettable }) => {
    expect(await answer([`SELECT boot_val FROM pg_settings WHERE name = '${setting}'`])).toBe(String(value));
    if (!constant.includes('_MS')) expect(await answer([`SHOW ${setting}`])).toBe(String(value));
    expect(await answer([`SET ${setting} = ${value + 1}`])).toBe(isSettable ? '22023' : '55P02');
    if (!isSettable)
      expect(await answer([`SET ${setting} = 1`, 'SELECT 1'])).toBe(value === 1 ? '1' : '55P02');
  },
);
