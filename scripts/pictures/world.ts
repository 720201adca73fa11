/**
 * A server as somebody has it who has used it for a while: the films, reports and filings, rows by the hundred thousand, odd
 * names, keys, files that failed, questions, research. Filings lie beside the checkout, where they do; they are never part of it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import type { ServerProcess } from '../server-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const DATA = join(ROOT, '../shared/data');

export interface World {
  /** By who has them. */
  readonly keys: Readonly<Record<string, string>>;
  /** Addresses that only this server has, by what they are. */
  readonly ids?: Readonly<Record<string, string>>;
}

/** Short ones: they are read within seconds. */
const FILINGS = [
  'docqa/financebench/pdfs/PEPSICO_2023Q1_EARNINGS.pdf',
  'docqa/financebench/pdfs/ULTABEAUTY_2023Q4_EARNINGS.pdf',
  'docqa/financebench/pdfs/PEPSICO_2023_8K_dated-2023-05-30.pdf',
  'files/office/docx_lists.docx',
  'files/office/powerpoint_sample.pptx',
  'files/office/xlsx_05_table_with_title.xlsx',
  'files/office/test_wikipedia.html',
  'files/scans/layout-parser-paper-fast.jpg',
];

const BROKEN = ['password.pdf', 'truncated-40pct.pdf', 'random.bin'].map((name) => `files/hostile/${name}`);

/** As long as a name may be. */
export const ODD_TABLE = 'Quarterly “Überblick” of إيرادات and 売上高, with a name that g';
const ODD =
  'Quarterly “Überblick” of إيرادات and 売上高, with a name that goes on for longer than anybody would wish 🗂️';

const TABLES = [
  `CREATE TABLE films (_id text, title text NOT NULL INDEX keyword_index(), year bigint, genres text[],
    plot text INDEX keyword_index() INDEX semantic_index())`,
  `CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL, placed timestamptz, amount numeric(12,2),
    is_paid boolean, note text, meta jsonb)`,
  `INSERT INTO orders SELECT g, 'customer ' || g % 977, timestamptz '2026-01-01 09:00+00' + g * interval '37 seconds',
    (g % 9973) * 1.37, g % 7 <> 0, CASE WHEN g % 5 <> 0 THEN 'order of ' || g || ' pieces, sent in one box' END,
    jsonb_build_object('source', CASE g % 3 WHEN 0 THEN 'web' ELSE 'shop' END, 'lines', g % 12)
    FROM generate_series(1, 200000) AS g`,
  `CREATE TABLE "${ODD_TABLE}" (_id text, "a column, with blanks & 'quotes'" text, ${Array.from({ length: 40 }, (_, i) => `measure_${i} float8`).join(', ')})`,
  `INSERT INTO "${ODD_TABLE}" (_id, "a column, with blanks & 'quotes'") VALUES ('the only row', '<b>not bold</b> مرحبا')`,
  'CREATE TABLE nothing_yet (_id text, title text INDEX keyword_index())',
  'CREATE TABLE tenants (_id text, tenant text, secret text)',
  `INSERT INTO tenants VALUES ('a', 'acme', 'one'), ('b', 'globex', 'two')`,
  'ALTER TABLE tenants ENABLE ROW LEVEL SECURITY',
  `CREATE POLICY own ON tenants FOR SELECT USING (tenant = quern.key_attribute('tenant'))`,
  'ANALYZE orders',
];

const KEYS = [
  `CREATE API KEY dashboard WITH (role = reader, read_only, expires = '90 days', collections = ARRAY['films', 'orders'])`,
  `CREATE API KEY "nightly import of ${ODD.slice(0, 30)}" WITH (role = writer, addresses = ARRAY['10.0.0.0/8', '192.0.2.7'])`,
  `CREATE API KEY acme WITH (role = reader, datasets = ARRAY['filings'], attributes = '{"tenant": "acme"}')`,
  `CREATE API KEY "old laptop" WITH (role = admin, expires = '1 day')`,
  `ALTER API KEY "old laptop" EXPIRE`,
  `ALTER API KEY dashboard ROTATE WITH (overlap = '1 hour')`,
];

const REPORTS = ['borrowing-for-graduate-school.pdf', 'school-enrollment-projections.pdf'];

/** To what its picture is called by. */
const QUESTIONS: Readonly<Record<string, readonly [question: string, dataset: string]>> = {
  answer: ['How much did first-professional students borrow on average?', 'reports'],
  computed: ['What was the operating margin of PepsiCo in the first quarter of 2023?', 'filings'],
  unsupported: ['Who won the chess olympiad of 1978?', 'reports'],
};

const WAIT_S = 300;

export async function fill(server: ServerProcess, say: (line: string) => void): Promise<World> {
  const { host, port, key } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  try {
    return await filled(client, key, say);
  } finally {
    await client.end();
  }
}

async function filled(client: pg.Client, owner: string, say: (line: string) => void): Promise<World> {
  const handles = await upload(client);
  for (const sql of TABLES) await client.query(sql);
  await loadFilms(client);
  say('films and orders are stored');
  for (const sql of KEYS) await client.query(sql);
  await client.query('CREATE ROLE visitor');
  const visitor = await client.query('CREATE API KEY visiting WITH (role = visitor)');
  for (const handle of handles) {
    // Some are to fail.
    await client.query('SELECT quern.wait_for_handle($1, $2)', [handle, WAIT_S]).catch(() => undefined);
  }
  say('files are read');
  const ids = await ask(client);
  say('questions are answered');
  return { keys: { owner, visitor: visitor.rows[0].key as string }, ids };
}

async function upload(client: pg.Client): Promise<readonly unknown[]> {
  await client.query("CREATE DATASET reports WITH (description = 'on education in the United States')");
  await client.query(
    `CREATE DATASET filings WITH (description = 'Earnings and 8-Ks, and what came with them: ${ODD}')`,
  );
  await client.query('CREATE DATASET empty_one');
  const files = [
    ...REPORTS.map((name) => ['reports', join(ROOT, 'samples/documents', name)] as const),
    ...[...FILINGS, ...BROKEN].map((name) => ['filings', join(DATA, name)] as const),
  ];
  const handles: unknown[] = [];
  for (const [dataset, path] of files.filter(([, path]) => existsSync(path))) {
    const name = basename(path);
    const metadata = {
      year: 2023,
      form: name.includes('8K') ? '8-K' : 'earnings',
      company: name.split('_')[0],
    };
    const { rows } = await client.query('SELECT quern.upsert_file($1, $2, $3, $4, $5) AS handle', [
      dataset,
      name.replace(/\.\w+$/, ''),
      name,
      readFileSync(path),
      JSON.stringify(metadata),
    ]);
    handles.push(rows[0]?.handle);
  }
  return handles;
}

const FILMS_A_STATEMENT = 100;

async function loadFilms(client: pg.Client): Promise<void> {
  const [file = ''] = readdirSync(join(ROOT, 'samples/movies')).filter((name) => name.endsWith('.jsonl'));
  const films = readFileSync(join(ROOT, 'samples/movies', file), 'utf8')
    .trim()
    .split('\n');
  for (let at = 0; at < films.length; at += FILMS_A_STATEMENT) {
    const some = films.slice(at, at + FILMS_A_STATEMENT);
    await client.query("SELECT lsn FROM quern.upsert('films', $1::text)", [`[${some.join(',')}]`]);
  }
}

async function ask(client: pg.Client): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const [name, [question, dataset]] of Object.entries(QUESTIONS)) {
    await client.query('SELECT * FROM ask($1, ARRAY[$2])', [question, dataset]);
    ids[name] = (await client.query('SELECT quern.last_answer() AS id')).rows[0].id as string;
  }
  const research =
    'Compare how much graduate and first-professional students borrow, and how enrollment is projected to grow';
  await client.query("SELECT * FROM research($1, ARRAY['reports'])", [research]);
  ids.research = (await client.query('SELECT research_id AS id FROM quern.research')).rows[0].id as string;
  return ids;
}
