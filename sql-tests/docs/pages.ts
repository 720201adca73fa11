/** Preconditions of each page of documentation: tables, files, parameters; and blocks that are shown only. */

export interface Page {
  /** Statements before the first block. */
  readonly setup?: readonly string[];
  /** Part of a statement to SQL expressions for `$1`, `$2` …; they see what the statements before have made. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
  /** Input sent to COPY … FROM STDIN. */
  readonly input?: string;
  /** Part of a statement, or of a line of shell, that does not run; and why. */
  readonly shown?: Readonly<Record<string, string>>;
}

/** Language to the pages whose blocks other tests run, by test. */
export const RUN_ELSEWHERE: Readonly<Record<'ts', Readonly<Record<string, string>>>> = {
  ts: {
    'docs/clients-ecosystem.md': 'sql-tests/clients/langchain-js.test.ts',
    'docs/clients-typescript.md': 'sql-tests/clients/quern-client-package.test.ts',
    'src/clients/typescript/README.md': 'sql-tests/clients/quern-client-package.test.ts',
  },
};

const FILMS = [
  `CREATE TABLE films (_id TEXT, title TEXT INDEX keyword_index(),
    plot TEXT INDEX keyword_index() INDEX semantic_index(model => 'hash'),
    genre TEXT[], year INT, lang TEXT)`,
  `INSERT INTO films VALUES
    ('jaws', 'Jaws', 'A shark hunts swimmers off a beach.', ARRAY['thriller'], 1975, 'en'),
    ('moby', 'Moby Dick', 'Whale hunting: a captain and a white whale.', ARRAY['drama', 'sea'], 1956, 'en')`,
];

const BOOKS = [
  `CREATE TABLE books (_id TEXT, title TEXT INDEX keyword_index(),
    summary TEXT INDEX semantic_index(model => 'hash'), year INT, meta JSONB)`,
  `INSERT INTO books VALUES
    ('moby-dick', 'Moby-Dick', 'A captain hunts a white whale.', 1851, '{"title": "Of whales"}'),
    ('typee', 'Typee', 'Sailors live on an island.', 1846, '{}'),
    ('omoo', 'Omoo', 'Sailors rebel.', 1847, '{}')`,
];

const REPORT = `convert_to(E'# Results\\n\\nRevenue of Acme was 12 million in 2023, and 10 million in 2022. '
  'The operating margin was driven by lower freight costs.', 'UTF8')`;

const FILINGS = [
  `CREATE DATASET filings`,
  `SELECT quern.upsert_file('filings', 'acme-2023', 'acme.md', ${REPORT}, '{"ticker": "AMZN", "year": 2023}')`,
  `SELECT quern.wait_for_handle(quern.last_handle(), 60)`,
];

const LAST_RESEARCH = '(SELECT research_id FROM quern.research ORDER BY asked_at DESC LIMIT 1)';

export const PAGE_DATA: Readonly<Record<string, Page>> = {
  'src/clients/typescript/README.md': {
    shown: { 'npm install': 'quern-client-package.test.ts installs the package as it is packed here' },
  },
  'README.md': {
    shown: {
      './scripts/quickstart': 'sets the machine up, and leaves a server',
      './scripts/test': 'runs this test',
      './bin/quern serve': 'is how this test has started its server',
      'PGPASSWORD=': 'waits for what is typed',
    },
  },
  'docs/ask.md': {
    setup: FILINGS,
    parameters: {
      'quern.research_result($1)': [LAST_RESEARCH],
      'quern.cancel_research($1)': [LAST_RESEARCH],
      'research_id = $1': [LAST_RESEARCH],
    },
  },
  'docs/command-line.md': {
    shown: { 'quern serve': 'is how this test has started its server' },
  },
  'docs/constraints.md': {
    setup: [
      'CREATE TABLE customers (id int PRIMARY KEY)',
      'CREATE TABLE orders (customer int CONSTRAINT orders_customer_fkey REFERENCES customers DEFERRABLE)',
      'BEGIN',
    ],
  },
  'docs/datasets.md': {
    parameters: {
      '$1::bytea': [REPORT],
      'quern.wait_for_handle($1': ['quern.last_handle()'],
    },
    input: '# Results\n\nRevenue was 12 million.\n',
  },
  'docs/documents.md': {
    setup: [`CREATE TABLE books (_id TEXT, title TEXT, year BIGINT, emb VECTOR(2))`],
    parameters: {
      fail_on_missing: [`'[{"_id": "b1", "year": 1816}]'`],
      books$acme: [`'{b2,b3}'`, `'{Omoo,Typee}'`, `'{"[1,2]","[3,4]"}'`],
      "'tags']": [`'{b4,b5}'`, `'{1847,1846}'`, `'{"[1,2]","[3,4]"}'`, `ARRAY['["sea"]', '[]']::jsonb[]`],
    },
  },
  'docs/evaluation.md': {
    setup: [
      ...FILMS,
      ...FILINGS,
      `CREATE TABLE finance_questions (id int, question text, doc_id text, pages int[], answer text)`,
      `CREATE TABLE film_questions (question text, film text)`,
      `INSERT INTO film_questions VALUES ('hunting a whale', 'moby')`,
      `INSERT INTO finance_questions
        VALUES (1, 'What was the revenue of Acme?', 'acme-2023', NULL, '12 million')`,
    ],
  },
  'docs/explain.md': { setup: FILMS },
  'docs/facets.md': { setup: FILMS },
  'docs/roles.md': {
    setup: ['CREATE SCHEMA sales; CREATE TABLE sales.orders (id int PRIMARY KEY, note text)'],
  },
  'docs/hybrid.md': {
    setup: [
      ...BOOKS,
      `CREATE TABLE passages (_id TEXT, doc TEXT, text TEXT INDEX semantic_index(model => 'hash'))`,
      `INSERT INTO passages VALUES ('1', 'a', 'a whale'), ('2', 'a', 'a ship'), ('3', 'b', 'an island')`,
    ],
    parameters: { 'DISTINCT ON (doc)': [`'a whale'`], 'PARTITION BY doc': [`'a whale'`] },
  },
  'docs/indexes.md': {
    setup: [
      `CREATE TABLE notes (_id TEXT, body TEXT INDEX semantic_index())`,
      `INSERT INTO notes VALUES ('n1', 'Whales sing.')`,
      `CREATE TABLE files (_id TEXT, body TEXT INDEX keyword_index())`,
      `INSERT INTO files (_id, body, meta, doc)
        VALUES ('f1', 'On whales', '{"title": "Whales"}'::jsonb, '{"book": {"summary": "Of whales."}}'::jsonb)`,
    ],
  },
  'docs/keys.md': {
    shown: {
      'quern serve': 'is how this test has started its server',
      'sslcert=ann.crt': 'sql-tests/clients/tls.test.ts signs in so, with certificates of its own',
    },
  },
  'docs/install.md': {
    shown: {
      './scripts/package': 'scripts/package.test.ts makes, installs and runs the package',
      'npm install -g': 'scripts/package.test.ts installs it in a folder',
      'scripts/models/e5.sh': 'fetches 91 MB; scripts/test-tools.sh runs it',
      'docker ': 'there is no Docker where the tests run',
      './scripts/quickstart': 'sets the machine up, and leaves a server',
      'quern serve': 'is how this test has started its server',
      'data.tls/server.crt': 'scripts/package.test.ts runs it, whose data is there',
    },
  },
  'docs/similar.md': { setup: BOOKS, parameters: { 'text => $1': [`'a captain and his whale'`] } },
  'docs/transactions.md': { setup: BOOKS },
  'docs/vectors.md': {
    parameters: {
      multi_vector_distance: [`'[[' || array_to_string(array_fill(0.5, ARRAY[128]), ',') || ']]'`],
    },
  },
};
