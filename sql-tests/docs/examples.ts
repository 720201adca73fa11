/** Runs the examples of one page of documentation, in order, against a server, and says what fails and where. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Block, ROOT } from './markdown.ts';
import type { Page } from './pages.ts';
import { statementsOf } from './statements.ts';

const PYTHON = join(ROOT, '.tools/python/bin/python');
/** A program that needs longer hangs. */
const PROGRAM_MS_MAX = 600_000;

/** Where examples run: they find their server and their files as a user's would. */
export interface Place {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Which parts of the page's data were of use. */
type Used = (part: string) => void;

export async function runPage(
  blocks: readonly Block[],
  page: Page,
  place: Place,
): Promise<readonly string[]> {
  const unused = new Set([...Object.keys(page.shown ?? {}), ...Object.keys(page.parameters ?? {})]);
  const used: Used = (part) => unused.delete(part);
  const faults = [
    ...(await runSql(
      blocks.filter(({ language }) => language === 'sql'),
      page,
      place,
      used,
    )),
    ...runPython(
      blocks.filter(({ language }) => language === 'python'),
      place,
    ),
    ...blocks
      .filter(({ language }) => language === 'sh')
      .flatMap((block) => runShell(block, page, place, used)),
  ];
  return [...faults, ...[...unused].map((part) => `pages.ts: nothing of the page has: ${part}`)];
}

const partOf = (text: string, parts: object = {}): string | undefined =>
  Object.keys(parts).find((part) => text.includes(part));

async function runSql(blocks: readonly Block[], page: Page, place: Place, used: Used): Promise<string[]> {
  const faults: string[] = [];
  const client = new pg.Client(connection(place));
  await client.connect();
  try {
    await clear(client);
    for (const text of page.setup ?? []) await client.query(text);
    for (const block of blocks) {
      for (const { text, line, sqlstate } of statementsOf(block.text)) {
        const shown = partOf(text, page.shown);
        if (shown !== undefined) used(shown);
        const why = shown === undefined ? await failureOf(client, text, page, used) : null;
        const fine = sqlstate === null ? why === null : why?.startsWith(sqlstate);
        if (!fine) faults.push(`line ${block.line + line}: ${why ?? 'no error'}: ${text.split('\n')[0]}`);
      }
    }
  } finally {
    await client.end();
  }
  return faults;
}

/** SQLSTATE and message; null: it succeeds. */
async function failureOf(client: pg.Client, text: string, page: Page, used: Used): Promise<string | null> {
  try {
    await runStatement(client, text, page, used);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? `${error.code}: ${error.message}` : String(error);
  }
}

function connection({ environment }: Place): pg.ClientConfig {
  const { PGHOST: host, PGPORT: port, PGUSER: user, PGPASSWORD: password } = environment;
  return { host, port: Number(port), user, password, database: 'quern' };
}

/** Relations that the page before has made. */
const MADE = [
  ['EVALUATION', 'quern.evaluations', ''],
  ['DATASET', 'quern.datasets', ''],
  ['TABLE', "(SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public') t", 'CASCADE'],
] as const;

async function clear(client: pg.Client): Promise<void> {
  for (const [kind, relation, whole] of MADE) {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${relation}`);
    for (const { name } of rows) await client.query(`DROP ${kind} ${client.escapeIdentifier(name)} ${whole}`);
  }
}

/** psql's `\copy` reads its file beside the client, `COPY … FROM STDIN` what the page's data names. */
async function runStatement(client: pg.Client, text: string, page: Page, used: Used): Promise<void> {
  const [, relation, file, options] = /^\\copy (\S+) FROM '([^']+)' (.*)$/.exec(text) ?? [];
  if (file !== undefined) {
    await upload(client, `COPY ${relation} FROM STDIN ${options}`, readFileSync(join(ROOT, file)));
  } else if (/^COPY .*FROM STDIN/s.test(text)) {
    await upload(client, text, Buffer.from(page.input ?? ''));
  } else if (/^COPY .*TO STDOUT/s.test(text)) {
    await pipeline(client.query(copyTo(text)), new Writable({ write: (_chunk, _encoding, done) => done() }));
  } else {
    await client.query(text, await parametersOf(client, text, page, used));
  }
}

async function upload(client: pg.Client, statement: string, bytes: Buffer): Promise<void> {
  await pipeline(Readable.from([bytes]), client.query(copyFrom(statement)));
}

/** The values of `$1`, `$2` …: SQL expressions, as a user's program would have got them from statements before. */
async function parametersOf(client: pg.Client, text: string, page: Page, used: Used): Promise<string[]> {
  const part = /\$\d/.test(text) && !/^EVALUATE/.test(text) ? partOf(text, page.parameters) : undefined;
  if (part === undefined) return [];
  used(part);
  const values: string[] = [];
  for (const expression of page.parameters?.[part] ?? []) {
    const { rows } = await client.query<{ value: string }>(`SELECT (${expression})::text AS value`);
    values.push(rows[0]?.value as string);
  }
  return values;
}

/** The blocks of a page are one program, as a reader would type them in, with the page's line numbers. */
function runPython(blocks: readonly Block[], place: Place): string[] {
  if (blocks.length === 0) return [];
  const lines: string[] = [];
  for (const { line, text } of blocks) {
    const blank = Array<string>(line - 1 - lines.length).fill('');
    lines.push(...blank, ...text.trimEnd().split('\n'));
  }
  const why = failure(PYTHON, ['-W', 'error', '-c', lines.join('\n')], place);
  return why === null ? [] : [why];
}

/** Each line of its own; a comment is no part of it. */
function runShell(block: Block, page: Page, place: Place, used: Used): string[] {
  return block.text.split('\n').flatMap((text, index) => {
    const shown = partOf(text, page.shown);
    if (shown !== undefined) used(shown);
    if (shown !== undefined || text.trim() === '') return [];
    const why = failure('bash', ['--norc', '-c', text], place);
    return why === null ? [] : [`line ${block.line + index}: ${text}: ${why}`];
  });
}

function failure(command: string, args: readonly string[], { folder, environment }: Place): string | null {
  const ended = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    input: '',
    timeout: PROGRAM_MS_MAX,
  });
  return ended.status === 0 ? null : `ended with ${ended.status}: ${ended.stderr}`;
}
