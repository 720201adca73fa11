/**
 * The main job through real clients against a real server with the embedded model: psql, node `pg`,
 * `postgres` and psycopg 3 each create a collection, insert, query with parameters and read errors.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { BOOKS, CREATE_BOOKS, NEAREST } from './books.ts';

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.tools/python/bin/python');
const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;
const HAS_PYTHON = existsSync(PYTHON);

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-clients-'));
  server = await startServer({ data: join(folder, 'data') });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const connection = () => ({
  host: server.host,
  port: server.port,
  user: 'quern',
  database: 'quern',
  password: server.key,
});

const EXPECTED_BINARY = [
  ['emma', 4, 1815, 'Emma'],
  ['moby', 3.5, 1851, 'Moby-Dick'],
];

describe('node pg', () => {
  it('does the main job', async () => {
    const client = new pg.Client(connection());
    await client.connect();
    await client.query(CREATE_BOOKS);
    for (const book of BOOKS) {
      const values = [book._id, book.title, book.summary, book.emb, book.rating, book.year];
      const sql =
        'INSERT INTO books (_id, title, summary, emb, rating, year) VALUES ($1, $2, $3, $4, $5, $6::int)';
      expect((await client.query(sql, values)).rowCount).toBe(1);
    }
    for (const [question, id] of NEAREST) {
      const sql =
        'SELECT _id, semantic_similarity(summary, $1) AS score FROM books ORDER BY score DESC LIMIT 2';
      const { rows } = await client.query(sql, [question]);
      expect(rows[0]._id).toBe(id);
      expect(rows[0].score).toBeGreaterThan(rows[1].score);
    }
    const early = await client.query({
      text: 'SELECT _id, rating, year, title FROM books WHERE year < $1 ORDER BY year',
      values: [1900],
      rowMode: 'array',
    });
    expect(early.rows.map(([id, rating, year, title]) => [id, rating, Number(year), title])).toEqual(
      EXPECTED_BINARY,
    );
    const near = await client.query('SELECT _id FROM books ORDER BY emb <=> $1 LIMIT 2', ['[0.1,1,0]']);
    expect(near.rows.map((row) => row._id)).toEqual(['moby', 'emma']);
    const words = await client.query(
      "SELECT _id FROM books WHERE match('whales', summary) ORDER BY bm25_score() DESC",
    );
    expect(words.rows).toEqual([{ _id: 'moby' }]);
    await expect(client.query('SELECT titel FROM books')).rejects.toMatchObject({
      code: '42703',
      position: '8',
    });
    await expect(client.query('SELEC 1')).rejects.toMatchObject({ code: '42601', position: '1' });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.query('DROP TABLE books');
    await client.end();
  });
});

describe('postgres.js', () => {
  it('does the main job', async () => {
    const sql = postgres({ ...connection(), username: 'quern', max: 2, onnotice: () => undefined });
    await sql.unsafe(CREATE_BOOKS);
    for (const { _id, title, summary, emb, rating, year } of BOOKS) {
      await sql`INSERT INTO books (_id, title, summary, emb, rating, year)
        VALUES (${_id}, ${title}, ${summary}, ${emb}, ${rating}, ${year}::int)`;
    }
    for (const [question, id] of NEAREST) {
      const rows =
        await sql`SELECT _id FROM books ORDER BY semantic_similarity(summary, ${question}) DESC LIMIT 1`;
      expect(rows[0]?._id).toBe(id);
    }
    const walked: string[] = [];
    for await (const rows of sql`SELECT _id FROM books ORDER BY _id`.cursor(3))
      walked.push(...rows.map((row) => row._id));
    expect(walked).toEqual(['1984', 'emma', 'gatsby', 'moby']);
    await expect(sql`SELECT nonsense(1)`).rejects.toMatchObject({ code: '42883', position: '8' });
    await sql
      .begin(async (transaction) => {
        await transaction`DELETE FROM books WHERE _id = 'emma'`;
        await transaction.savepoint((inner) => inner`DELETE FROM books`).catch(() => undefined);
        throw new Error('undo');
      })
      .catch(() => undefined);
    expect((await sql`SELECT count(*)::int AS n FROM books`)[0]?.n).toBe(4);
    await sql`DROP TABLE books`;
    await sql.end();
  });
});

describe.skipIf(!HAS_PYTHON)('psycopg 3', () => {
  it('does the main job', () => {
    const job = { ...server, process: undefined, create: CREATE_BOOKS, books: BOOKS, nearest: NEAREST };
    const script = join(import.meta.dirname, 'psycopg-main-job.py');
    const seen = JSON.parse(execFileSync(PYTHON, [script], { input: JSON.stringify(job), encoding: 'utf8' }));
    expect(seen).toEqual({
      encrypted: true,
      nearest: NEAREST.map(([, id]) => id),
      binary: EXPECTED_BINARY,
      inside: 0,
      after: 4,
      error: [
        '42703',
        'column "titel" does not exist',
        8,
        'Perhaps you meant to reference the column "books.title".',
      ],
      pipeline: [1, 2],
    });
  });
});

describe.skipIf(!HAS_PSQL)('psql', () => {
  const psql = (...commands: string[]) => {
    const arguments_ = [
      '-X',
      '-h',
      server.host,
      '-p',
      String(server.port),
      '-U',
      'quern',
      '-d',
      'quern',
      '-v',
      'VERBOSITY=verbose',
    ];
    const run = spawnSync('psql', [...arguments_, ...commands.flatMap((command) => ['-c', command])], {
      env: { ...process.env, PGPASSWORD: server.key, PAGER: 'cat' },
      encoding: 'utf8',
    });
    return { out: run.stdout, error: run.stderr, status: run.status };
  };

  it('does the main job', () => {
    expect(psql(CREATE_BOOKS)).toMatchObject({ out: 'CREATE TABLE\n', error: '', status: 0 });
    const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const rows = BOOKS.map(
      (b) => `(${[b._id, b.title, b.summary, b.emb].map(quoted).join(', ')}, ${b.rating}, ${b.year})`,
    );
    const insert = `INSERT INTO books (_id, title, summary, emb, rating, year) VALUES ${rows.join(', ')}`;
    expect(psql(insert)).toMatchObject({ out: 'INSERT 0 4\n', status: 0 });
    const prepared =
      'PREPARE nearest(text) AS SELECT _id FROM books ORDER BY semantic_similarity(summary, $1) DESC LIMIT 1';
    for (const [question, id] of NEAREST) {
      expect(
        psql('\\t', '\\a', prepared, `EXECUTE nearest(${quoted(question)})`)
          .out.trim()
          .split('\n')
          .at(-1),
      ).toBe(id);
    }
    const wrong = psql('SELECT titel FROM books');
    expect(wrong.error).toContain(
      'ERROR:  42703: column "titel" does not exist\nLINE 1: SELECT titel FROM books\n               ^',
    );
    expect(wrong.error).toContain('HINT:  Perhaps you meant to reference the column "books.title".');
    expect(wrong.status).toBe(1);
  });

  it('answers \\d and its family', () => {
    const described = psql('\\d books').out;
    for (const line of [
      /Table "public\.books"/,
      /title +\| text +\| +\| not null/,
      /emb +\| vector\(3\)/,
      /year +\| bigint/,
      /Indexes:/,
      /PRIMARY KEY.*\(_id\)/,
      /semantic \(title\)/,
      /keyword \(isbn\)/,
    ]) {
      expect(described).toMatch(line);
    }
    expect(psql('\\d').out).toMatch(/public +\| books +\| table +\| quern/);
    expect(psql('\\dt').out).toMatch(/public +\| books +\| table +\| quern/);
    expect(psql('\\l').out).toMatch(/quern +\| quern +\| UTF8/);
    expect(psql('\\du').out).toMatch(/quern +\| Superuser/);
    const unknown = psql('\\d nothing');
    expect(unknown.error).toContain('Did not find any relation named "nothing".');
    for (const command of ['\\d', '\\d books', '\\dt', '\\l', '\\du', '\\di', '\\dn'])
      expect(psql(command)).toMatchObject({ error: '', status: 0 });
  });
});
