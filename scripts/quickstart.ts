/**
 * The main job, as a newcomer sees it: a server, a collection of 1,500 films, a dataset of two reports, and
 * questions to both over the PostgreSQL wire. Called by `scripts/quickstart` after set-up.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postgres.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const ROWS_A_STATEMENT = 100;

interface Film {
  readonly _id: string;
  readonly title: string;
  readonly year: number;
  readonly genres: readonly string[];
  readonly plot: string;
}

const QUESTIONS: readonly (readonly [title: string, sql: string])[] = [
  [
    'By meaning: "a computer that turns against people"',
    `SELECT title, year, semantic_similarity(plot, 'a computer that turns against people') AS score
FROM films
ORDER BY score DESC LIMIT 5`,
  ],
  [
    'By words: "bank robbery" (BM25)',
    `SELECT title, year, bm25_score() AS score
FROM films
WHERE match('bank robbery', plot)
ORDER BY score DESC LIMIT 5`,
  ],
  [
    'By meaning times a column: "stranded in space", newer films first among equals',
    `SELECT title, year,
       semantic_similarity(plot, 'stranded in space') * decay(2024 - year, 40, 2) AS score
FROM films
WHERE year >= 1990
ORDER BY score DESC LIMIT 5`,
  ],
];

const REPORTS = ['borrowing-for-graduate-school.pdf', 'school-enrollment-projections.pdf'];
const REPORTS_SECONDS_MAX = 300;

const REPORTS_QUESTION: readonly [title: string, sql: string] = [
  'In documents: "how much do graduate students borrow?"',
  `SELECT doc_name, doc_pages, left(text, 60) AS passage, score
FROM search('how much do graduate students borrow?', ARRAY['reports'], top_k => 3)`,
];

/** Answered by what stands in the reports, word for word. */
const FACTS_QUESTION = 'How much did first-professional students borrow on average?';

interface AnswerRow {
  readonly kind: 'progress' | 'fact' | 'answer';
  readonly fact: string;
  readonly ref_ids: readonly string[];
  readonly refs: Readonly<Record<string, Reference>>;
  readonly confidence: number;
}

interface Reference {
  readonly doc_name: string;
  readonly content: { readonly doc_pages: readonly number[] };
  readonly quotes: readonly { readonly text: string }[];
}

const began = Number(process.env.QUERN_QUICKSTART_STARTED ?? Date.now() / 1000) * 1000;
const once = process.argv.includes('--once');
const unknown = process.argv.slice(2).filter((argument) => argument !== '--once');
if (unknown.length > 0) {
  process.stderr.write(`quickstart: unknown option ${unknown[0]}\nusage: ./scripts/quickstart [--once]\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'quern-quickstart-'));
const server = await start(join(folder, 'data'));
process.stdout.write(`Server up at ${server.host}:${server.port} (data in ${folder})\n`);
await answer(server);
const seconds = ((Date.now() - began) / 1000).toFixed(1);
process.stdout.write(`Done in ${seconds} s, set-up included.\n`);
if (once) {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
} else {
  stayUp(server);
}

/** 5432 when it is free, else any port. */
async function start(data: string): Promise<ServerProcess> {
  try {
    return await startServer({ data, port: 5432 });
  } catch (error) {
    if (!/in use/.test(String(error))) throw error;
    return startServer({ data, port: await freePort() });
  }
}

async function answer({ host, port, key }: ServerProcess): Promise<void> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  try {
    await load(client);
    for (const question of QUESTIONS) await ask(client, question);
    await ingest(client);
    await ask(client, REPORTS_QUESTION);
    await askForFacts(client, FACTS_QUESTION);
  } finally {
    await client.end();
  }
}

async function ask(client: pg.Client, [title, sql]: readonly [title: string, sql: string]): Promise<void> {
  const asked = performance.now();
  const { rows } = await client.query(sql);
  const ms = (performance.now() - asked).toFixed(1);
  process.stdout.write(`\n${title}\n\n${indent(sql)};\n\n${table(rows)}(${rows.length} rows, ${ms} ms)\n\n`);
  if (rows.length === 0) throw new Error(`no rows for: ${title}`);
}

/** Facts with the numbers of what they cite, then each of these with its page and the words it rests on. */
async function askForFacts(client: pg.Client, question: string): Promise<void> {
  const sql = `SELECT * FROM ask('${question}', ARRAY['reports'])`;
  const asked = performance.now();
  const { rows } = await client.query<AnswerRow>(sql);
  const ms = (performance.now() - asked).toFixed(1);
  const answer = rows.at(-1);
  const facts = rows.filter(({ kind }) => kind === 'fact');
  if (facts.length === 0 || answer === undefined) throw new Error(`no facts for: ${question}`);
  const lines = facts.map(({ fact, ref_ids }) => `- ${fact} ${ref_ids.map((id) => `[${id}]`).join('')}`);
  const cited = Object.entries(answer.refs).map(([id, { doc_name, content, quotes }]) => {
    const words = quotes.map(({ text }) => `“${text}”`).join(' ');
    return `[${id}] ${doc_name}, page ${content.doc_pages.join(', ')}: ${words}`;
  });
  process.stdout.write(
    `\nA question to the documents, answered with citations\n\n${indent(sql)};\n\n` +
      `${indent(`${lines.join('\n')}\n\n${cited.join('\n')}`)}\n\n  (confidence ${answer.confidence}, ${ms} ms)\n\n`,
  );
}

/** Files are taken at once, and read behind it. */
async function ingest(client: pg.Client): Promise<void> {
  const started = performance.now();
  await client.query("CREATE DATASET reports WITH (description = 'on education in the United States')");
  const handles: unknown[] = [];
  for (const name of REPORTS) {
    const bytes = readFileSync(join(import.meta.dirname, '../samples/documents', name));
    const { rows } = await client.query("SELECT quern.upsert_file('reports', $1, $1, $2) AS handle", [
      name,
      bytes,
    ]);
    handles.push(rows[0]?.handle);
  }
  for (const handle of handles) {
    await client.query('SELECT quern.wait_for_handle($1, $2)', [handle, REPORTS_SECONDS_MAX]);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`Read and embedded ${REPORTS.length} PDF files in ${seconds} s\n`);
}

async function load(client: pg.Client): Promise<void> {
  const path = join(import.meta.dirname, '../samples/movies/movies.jsonl');
  const films = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Film);
  await client.query(`CREATE TABLE films (
    _id    TEXT,
    title  TEXT NOT NULL INDEX keyword_index(),
    plot   TEXT INDEX semantic_index(),
    year   INTEGER,
    genres TEXT[]
  )`);
  const started = performance.now();
  for (let at = 0; at < films.length; at += ROWS_A_STATEMENT) {
    const batch = films.slice(at, at + ROWS_A_STATEMENT);
    const rows = batch.map(
      (_, i) => `($${5 * i + 1}, $${5 * i + 2}, $${5 * i + 3}, $${5 * i + 4}, $${5 * i + 5})`,
    );
    const values = batch.flatMap((film) => [film._id, film.title, film.plot, film.year, film.genres]);
    await client.query(
      `INSERT INTO films (_id, title, plot, year, genres) VALUES ${rows.join(', ')}`,
      values,
    );
    if (process.stdout.isTTY)
      process.stdout.write(`\rEmbedding ${at + batch.length} of ${films.length} films`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}Stored and embedded ${films.length} films in ${seconds} s\n`,
  );
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** Rows as psql shows them. */
function table(rows: readonly Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => shown(row[name])));
  const widths = names.map((name, i) =>
    Math.max(name.length, ...cells.map((line) => (line[i] as string).length)),
  );
  const line = (values: readonly string[]) =>
    `  ${values.map((value, i) => value.padEnd(widths[i] as number)).join(' | ')}`;
  const rule = `  ${widths.map((width) => '-'.repeat(width)).join('-+-')}`;
  return `${[line(names), rule, ...cells.map(line)].join('\n')}\n  `;
}

function shown(value: unknown): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toFixed(4);
  return String(value).replaceAll(/\s+/g, ' ');
}

function stayUp(running: ServerProcess): void {
  const { host, port, key } = running;
  process.stdout.write(
    `\nThe server stays up until you press Ctrl-C. Connect with:\n\n` +
      `  PGPASSWORD=${key} psql -h ${host} -p ${port} -U quern quern\n\n`,
  );
  process.once('SIGINT', () => void running.stop());
  process.once('SIGTERM', () => void running.stop());
  running.process.once('exit', (code) => {
    rmSync(folder, { recursive: true, force: true });
    process.exitCode = code ?? 0;
  });
}
