/**
 * The cost of a ranked query beside its search: processor time of the server a query (/proc), all threads and the
 * main one, of keyword, semantic and hybrid top 10 over short documents, prepared and as text, and the time of the
 * arms' searches alone (EXPLAIN ANALYZE). The ratio is of main threads. No query comes twice.
 * `--before CHECKOUT`: another checkout in turns with this one; `--quick`: few rows; `--only NAME`: shapes whose name
 * contains it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startServer } from '../scripts/server-process.ts';
import { options } from './options.ts';
import { prepared } from './peers.ts';
import { copyLines } from './retrieval/copy.ts';
import { keywordTasks, keywordTexts } from './retrieval/keyword-texts.ts';
import { median, report } from './statistics.ts';

const { quick, only = '', before } = options;
const ROWS = quick ? 5_000 : 100_000;
const CHARACTERS = 200;
const QUERIES = 300;
const ROUNDS = quick ? 3 : 5;
/** V8 has compiled a path by then. */
const WARM_ROUNDS = 8;
const EXPLAINED = 40;

interface Shape {
  readonly name: string;
  readonly sql: string;
}

const keyword = (filter: string): string =>
  `SELECT id, title FROM docs WHERE match($1, body)${filter} ORDER BY bm25_score() DESC LIMIT 10`;
const semantic = (filter: string): string =>
  `SELECT id, title FROM docs${filter} ORDER BY semantic_similarity(body, $1) DESC LIMIT 10`;
const hybrid = (filter: string): string =>
  `SELECT id, title, score FROM hybrid('docs', $1, k => 10)${filter}`;

const SHAPES: readonly Shape[] = [
  { name: 'keyword', sql: keyword('') },
  { name: 'keyword, filtered', sql: keyword(' AND year > 1990') },
  { name: 'semantic', sql: semantic('') },
  { name: 'semantic, filtered', sql: semantic(' WHERE year > 1990') },
  { name: 'hybrid', sql: hybrid('') },
  { name: 'hybrid, filtered', sql: hybrid(' WHERE year > 1990') },
];

interface Peer extends AsyncDisposable {
  readonly name: string;
  readonly client: pg.Client;
  readonly processId: number;
}

async function start(name: string, checkout: string): Promise<Peer> {
  const data = mkdtempSync(join(tmpdir(), 'quern-ranked-'));
  const server = await startServer({ data, quern: join(checkout, 'bin/quern') });
  const { host, port, key: password } = server;
  const address = { host, port, user: 'quern', database: 'quern', password };
  const client = new pg.Client(address);
  await client.connect();
  await client.query('CREATE TABLE docs (id int PRIMARY KEY, title text, year int, body text)');
  await copyLines(address, 'docs', lines());
  await client.query("CREATE INDEX ON docs USING semantic (body) WITH (model = 'hash')");
  await client.query('VACUUM docs');
  return {
    name,
    client,
    processId: server.process.pid ?? 0,
    async [Symbol.asyncDispose]() {
      await client.end();
      await server.stop();
      for (const folder of [data, `${data}.tls`]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function* lines(): Generator<string> {
  for (const [id, text] of texts.entries()) {
    const body = text.slice(0, CHARACTERS).replaceAll('\\', ' ');
    yield `${id}\t${body.slice(0, 40)}\t${1980 + (id % 44)}\t${body}\n`;
  }
}

interface Spent {
  readonly all: number;
  readonly main: number;
}

/** Microseconds of the threads of a process so far: the ticks of its `stat` are too coarse. */
function processorTime(processId: number): Spent {
  const threads = readdirSync(`/proc/${processId}/task`);
  const spent = (thread: string): number =>
    Number(readFileSync(`/proc/${processId}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  return { all: threads.reduce((sum, thread) => sum + spent(thread), 0), main: spent(String(processId)) };
}

/** @param sent whether the query is a parameter or stands in the text. */
const queryOf = (sql: string, query: string, sent: 'prepared' | 'text'): pg.QueryConfig | string =>
  sent === 'prepared' ? prepared(sql, [query]) : sql.replace('$1', pg.escapeLiteral(query));

/** Processor time a query. */
async function oneRound(
  { client, processId }: Peer,
  statements: readonly (pg.QueryConfig | string)[],
): Promise<Spent> {
  const before = processorTime(processId);
  for (const statement of statements) await client.query(statement as pg.QueryConfig);
  const after = processorTime(processId);
  const each = (field: keyof Spent): number => (after[field] - before[field]) / statements.length;
  return { all: each('all'), main: each('main') };
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly Searches?: readonly { readonly Time?: number }[];
}

/** Microseconds of the searches of all arms, the middle query's. */
async function searchTime({ client }: Peer, sql: string): Promise<number> {
  const times: number[] = [];
  for (const query of queries.slice(0, EXPLAINED)) {
    const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${queryOf(sql, query, 'text')}`;
    const { rows } = await client.query(text);
    const [plan] = rows[0]['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[];
    times.push(plan === undefined ? Number.NaN : 1000 * armsOf(plan.Plan));
  }
  return median(times);
}

const armsOf = ({ Searches = [], Plans = [] }: PlanNode): number =>
  Searches.reduce((sum, search) => sum + (search.Time ?? 0), 0) +
  Plans.reduce((sum, inner) => sum + armsOf(inner), 0);

async function measure({ name, sql }: Shape, peers: readonly Peer[]): Promise<void> {
  const searches = new Map<Peer, number>();
  for (const sent of ['prepared', 'text'] as const) {
    const spent = new Map(peers.map((peer) => [peer, [] as Spent[]]));
    for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
      const some = queries.slice((round + WARM_ROUNDS) * QUERIES, (round + WARM_ROUNDS + 1) * QUERIES);
      const statements = some.map((query) => queryOf(sql, query, sent));
      for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
        const time = await oneRound(peer, statements);
        if (round >= 0) spent.get(peer)?.push(time);
      }
    }
    for (const peer of peers) {
      if (!searches.has(peer)) searches.set(peer, await searchTime(peer, sql));
    }
    const of = (peer: Peer, field: keyof Spent): number =>
      median((spent.get(peer) ?? []).map((one) => one[field]));
    const facts = peers.map((peer) => [
      peer.name,
      `${of(peer, 'all').toFixed(0)} µs of processor, main thread ${of(peer, 'main').toFixed(0)}, ` +
        `searches ${searches.get(peer)?.toFixed(0)}`,
    ]);
    const [now = here, other = now] = peers;
    report(`${name}, ${sent}`, of(now, 'main') / of(other, 'main'), Object.fromEntries(facts));
  }
}

const texts = keywordTexts(ROWS);
/** Two words each. */
const queries = keywordTasks(texts, QUERIES * (WARM_ROUNDS + ROUNDS))[1]?.queries ?? [];
const here = await start('now', join(import.meta.dirname, '..'));
await using peers = new AsyncDisposableStack();
peers.use(here);
const all = before === undefined ? [here] : [here, peers.use(await start('before', before))];
for (const shape of SHAPES) if (shape.name.includes(only)) await measure(shape, all);
