/**
 * pg_dump and pg_restore of PostgreSQL 18, from Quern and from PostgreSQL into either: what was dumped is what
 * is there afterwards, definitions and rows (`picture.sql`). Skipped where PostgreSQL could not be installed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';
import { type Address, programEnvironment } from '../runner/target.ts';
import { sliced } from '../slow-tests.ts';

const PROGRAMS = postgresPrograms();
const SCHEMA = join(import.meta.dirname, 'schema.sql');
const PICTURE = join(import.meta.dirname, 'picture.sql');
/** Those of --data-only stay as they were. */
const REFRESH = 'REFRESH MATERIALIZED VIEW app.totals; REFRESH MATERIALIZED VIEW app.a_totals';
const QUIET = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];

type Kind = 'quern' | 'postgres';

/** @throws Error with what it wrote on standard error when it fails. */
async function run(program: string, address: Address, args: readonly string[]): Promise<string> {
  const child = spawn(join(PROGRAMS ?? '', program), args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...programEnvironment(address),
      PGOPTIONS: '-c client_min_messages=warning',
    },
  });
  const written = { out: '', error: '' };
  child.stdout.on('data', (bytes: Buffer) => (written.out += String(bytes)));
  child.stderr.on('data', (bytes: Buffer) => (written.error += String(bytes)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${written.error}`);
  return written.out;
}

interface Database extends AsyncDisposable {
  readonly kind: Kind;
  readonly address: Address;
}

const picture = ({ address }: Database): Promise<string> => run('psql', address, [...QUIET, '-f', PICTURE]);

describe.skipIf(PROGRAMS === undefined)('pg_dump', () => {
  let postgres: Postgres;
  let folder: string;
  let expected: string;
  const sources = new Map<Kind, Database>();
  let count = 0;

  async function empty(kind: Kind): Promise<Database> {
    if (kind === 'quern') {
      const server: InProcessServer = await startInProcess('memory');
      const { address } = server;
      return { kind, address, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    }
    const database = `target_${count++}`;
    await run('psql', postgres, [...QUIET, '-c', `CREATE DATABASE ${database}`]);
    return { kind, address: { ...postgres, database }, [Symbol.asyncDispose]: async () => {} };
  }

  /** Dumps a source into a file. Ownership stays behind: the roles are others. */
  async function dump(from: Kind, ...args: readonly string[]): Promise<string> {
    const file = join(folder, `dump_${count++}`);
    const address = sources.get(from)?.address as Address;
    await run('pg_dump', address, ['--no-owner', '-f', file, ...args]);
    return file;
  }

  const restore = ({ address }: Database, file: string, ...args: readonly string[]): Promise<string> =>
    args.length > 0
      ? run('pg_restore', address, ['--exit-on-error', '--no-owner', '-d', address.database, ...args, file])
      : run('psql', address, [...QUIET, '-f', file]);

  beforeAll(async () => {
    postgres = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'quern-dump-'));
    for (const kind of ['quern', 'postgres'] as const) {
      const database = await empty(kind);
      await run('psql', database.address, [...QUIET, '-f', SCHEMA]);
      sources.set(kind, database);
    }
    expected = await picture(sources.get('postgres') as Database);
  });

  afterAll(async () => {
    for (const database of sources.values()) await database[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives both the same picture before anything is dumped', async () => {
    expect(await picture(sources.get('quern') as Database)).toBe(expected);
  });

  it('writes the same dump of both', async () => {
    const texts = await Promise.all(
      (['quern', 'postgres'] as const).map(async (kind) => {
        const text = readFileSync(await dump(kind, '--no-comments'), 'utf8');
        // pg_dump's own remarks name versions and owners; PostgreSQL lays out BEGIN ATOMIC anew.
        const lines = text.split('\n').filter((line) => !/^(--|\\(un)?restrict )/.test(line));
        return lines.join('\n').replaceAll(/\s+/g, ' ');
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  const ALL = [
    ['quern', 'quern'],
    ['quern', 'postgres'],
    ['postgres', 'quern'],
  ] as const;
  const ABROAD = ALL.slice(1);

  async function carry(from: Kind, into: Kind, steps: readonly (readonly string[])[]): Promise<string> {
    await using target = await empty(into);
    for (const args of steps) {
      const file = await dump(from, ...args);
      await restore(target, file, ...(args[0] === '-Fc' ? ['--jobs=2'] : []));
      if (args[0] === '--data-only') await run('psql', target.address, [...QUIET, '-c', REFRESH]);
    }
    return await picture(target);
  }

  it.each(sliced(import.meta, ALL))('from %s into %s as a script', async (from, into) => {
    expect(await carry(from, into, [[]])).toBe(expected);
  });

  it.each(sliced(import.meta, ALL))('from %s into %s by pg_restore, two jobs at once', async (from, into) => {
    expect(await carry(from, into, [['-Fc']])).toBe(expected);
  });

  it.each(sliced(import.meta, ABROAD))('from %s into %s with INSERT', async (from, into) => {
    expect(await carry(from, into, [['--rows-per-insert=2', '--column-inserts']])).toBe(expected);
  });

  it.each(sliced(import.meta, ABROAD))('from %s into %s, the schema before the data', async (from, into) => {
    expect(await carry(from, into, [['--schema-only'], ['--data-only']])).toBe(expected);
  });

  it.each(sliced(import.meta, ALL))(
    'from %s into %s, a schema, another, then one table',
    async (from, into) => {
      await using target = await empty(into);
      await run('psql', target.address, [...QUIET, '-c', 'CREATE EXTENSION IF NOT EXISTS vector']);
      for (const args of [
        ['-n', 'app'],
        ['-n', '"Odd Name"'],
        ['-t', 'public.plain', '-t', 'empty'],
      ]) {
        await restore(target, await dump(from, ...args));
      }
      expect(await picture(target)).toBe(expected);
    },
  );

  it('carries what only Quern has: a collection with its indexes and documents', async () => {
    await using source = await empty('quern');
    await using target = await empty('quern');
    const made = `CREATE TABLE books (title text INDEX keyword_index(language => 'german'),
        isbn text INDEX keyword_index(type => 'exact'), emb f32_vector(3) INDEX vector_index(metric => 'cosine'),
        tag f8_vector(2), m f32_matrix(2), price numeric);
      CREATE INDEX ON books USING ngram (isbn);
      INSERT INTO books (_id, title, isbn, emb, tag, m, year)
        VALUES ('b1', 'Die Häuser', 'x', '[1,2,3]', '[1,2]', '[[1,2],[3,4]]', 1999)`;
    await run('psql', source.address, [...QUIET, '-c', made]);
    const file = join(folder, 'collection');
    await run('pg_dump', source.address, ['-f', file]);
    await restore(target, file);
    const look = `SELECT * FROM books; SELECT _id FROM books WHERE matches('Haus', title);
      SELECT index, kind, options FROM quern.indexes ORDER BY 1`;
    const seen = await run('psql', target.address, [...QUIET, '-c', look]);
    expect(seen).toContain('b1');
    expect(seen).toBe(await run('psql', source.address, [...QUIET, '-c', look]));
  });

  it('restores over what is there with --clean --if-exists, and where nothing is', async () => {
    await using target = await empty('quern');
    const file = await dump('quern', '--clean', '--if-exists');
    for (let i = 0; i < 2; i++) await restore(target, file);
    expect(await picture(target)).toBe(expected);
  });

  it('dumps an empty database, and one whose owner is named', async () => {
    await using blank = await empty('quern');
    const nothing = await run('pg_dump', blank.address, []);
    expect(nothing).not.toMatch(/^(CREATE|ALTER|COMMENT|GRANT|REVOKE)/m);
    const source = sources.get('quern') as Database;
    const file = join(folder, 'owned');
    await run('pg_dump', source.address, ['-f', file]);
    await restore(blank, file);
    expect(await picture(blank)).toBe(expected);
  });
});
