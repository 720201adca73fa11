/**
 * The bars of the main job, each beside its peer in one run: insert rate against the model alone on the same
 * threads, a semantic query against embedding plus scan alone, and `select 1` against PostgreSQL 18.
 * `select 1` of a second client during a long query, a bulk insert and a merge comes last.
 */
import { FREELY } from '../sql-tests/fixtures/sender.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../scripts/postgres.ts';
import { type ServerProcess, startServer } from '../scripts/server-process.ts';
import { STRUCTURE_METHODS } from '../src/index/registry.ts';
import { createInference } from '../src/inference/registry.ts';
import type { EmbeddedText } from '../src/inference/provider.ts';
import { options } from './options.ts';
import { median, percentile, report } from './statistics.ts';

const MOVIES = join(import.meta.dirname, '../../shared/data/structured/wikipedia-movies-1980-2023.jsonl');
const SAMPLE = join(import.meta.dirname, '../samples/movies/movies.jsonl');
const CHUNK = 1_000;
const ROWS_A_STATEMENT = 100;
const QUERIES = 300;
const ROUNDS = 7;
const SELECTS_A_ROUND = 4_000;
/** Calls before the first round: V8 optimises a path after some ten thousand of them. */
const SELECTS_WARM_UP = 30_000;

interface Movie {
  readonly _id: string;
  readonly title: string;
  readonly year: number;
  readonly plot: string;
}

const { quick } = options;
const movies = readMovies().slice(0, quick ? 1_500 : undefined);
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'quern-bench-'));
const inference = await createInference({
  modelsFolder: join(import.meta.dirname, '../models'),
  threads: availableParallelism(),
});
const model = inference.model('all-minilm-l6-v2');
const server = await startServer({ data: join(folder, 'data') });
const client = await connect(server);
try {
  if (options['select-one']) await selectOne();
  else await everything();
} finally {
  await client.end();
  await server.stop();
  await inference[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

async function everything(): Promise<void> {
  const vectors = await insertRate();
  await semanticQuery(vectors);
  await selectOne();
  await neighbours();
}

function readMovies(): Movie[] {
  try {
    const lines = readFileSync(MOVIES, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line)).map((row) => ({ ...row, plot: row.extract }));
  } catch {
    process.stdout.write('(the whole film set is not here: measuring on the sample)\n');
    return readFileSync(SAMPLE, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Movie);
  }
}

async function connect({ host, port, key }: ServerProcess): Promise<pg.Client> {
  const made = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await made.connect();
  return made;
}

/** Chunks in turn: the model alone in this process, then the server's INSERT of the same rows. */
async function insertRate(): Promise<EmbeddedText[]> {
  await client.query(`CREATE TABLE movies (title TEXT NOT NULL, year INTEGER,
    plot TEXT INDEX semantic_index() INDEX keyword_index())`);
  await model.embedDocuments(['warm up', 'the model', 'in every', 'thread'], signal, FREELY);
  await insert(client, [{ _id: 'warm', title: 'warm', year: 0, plot: 'warm up the model of the server' }]);
  await client.query("DELETE FROM movies WHERE _id = 'warm'");
  const vectors: EmbeddedText[] = [];
  let alone = 0;
  let whole = 0;
  for (let at = 0; at < movies.length; at += CHUNK) {
    const chunk = movies.slice(at, at + CHUNK);
    const began = performance.now();
    vectors.push(
      ...(await model.embedDocuments(
        chunk.map((movie) => movie.plot),
        signal,
        FREELY,
      )),
    );
    const between = performance.now();
    for (let row = 0; row < chunk.length; row += ROWS_A_STATEMENT)
      await insert(client, chunk.slice(row, row + ROWS_A_STATEMENT));
    whole += performance.now() - between;
    alone += between - began;
  }
  report('insert rate / model alone', alone / whole, {
    bar: '>= 0.85',
    quern: `${((movies.length / whole) * 1000).toFixed(1)} rows/s`,
    model: `${((movies.length / alone) * 1000).toFixed(1)} rows/s on ${availableParallelism()} threads`,
  });
  return vectors;
}

async function insert(to: pg.Client, rows: readonly Movie[]): Promise<void> {
  const places = rows.map((_, i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`);
  const values = rows.flatMap((row) => [row._id, row.title, row.year, row.plot]);
  await to.query(`INSERT INTO movies (_id, title, year, plot) VALUES ${places.join(', ')}`, values);
}

/** Texts nobody asked before, in turn: through the driver, and embedding plus exact scan in this process. */
async function semanticQuery(vectors: readonly EmbeddedText[]): Promise<void> {
  const method = STRUCTURE_METHODS.vectors;
  const options = { dimension: model.dimension, options: { metric: 'cosine' } };
  const structure = method.head(options);
  structure.append({ kind: 'vectors', passages: vectors });
  const sql = 'SELECT _id, title FROM movies ORDER BY semantic_similarity(plot, $1) DESC LIMIT 10';
  const wire: number[] = [];
  const alone: number[] = [];
  for (let i = 0; i < QUERIES + 20; i++) {
    const movie = movies[(i * 37) % movies.length] as Movie;
    const text = `a film like ${movie.title} ${i}`;
    const began = performance.now();
    await client.query(sql, [text]);
    const between = performance.now();
    const query = await model.embedQuery(`${text} `, signal, FREELY);
    const parts = [{ structure, visible: null, limit: structure.rowCount }];
    const request = { kind: 'vector', index: 0, query, value: 'metric' } as const;
    const range = { count: 10, mask: null, limit: structure.rowCount, signal };
    await structure.search(method.prepare(options, request, parts), range);
    if (i < 20) continue;
    wire.push(between - began);
    alone.push(performance.now() - between);
  }
  report('semantic top 10, p50 / (embedding + scan alone)', median(wire) / median(alone), {
    bar: '<= 1.5',
    quern: `p50 ${median(wire).toFixed(2)} ms, p95 ${percentile(wire, 0.95).toFixed(2)} ms`,
    alone: `p50 ${median(alone).toFixed(2)} ms`,
  });
}

/** Rounds in turn with one client library. */
async function selectOne(): Promise<void> {
  await using postgres = await startPostgres();
  const { host, port, user, database } = postgres;
  const peer = new pg.Client({ host, port, user, database });
  await peer.connect();
  const rates = { quern: [] as number[], postgres: [] as number[] };
  for (const warming of [client, peer]) {
    for (let i = 0; i < SELECTS_WARM_UP; i++) await warming.query('select 1');
  }
  for (let round = 0; round < ROUNDS; round++) {
    rates.quern.push(await rate(client));
    rates.postgres.push(await rate(peer));
  }
  const ratios = rates.quern.map((value, i) => value / (rates.postgres[i] as number));
  report('select 1, rate / PostgreSQL 18', median(ratios), {
    bar: '>= 1.0',
    quern: `${median(rates.quern).toFixed(0)}/s`,
    postgres: `${median(rates.postgres).toFixed(0)}/s`,
  });
  await peer.end();
}

async function rate(on: pg.Client): Promise<number> {
  const began = performance.now();
  for (let i = 0; i < SELECTS_A_ROUND; i++) await on.query('select 1');
  return (SELECTS_A_ROUND / (performance.now() - began)) * 1000;
}

/** `select 1` of one client, a call each 5 ms, while another keeps the server busy. */
async function neighbours(): Promise<void> {
  const other = await connect(server);
  const busy: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['at rest', () => new Promise((resolve) => setTimeout(resolve, 2_000))],
    [
      'a query of seconds',
      () => other.query('SELECT count(*) FROM movies a, movies b WHERE a.year + b.year = 1'),
    ],
    [
      'a bulk insert with embedding',
      () =>
        insert(
          other,
          movies.slice(0, 400).map((m) => ({ ...m, _id: `again ${m._id}` })),
        ),
    ],
    ['merges', () => mergeWork(other)],
  ];
  for (const [name, work] of busy) {
    const times: number[] = [];
    let running = true;
    const done = work().finally(() => {
      running = false;
    });
    while (running) {
      const began = performance.now();
      await client.query('select 1');
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await done;
    report(`select 1 during ${name}, p99`, percentile(times, 0.99), {
      bar: '< 20 ms',
      quern: `p50 ${median(times).toFixed(2)} ms, worst ${Math.max(...times).toFixed(1)} ms of ${times.length}`,
    });
  }
  await other.end();
}

/** Enough rows with words to make the background job turn heads into segments. */
async function mergeWork(on: pg.Client): Promise<void> {
  await on.query(
    'CREATE TABLE words (body TEXT INDEX keyword_index(), v F32_VECTOR(64) INDEX vector_index())',
  );
  const vector = (seed: number) =>
    `[${Array.from({ length: 64 }, (_, i) => Math.sin(seed * 64 + i).toFixed(3)).join(',')}]`;
  for (let at = 0; at < 60_000; at += 500) {
    const rows = Array.from(
      { length: 500 },
      (_, i) =>
        `('w${at + i}', '${(movies[(at + i) % movies.length] as Movie).plot.slice(0, 120).replaceAll("'", '')}', '${vector(at + i)}')`,
    );
    await on.query(`INSERT INTO words (_id, body, v) VALUES ${rows.join(',')}`);
  }
}
