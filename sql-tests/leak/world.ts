/**
 * Two worlds that differ only in what a role may not see: rows of other tenants and all that could be learnt of them
 * (words, vectors, fields, documents, partitions), a table and a column without a grant, other people's answers.
 */
import pg from 'pg';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { seededRandom } from '../../src/seeded-random.ts';
import { Client } from '../../src/clients/typescript/src/client.ts';

export type Variant = 'a' | 'b';

/** Who looks: a password for user `quern`. */
export interface Reader {
  /** A role under policies, whose key says its tenant. */
  readonly policies: string;
  /** A key limited to a collection and a dataset. */
  readonly limits: string;
  /** A role that policies show nothing, granted all that Quern keeps of requests. */
  readonly grants: string;
  /** A key limited to a partition. */
  readonly partition: string;
}

/** Words that everybody's texts have, and such as only hidden ones have. */
export const SEEN_WORDS = ['harbour', 'contract', 'ferry', 'revenue', 'margin', 'anchor', 'cargo', 'pilot'];
export const HIDDEN_WORDS: Readonly<Record<Variant, readonly string[]>> = {
  a: ['zeppelin', 'quasar', 'harbinger', 'contraband', 'ferrous'],
  b: ['walrus', 'obsidian', 'harvester', 'contrabass', 'ferret', 'revelation', 'margarine'],
};

const SCHEMA = `
  CREATE ROLE reader_of_acme;
  CREATE ROLE other;
  CREATE ROLE visitor;
  CREATE TABLE notes (id int PRIMARY KEY, tenant text, body text, n int, price numeric, at timestamp,
    tags text[], data jsonb, v vector(4), secret text);
  CREATE INDEX notes_body ON notes USING keyword (body);
  CREATE INDEX notes_grams ON notes USING ngram (body);
  CREATE INDEX notes_v ON notes USING hnsw (v vector_cosine_ops);
  CREATE INDEX notes_n ON notes (n);
  CREATE TABLE docs (tenant text, title text INDEX semantic_index(), body text INDEX keyword_index(),
    words F32_SPARSE_VECTOR INDEX vector_index(metric => 'dot_product'),
    rows F32_MATRIX(2) INDEX multi_vector_index(metric => 'maxsim'));
  CREATE TABLE shelf (title text INDEX keyword_index());
  CREATE TABLE memos (id int PRIMARY KEY, body text, kind text);
  CREATE INDEX ON memos USING keyword (body);
  CREATE TABLE readers (memo int, tenant text);
  CREATE TABLE staff (id int PRIMARY KEY, name text, salary int);
  CREATE TABLE vault (id serial PRIMARY KEY, gem text);
  CREATE INDEX ON vault USING keyword (gem);
  CREATE TABLE large (id int PRIMARY KEY, tenant text, body text, v vector(64));
  CREATE INDEX large_v ON large USING hnsw (v vector_cosine_ops);
  CREATE INDEX large_body ON large USING keyword (body);
  ALTER TABLE large ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON large USING (tenant = quern.key_attribute('tenant'));
  CREATE VIEW seen_notes WITH (security_invoker = true) AS SELECT id, body, n FROM notes;
  CREATE FUNCTION bodies() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT body FROM notes ORDER BY id';
  CREATE DATASET filings WITH (description = 'annual reports');
  ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON notes USING (tenant = quern.key_attribute('tenant'));
  ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON docs USING (tenant = quern.key_attribute('tenant'));
  ALTER TABLE memos ENABLE ROW LEVEL SECURITY;
  CREATE POLICY listed ON memos USING
    (EXISTS (SELECT 1 FROM readers WHERE memo = id AND readers.tenant = quern.key_attribute('tenant')));
  ALTER TABLE readers ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON readers USING (tenant = quern.key_attribute('tenant'));
  ALTER TABLE filings.documents ENABLE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON filings.documents USING (metadata->>'tenant' = quern.key_attribute('tenant'));
  GRANT SELECT (id, tenant, body, n, price, at, tags, data, v) ON notes TO reader_of_acme;
  GRANT INSERT (id, tenant, body, n), UPDATE (body, n), DELETE ON notes TO reader_of_acme;
  GRANT SELECT, INSERT, UPDATE, DELETE ON docs, memos, readers TO reader_of_acme;
  GRANT SELECT ON large TO reader_of_acme;
  GRANT SELECT (id, name) ON staff TO reader_of_acme;
  GRANT SELECT ON seen_notes TO reader_of_acme;
  GRANT USAGE ON SCHEMA quern TO visitor;
  GRANT SELECT ON ALL TABLES IN SCHEMA quern TO visitor;
  GRANT SELECT ON notes, docs TO visitor;
  GRANT USAGE ON SCHEMA filings TO reader_of_acme;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA filings TO reader_of_acme`;

const KEYS = {
  policies: `CREATE API KEY looks WITH (role = reader_of_acme, attributes = '{"tenant": "acme"}')`,
  limits: `CREATE API KEY narrow WITH (role = writer, collections = 'memos', datasets = 'papers')`,
  grants: 'CREATE API KEY visits WITH (role = visitor)',
  partition: `CREATE API KEY one WITH (role = reader, collections = 'shelf', partitions = 'acme')`,
};

type Random = (below: number) => number;

/** Rows of one tenant, as VALUES; those of others have other words, numbers, fields and vectors by variant. */
function sentence(random: Random, words: readonly string[]): string {
  return Array.from({ length: 3 + random(6) }, () => words[random(words.length)]).join(' ');
}

interface Tenant {
  readonly name: string;
  readonly words: readonly string[];
  readonly random: Random;
  readonly rows: number;
}

const vector = (random: Random): string => `[${[0, 1, 2, 3].map(() => random(200) - 100).join(',')}]`;

/** @param id of the row: tenants take turns, so that they share segments. */
function rowsOf({ name, words, random }: Tenant, id: number, hidden: boolean): string[] {
  const body = sentence(random, words);
  const n = hidden ? 1_000 + random(100_000) : random(50);
  const key = hidden ? `${name}-${random(1e9)}` : `doc-${id}`;
  const field = hidden ? `, field_${name}_${random(3)}` : id % 3 === 0 ? ', colour' : '';
  const value = hidden ? `, '${body.slice(0, 9)}'` : id % 3 === 0 ? `, '${words[id % words.length]}'` : '';
  const sparse = `{${1 + random(6)}:${random(10)},${8 + random(5)}:${random(10)}}/20`;
  const matrix = `[[${random(9)},${random(9)}],[${random(9)},${random(9)}]]`;
  const data = `{"${words[random(words.length)]}": ${random(9)}}`;
  const row = [
    `INSERT INTO notes VALUES (${id}, '${name}', '${body}', ${n}, ${n}.5, '2026-01-01'::timestamp + ${n} * interval '1 day',
      ARRAY['${body.split(' ')[0]}'], '${data}', '${vector(random)}', 'secret ${hidden ? body : ''} ${random(1e6)}')`,
    `INSERT INTO docs (_id, tenant, title, body, words, rows${field}) VALUES
      ('${key}', '${name}', '${sentence(random, words)}', '${body}', '${sparse}', '${matrix}'${value})`,
    `INSERT INTO memos VALUES (${id}, '${sentence(random, words)}', 'k${random(hidden ? 9 : 3)}')`,
    `INSERT INTO readers VALUES (${id}, '${name}')`,
  ];
  if (hidden) {
    row.push(`INSERT INTO vault (gem) VALUES ('${body}')`);
    row.push(`INSERT INTO shelf$${name} (_id, title, only_${name}) VALUES ('${id}', '${body}', 1)`);
  } else {
    row.push(`INSERT INTO staff VALUES (${id}, '${body}', 0)`);
    row.push(`INSERT INTO shelf$acme (_id, title) VALUES ('${id}', '${body}')`);
  }
  return row;
}

const seeded = (seed: number): Random => {
  const next = seededRandom(seed);
  return (below) => Math.floor(next() * below);
};

/** @param size rows that are seen. */
function rowStatements(variant: Variant, size: number): string[] {
  const seen: Tenant = { name: 'acme', words: SEEN_WORDS, random: seeded(1), rows: size };
  const words = [...HIDDEN_WORDS[variant], ...SEEN_WORDS.slice(0, 3)];
  const rows = variant === 'a' ? Math.ceil(size / 2) : size * 2;
  const hidden: Tenant = { name: `other_${variant}`, words, random: seeded(variant === 'a' ? 2 : 3), rows };
  const all: string[] = [];
  for (let i = 0; i < Math.max(size, rows); i++) {
    if (i < size) all.push(...rowsOf(seen, i, false));
    if (i < rows) all.push(...rowsOf(hidden, 10_000 + i, true));
  }
  return [...all, `UPDATE staff SET salary = id * ${variant === 'a' ? 3 : 7}`];
}

interface File {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly tenant: string;
}

/** Files, of the same company too: answers could take numbers from both. */
function files(variant: Variant): File[] {
  const of = (id: string, name: string, text: string, tenant = 'acme'): File => ({ id, name, text, tenant });
  const seen = [
    of(
      'acme-2023',
      'acme-2023.md',
      '# Acme annual report 2023\n\nRevenue of Acme was 12.5 million dollars in 2023. The harbour contract drove the margin.\n',
    ),
    of(
      'acme-table',
      'acme-table.csv',
      'Item,2022,2023\nRevenue,11.0,12.5\nCost of sales,6.0,7.5\nNet income,2.0,3.0\n',
    ),
    of(
      'pilots',
      'pilots.md',
      '# Pilots\n\nPilots guide ferries into the harbour. Each pilot has a licence.\n',
    ),
  ];
  const { a, b } = {
    a: [
      of(
        'acme-2024',
        'acme-2024.md',
        '# Acme 2024\n\nRevenue of Acme was 99 million in 2024, from a zeppelin.\n',
        'x',
      ),
      of('quasar', 'quasar.csv', 'Item,2023\nRevenue,77.0\nHarbinger fees,5.0\n', 'x'),
    ],
    b: [
      of(
        'acme-2021',
        'acme-2021.md',
        '# Walrus 2021\n\nRevenue of Acme was 3 million in 2021. Obsidian margins fell.\n',
        'y',
      ),
      of('walrus', 'walrus.csv', 'Item,2023\nRevenue,1.5\nMargarine,8.0\n', 'y'),
      of(
        'ferret',
        'ferret.md',
        '# Ferrets\n\nA harvester of the harbour contract plays the contrabass.\n',
        'y',
      ),
    ],
  };
  return variant === 'a' ? [...a, ...seen] : [...seen, ...b];
}

const OTHERS: Readonly<Record<Variant, readonly string[]>> = {
  a: ['What was the revenue of Acme in 2024?'],
  b: ['What was the revenue of Acme in 2021?', 'What do ferrets do?', 'Who plays the contrabass?'],
};

/** A key of the same role as one of the readers has. */
const STRANGERS = `CREATE API KEY strangers WITH (role = reader_of_acme, attributes = '{"tenant": "other"}')`;

export interface Sizes {
  /** Rows of each relation that are seen; twice as many in b, half as many in a are not. */
  readonly rows: number;
  /** The same of a relation with vectors of 64 dimensions: 80,000 have a graph. */
  readonly large: number;
}

/** Vectors by the row's number: what is seen is the same in both. */
function largeRows(variant: Variant, large: number): string {
  const rows = (tenant: string, count: number, seed: number): string => `
    INSERT INTO large SELECT 2 * g + ${tenant === 'acme' ? 0 : 1}, '${tenant}', 'word' || g % 50 || ' ${tenant}',
      ARRAY(SELECT sin(g * k * 0.7 + k + ${seed}) FROM generate_series(1, 64) k)::vector
      FROM generate_series(1, ${count}) g;`;
  const hidden = rows(`other_${variant}`, variant === 'a' ? large / 2 : large * 2, variant === 'a' ? 5 : 9);
  const seen = rows('acme', large, 1);
  return variant === 'a' ? `${hidden} ${seen}` : `${seen} ${hidden}`;
}

export async function makeWorld(
  server: ServerProcess,
  variant: Variant,
  { rows: size, large }: Sizes,
): Promise<Reader> {
  const { host, port, key: apiKey } = server;
  const connection = new pg.Client({ host, port, user: 'quern', database: 'quern', password: apiKey });
  await connection.connect();
  const client = new Client({ apiKey, host, port });
  try {
    await connection.query(SCHEMA);
    const statements = rowStatements(variant, size);
    for (let at = 0; at < statements.length; at += 500)
      await connection.query(`BEGIN; ${statements.slice(at, at + 500).join('; ')}; COMMIT`);
    await client.datasets().create('papers');
    for (const { id, name, text, tenant } of files(variant)) {
      const file = { data: new TextEncoder().encode(text), fileName: name };
      await upload(client, 'filings', {
        id,
        file,
        metadata: { tenant, ...(tenant === 'acme' ? { year: 2023 } : { [`about_${variant}`]: 1 }) },
      });
      if (tenant === 'acme') await upload(client, 'papers', { id, file, metadata: { year: 2023 } });
    }
    for (const question of OTHERS[variant]) await ask(connection, question, 'filings', 'theirs');
    for (const question of OTHERS[variant])
      await connection.query(`SELECT count(*) FROM research($1, ARRAY['filings'])`, [question]);
    for (const name of ['theirs', `theirs_${variant}`]) {
      const questions = `unnest(ARRAY['${OTHERS[variant].join("','")}'])`;
      await connection.query(
        `CREATE EVALUATION ${name} AS SELECT ${questions} AS question, ARRAY['acme-2023'] AS doc_id`,
      );
      await connection.query('SELECT quern.save_query($1, $2)', [name, `SELECT '${variant}'`]);
    }
    await connection.query('EVALUATE SEARCH theirs ON filings');
    if (large > 0) await connection.query(largeRows(variant, large));
    await connection.query('ANALYZE');
    const made = async (sql: string): Promise<string> => (await connection.query(sql)).rows[0].key;
    const readers = {
      policies: await made(KEYS.policies),
      limits: await made(KEYS.limits),
      partition: await made(KEYS.partition),
      grants: await made(KEYS.grants),
    };
    await connection.query('ALTER TABLE filings.documents DISABLE ROW LEVEL SECURITY');
    await askAsReaders(server, variant, { ...readers, strangers: await made(STRANGERS) });
    await connection.query('ALTER TABLE filings.documents ENABLE ROW LEVEL SECURITY');
    return readers;
  } finally {
    await Promise.all([connection.end(), client.close()]);
  }
}

const ask = (by: pg.Client, question: string, dataset: string, thread: string): Promise<unknown> =>
  by.query('SELECT count(*) FROM ask($1, ARRAY[$2::text], thread => $3)', [question, dataset, thread]);

async function keep(by: pg.Client, dataset: string, docId: string): Promise<void> {
  const sql = "SELECT upsert_file($1, $2, 'note.txt', 'A note of the harbour.') AS handle";
  const { rows } = await by.query(sql, [dataset, docId]);
  await by.query('SELECT wait_for_handle($1, 60)', [rows[0].handle]);
}

/** While policies are off: what is kept of answers that cite hidden documents, and of strangers, is hidden after. */
async function askAsReaders(
  { host, port }: ServerProcess,
  variant: Variant,
  keys: Reader & { readonly strangers: string },
): Promise<void> {
  const as = async (key: string, work: (by: pg.Client) => Promise<unknown>): Promise<void> => {
    const by = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
    await by.connect();
    await work(by).finally(() => by.end());
  };
  const [hidden = '', ...more] = OTHERS[variant];
  await as(keys.strangers, async (by) => {
    for (const question of [hidden, ...more]) await ask(by, question, 'filings', 'mine');
    for (const name of more) await keep(by, 'filings', `of ${name}`);
  });
  await as(keys.policies, async (by) => {
    await ask(by, 'What was the revenue of Acme in 2023?', 'filings', 'mine');
    await ask(by, hidden, 'filings', 'mine');
    const cited = `SELECT count(*)::int AS count FROM quern.citations WHERE doc_id IN ('acme-2024', 'acme-2021')`;
    if ((await by.query(cited)).rows[0].count === 0) throw new Error(`nothing hidden is cited: ${hidden}`);
  });
  await as(keys.limits, async (by) => {
    await ask(by, 'What drove the margin?', 'papers', 'mine');
    await keep(by, 'papers', 'note');
  });
}

interface Upload {
  readonly id: string;
  readonly file: { readonly data: Uint8Array; readonly fileName: string };
  readonly metadata: Readonly<Record<string, unknown>>;
}

async function upload(client: Client, dataset: string, { id, file, metadata }: Upload): Promise<void> {
  const to = client.dataset(dataset);
  await to.waitForHandle(await to.upsertFile(id, file, metadata as never));
}
