/**
 * psql's backslash commands. On plain tables, what psql prints must be what it prints on PostgreSQL 18 with
 * pgvector, byte for byte; where PostgreSQL has more objects of its own, or Quern says something of its own,
 * the command is listed with what it must show. On collections every command runs without an error.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { startFreshServer } from './program.ts';
import { COLLECTION, DESCRIBED, OWN_WORDS, PLAIN_TABLES, SAME } from './psql-commands.ts';

const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;

let server: ServerProcess;
let oracle: Postgres | undefined;

interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

function psql(place: Place, commands: readonly string[]): { out: string; error: string } {
  const where = ['-h', place.host, '-p', String(place.port), '-U', place.user, '-d', place.database];
  const run = spawnSync('psql', ['-X', ...where, ...commands.flatMap((command) => ['-c', command])], {
    env: { ...process.env, PGPASSWORD: place.password ?? '', PAGER: 'cat', COLUMNS: '200' },
    encoding: 'utf8',
  });
  return { out: run.stdout, error: run.stderr };
}

const quern = (): Place => ({
  host: server.host,
  port: server.port,
  user: 'quern',
  database: 'quern',
  password: server.key,
});

/** Database and owner have the names they have in Quern. */
function onPostgres({ host, port }: Postgres): Place {
  return { host, port, user: 'quern', database: 'quern' };
}

describe.skipIf(!HAS_PSQL)('psql on plain tables', () => {
  beforeAll(async () => {
    server = await startFreshServer();
    expect(psql(quern(), PLAIN_TABLES).error).toBe('');
    if (postgresPrograms() === undefined) return;
    oracle = await startPostgres();
    psql(oracle, ['CREATE ROLE quern SUPERUSER LOGIN', 'CREATE DATABASE quern OWNER quern']);
    const extension = 'CREATE EXTENSION vector';
    expect(psql(onPostgres(oracle), [extension, ...PLAIN_TABLES]).error).toBe('');
  });

  afterAll(async () => {
    await oracle?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it.skipIf(postgresPrograms() === undefined)('says what it says on PostgreSQL', () => {
    const at = onPostgres(oracle as Postgres);
    for (const command of SAME) {
      const expected = psql(at, [command]);
      expect({ command, ...psql(quern(), [command]) }).toEqual({ command, ...expected });
    }
  });

  it.each(OWN_WORDS)('%s', (command, lines) => {
    const { out, error } = psql(quern(), [command]);
    expect(error).toBe('');
    for (const line of lines) expect(out).toMatch(line);
  });

  it('goes on with \\gset, \\gexec, \\crosstabview, \\copy and the like', () => {
    expect(script("SELECT 42 AS n, 'x' AS s \\gset\n\\echo :n :s")).toBe('42 x\n');
    expect(script("SELECT 'SELECT ' || n FROM generate_series(1, 2) n \\gexec")).toBe('1\n2\n');
    expect(script("SELECT * FROM (VALUES ('a', 'x', 1), ('b', 'y', 2)) AS t (r, c, v) \\crosstabview")).toBe(
      'a|1|\nb||2\n',
    );
    expect(script('SELECT 1 AS a, NULL AS b \\gx')).toBe('a|1\nb|\n');
    expect(script('SELECT 1 AS a, now() AS b \\gdesc')).toBe('a|integer\nb|timestamp with time zone\n');
    expect(script('\\copy (SELECT id, name FROM author ORDER BY id) TO STDOUT (FORMAT csv)')).toBe(
      '1,Austen\n2,Melville\n',
    );
    const copied =
      'CREATE TABLE copied (a int, b text);\n\\copy copied FROM STDIN\n1\tone\n2\t\\N\n\\.\nTABLE copied;';
    expect(script(copied)).toBe('CREATE TABLE\nCOPY 2\n1|one\n2|\n');
    const rollback = '\\set ON_ERROR_ROLLBACK on\nBEGIN;\nSELECT 1/0;\nSELECT 7;\nCOMMIT;';
    expect(script(rollback)).toBe('BEGIN\n7\nCOMMIT\n');
    expect(script('\\set FETCH_COUNT 2\nSELECT n FROM generate_series(1, 5) n;')).toBe('1\n2\n3\n4\n5\n');
    expect(script('\\timing on\nSELECT 1;')).toMatch(/^Timing is on\.\n1\nTime: [\d.,]+ ms/);
    expect(script('PREPARE p(int) AS SELECT $1 + 1;\nEXECUTE p(2);\nDEALLOCATE p;')).toBe(
      'PREPARE\n3\nDEALLOCATE\n',
    );
  });
});

/** Output of a script, unaligned and without headings. */
function script(text: string): string {
  const { host, port, user, database, password } = quern();
  const where = ['-h', host, '-p', String(port), '-U', user, '-d', database];
  const run = spawnSync('psql', ['-X', '-A', '-t', ...where], {
    env: { ...process.env, PGPASSWORD: password ?? '' },
    input: text,
    encoding: 'utf8',
  });
  return run.stdout;
}

describe.skipIf(!HAS_PSQL)('psql on collections', () => {
  beforeAll(async () => {
    server = await startFreshServer();
    expect(psql(quern(), COLLECTION).error).toBe('');
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it.each(DESCRIBED)('%s', (command, lines) => {
    const { out, error } = psql(quern(), [command]);
    expect(error).toBe('');
    for (const line of lines) expect(out).toMatch(line);
  });

  it('runs every command of the plain tables', () => {
    const wordless = /^Did not find any/;
    for (const command of [
      ...SAME,
      ...OWN_WORDS.map(([word]) => word).filter((word) => !word.startsWith('\\sv')),
    ]) {
      const error = psql(quern(), [command]).error;
      if (!wordless.test(error)) expect({ command, error }).toEqual({ command, error: '' });
    }
  });
});
