/**
 * A server that was started a moment ago: how long it takes until it is ready, and what its first 200 queries take
 * beside 200 after 5,000 more, by kind, as texts and prepared. `--quick`: fewer. `--only NAME`: kinds whose name contains it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServer } from '../scripts/server-process.ts';
import { options } from './options.ts';
import { prepared } from './peers.ts';
import { median, report } from './statistics.ts';

const { quick, only = '' } = options;
const ROWS = quick ? 2_000 : 20_000;
const DIMENSION = 64;
const FIRST = 200;
const BETWEEN = quick ? 1_000 : 5_000;
const WORDS =
  'whale sea captain storm island ship harbour voyage crew anchor letter garden winter river'.split(' ');

interface Kind {
  readonly name: string;
  /** `$1` stands for the value. */
  readonly text: string;
  value(n: number): string | number;
}

const word = (n: number): string => WORDS[n % WORDS.length] as string;
const vector = (n: number): string =>
  `[${Array.from({ length: DIMENSION }, (_, i) => Math.sin(n * 31 + i * 17).toFixed(4)).join()}]`;

const KINDS: readonly Kind[] = [
  { name: 'point', text: 'SELECT body FROM docs WHERE id = $1', value: (n) => 1 + ((n * 7_919) % ROWS) },
  { name: 'vector', text: 'SELECT id FROM docs ORDER BY v <=> $1 LIMIT 10', value: vector },
  {
    name: 'keyword',
    text: 'SELECT id FROM docs WHERE matches($1, body) ORDER BY bm25_score() DESC LIMIT 10',
    value: (n) => `${word(n)} ${word(n * 5 + 1)}`,
  },
  {
    name: 'semantic',
    text: 'SELECT id FROM docs ORDER BY semantic_similarity(body, $1) DESC LIMIT 10',
    value: (n) => `${word(n)} and ${word(n * 3 + 2)} ${n}`,
  },
];

const written = ({ text, value }: Kind, n: number): string => {
  const given = value(n);
  return text.replace('$1', typeof given === 'number' ? String(given) : `'${given}'`);
};

const WAYS = [
  { name: 'as text', query: (kind: Kind, n: number): string => written(kind, n) },
  {
    name: 'prepared',
    query: (kind: Kind, n: number): pg.QueryConfig => prepared(kind.text, [kind.value(n)]),
  },
] as const;

const data = mkdtempSync(join(tmpdir(), 'quern-start-'));

async function connect({ host, port, key }: ServerProcess): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  return client;
}

/** Tables that all starts have. @returns the key of the data folder's owner. */
async function fill(): Promise<string> {
  await using server = await startServer({ data });
  const client = await connect(server);
  await client.query(`CREATE TABLE docs (id int PRIMARY KEY, body text, v vector(${DIMENSION}));
    CREATE INDEX ON docs USING keyword (body);
    CREATE INDEX ON docs USING vector (v);
    CREATE INDEX ON docs USING semantic (body) WITH (model = 'hash')`);
  for (let start = 1; start <= ROWS; start += 500) {
    const rows = Array.from({ length: 500 }, (_, i) => {
      const n = start + i;
      return `(${n}, '${word(n)} ${word(n >> 2)} ${word(n >> 4)} ${n}', '${vector(n)}')`;
    });
    await client.query(`INSERT INTO docs VALUES ${rows.join()}`);
  }
  await client.query('VACUUM');
  // The client's own code is warm before anything is measured.
  for (const kind of KINDS) {
    for (const way of WAYS) for (let n = 0; n < FIRST; n++) await client.query(way.query(kind, n));
  }
  await client.end();
  return server.key;
}

/** Milliseconds of each query, one after the other. */
async function times(client: pg.Client, count: number, query: (n: number) => string | pg.QueryConfig) {
  const found: number[] = [];
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await client.query(query(n));
    found.push(performance.now() - began);
  }
  return found;
}

const readyMs: number[] = [];

async function measure(kind: Kind, { name, query }: (typeof WAYS)[number], key: string): Promise<void> {
  const began = performance.now();
  await using server = await startServer({ data, key });
  readyMs.push(performance.now() - began);
  const client = await connect(server);
  const first = await times(client, FIRST, (n) => query(kind, n));
  await times(client, BETWEEN, (n) => query(kind, n + FIRST));
  const later = await times(client, FIRST, (n) => query(kind, n + FIRST + BETWEEN));
  await client.end();
  const [before, after] = [median(first), median(later)];
  const shown = (ms: number): string => `${(1000 * ms).toFixed(0)} µs`;
  const slowest = Math.max(...first);
  report(`${kind.name} ${name}`, before / after, {
    bar: '<= 1.5',
    first: shown(before),
    slowest: shown(slowest),
    later: shown(after),
  });
}

try {
  const key = await fill();
  for (const kind of KINDS.filter(({ name }) => name.includes(only))) {
    for (const way of WAYS) await measure(kind, way, key);
  }
  report('ready', median(readyMs) / 1000, {
    bar: '<= 1.5 s',
    slowest: `${(Math.max(...readyMs) / 1000).toFixed(2)} s`,
  });
} finally {
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
}
