/** A dataset as tools see it: psql's commands, SQLAlchemy's reflection, views, COPY, joins, metadata. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, failures, runProgram, startFreshServer } from './program.ts';

const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;
const PYTHON = join(import.meta.dirname, '../../.tools/python/bin/python');
const PYTHON_CHECKS = 5;

let server: ServerProcess;

/** Output of psql, errors too. */
function psql(...commands: readonly string[]): string {
  return run([], commands);
}

/** Rows, their values between bars. */
const lines = (sql: string): readonly string[] => run(['-A', '-t'], [sql]).trimEnd().split('\n');

function run(options: readonly string[], commands: readonly string[]): string {
  const { stdout, stderr } = spawnSync(
    'psql',
    ['-X', ...options, ...commands.flatMap((command) => ['-c', command])],
    {
      env: { ...process.env, ...connectionEnvironment(server), PAGER: 'cat', COLUMNS: '200' },
      encoding: 'utf8',
    },
  );
  return stdout + stderr;
}

const MADE = [
  `CREATE DATASET filings WITH (description = 'annual reports', embedding_model = 'hash')`,
  `SELECT quern.upsert_file('filings', 'acme', 'acme.md', '# Ships

Acme moves containers.

# Debt

It owes little.', '{"ticker": "ACME", "fiscal_year": 2023, "tags": ["annual", "10-K"]}')`,
  `SELECT quern.upsert_file('filings', 'rail', 'rail.md', '# Trains

Rail moves coal.', '{"ticker": "RAIL", "fiscal_year": 2022, "tags": ["annual"]}')`,
  'CREATE TABLE companies (_id text, ticker text, sector text)',
  `INSERT INTO companies (_id, ticker, sector) VALUES ('1', 'ACME', 'shipping'), ('2', 'RAIL', 'rail')`,
];

describe.skipIf(!HAS_PSQL)('a dataset', () => {
  beforeAll(async () => {
    server = await startFreshServer();
    const wait = 'SELECT quern.wait_for_handle(quern.last_handle())';
    expect(
      psql(...MADE.flatMap((made) => (made.includes('upsert_file') ? [made, wait] : [made]))),
    ).not.toContain('ERROR');
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it('is described by psql', () => {
    expect(psql('\\dn')).toContain(' filings | quern\n');
    expect(psql('\\dt filings.*')).toMatch(
      / filings \| chunks +\| table \| quern\n filings \| documents +\| table/,
    );
    const described = psql('\\d filings.chunks');
    expect(described).toContain('Table "filings.chunks"');
    expect(described).toMatch(/ doc_pages +\| integer\[\] \| +\| not null \|/);
    expect(described).toContain('"chunks_doc_id" btree (doc_id, ordinal)');
  });

  it('is in information_schema, with a column a field of metadata', () => {
    const columns = `SELECT column_name || ' ' || data_type FROM information_schema.columns
      WHERE table_schema = 'filings' AND table_name = 'documents'
        AND column_name IN ('doc_id', 'pages', 'metadata', 'ticker', 'fiscal_year', 'tags') ORDER BY column_name`;
    const types = [
      'doc_id text',
      'fiscal_year bigint',
      'metadata jsonb',
      'pages integer',
      'tags ARRAY',
      'ticker text',
    ];
    expect(lines(columns)).toEqual(types);
  });

  it('is joined with a collection, grouped by metadata, and read by its operators', () => {
    expect(
      lines(`SELECT c.sector, d.fiscal_year, count(*)
        FROM filings.chunks k JOIN filings.documents d USING (doc_id)
        JOIN companies c USING (ticker) GROUP BY 1, 2 ORDER BY 1`),
    ).toEqual(['rail|2022|1', 'shipping|2023|2']);
    expect(
      lines(`SELECT metadata->>'ticker', jsonb_array_length(metadata->'tags'), count(*) FROM filings.chunks
        WHERE metadata @> '{"tags": ["annual"]}' AND metadata ? 'fiscal_year' GROUP BY 1, 2 ORDER BY 1`),
    ).toEqual(['ACME|2|2', 'RAIL|1|1']);
    expect(
      lines('SELECT tag, count(*) FROM filings.documents, unnest(tags) AS tag GROUP BY 1 ORDER BY 1'),
    ).toEqual(['10-K|1', 'annual|2']);
    expect(
      lines(`SELECT d.ticker, s.heading FROM search('coal', ARRAY['filings'], 1) s
        JOIN filings.documents d USING (doc_id)`),
    ).toEqual(['RAIL|Trains']);
  });

  it('has all that clients make of results and lists', () => {
    expect(
      lines(`SELECT doc_id, doc_type, dataset, content_id, doc_name,
        jsonb_build_object('text', text, 'doc_pages', doc_pages)->'doc_pages', metadata->'ticker'
        FROM search('coal', ARRAY['filings'], 1)`),
    ).toEqual(['rail|text/markdown|filings|doc#rail#chunk#1|rail.md|[]|"RAIL"']);
    expect(
      lines(`SELECT doc_id, name, size > 0, mime_type,
        CASE WHEN status IN ('ready', 'error') THEN status ELSE 'pending' END,
        status_reason, metadata->'fiscal_year' FROM filings.documents WHERE fiscal_year = 2023`),
    ).toEqual(['acme|acme.md|t|text/markdown|ready||2023']);
  });

  it('is read by views and COPY, which nobody may write through', () => {
    expect(psql('CREATE VIEW passages AS SELECT doc_id, heading FROM filings.chunks')).toBe('CREATE VIEW\n');
    expect(lines('SELECT * FROM passages ORDER BY 1, 2')).toEqual(['acme|Debt', 'acme|Ships', 'rail|Trains']);
    expect(
      lines(`COPY (SELECT doc_id, content_id FROM filings.chunks ORDER BY 2) TO STDOUT (FORMAT csv, HEADER)`),
    ).toEqual([
      'doc_id,content_id',
      'acme,doc#acme#chunk#1',
      'acme,doc#acme#chunk#2',
      'rail,doc#rail#chunk#1',
    ]);
    expect(psql("INSERT INTO passages VALUES ('x', 'y')")).toContain('filings.chunks can only be read');
    expect(psql('COPY filings.chunks FROM STDIN')).toContain('filings.chunks can only be read');
    expect(psql('DROP DATASET filings')).toContain('view passages depends on table chunks');
    expect(psql('DROP VIEW passages')).toBe('DROP VIEW\n');
  });

  it.skipIf(!existsSync(PYTHON))('is reflected and asked by SQLAlchemy', async () => {
    const script = join(import.meta.dirname, 'python/datasets_suite.py');
    const outcome = await runProgram([PYTHON, script], connectionEnvironment(server));
    expect(failures(outcome)).toEqual({});
    expect(outcome.size).toBe(PYTHON_CHECKS);
  });
});
