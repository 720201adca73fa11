/**
 * Nearest neighbours without and with filters: latency at equal recall, build time, several clients.
 */
import { type Peer, type Peers, prepared } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { copyLines } from './copy.ts';
import {
  clustered,
  nearest,
  randomNumbers,
  realVectors,
  type VectorSet,
  vectorOf,
  vectorText,
} from './vectors.ts';

const K = 10;
const EFS = [20, 40, 60, 80, 100, 150, 200, 300, 400];
const CLIENTS = 8;
const CLIENT_QUERIES = 200;
/** Rounds of 400 queries each. */
const WARM_UP_ROUNDS = 5;
const FILTER_QUERIES = 50;
const SHARES = [0.5, 0.1, 0.01, 0.001, 0.0001];
const LATENCY_MS_MAX = 5;

interface Setting {
  readonly ef: number;
  /** Recall of the ten nearest, 0..1. */
  readonly recall: number;
  readonly p50: number;
  /** Answers with fewer rows than were asked for. */
  readonly short: number;
}

export async function neighbours(peers: Peers, quick: boolean): Promise<void> {
  const large = clustered(quick ? 20_000 : 100_000, 384, 200);
  for (const set of [large, realVectors('mnist-784', 200), realVectors('glove-twitter-25', 200)]) {
    await measureSet(peers, set, set === large);
  }
}

async function measureSet(peers: Peers, set: VectorSet, whole: boolean): Promise<void> {
  const projections = projectionsOf(set);
  const built = new Map<Peer, number>();
  for (const peer of [peers.quern, peers.postgres]) built.set(peer, await load(peer, set, projections));
  const [quernBuild = 0, postgresBuild = 0] = built.values();
  if (whole) {
    report(`${set.name}: index build, wall`, quernBuild / postgresBuild, {
      bar: '<= 0.8',
      quern: `${quernBuild.toFixed(1)} s`,
      pgvector: `${postgresBuild.toFixed(1)} s`,
    });
  }
  const queries = set.queries.length / set.dimension;
  const truth = Array.from(
    { length: queries },
    (_, query) => new Set(nearest(set, { query, k: K, keeps: () => true })),
  );
  const task: Task = { set, truth, sql: search(''), parameters: () => [] };
  for (const peer of [peers.quern, peers.postgres]) await warmUp(peer, task);
  const quern = await curve(peers.quern, task);
  const postgres = await curve(peers.postgres, task);
  const usual = await measure(peers.quern, task);
  report(`${set.name}: recall@10 as it comes`, usual.recall, { bar: '>= 0.95', p50: ms(usual.p50) });
  for (const [recall, bar] of [
    [0.95, 0.35],
    [0.99, 0.25],
  ] as const) {
    const [own, other] = [at(quern, recall), at(postgres, recall)];
    report(`${set.name}: p50 at recall ${recall}, quern / pgvector`, own / other, {
      bar: `<= ${bar}`,
      quern: ms(own),
      pgvector: ms(other),
    });
  }
  if (!whole) return;
  await measureClients(peers, set, { quern, postgres });
  await measureFilters(peers, set, projections);
}

/** A value of each row along one direction, so that filters can follow or oppose a query. */
function projectionsOf({ base, dimension }: VectorSet): Float64Array {
  const direction = vectorOf(base, dimension, 0);
  return Float64Array.from({ length: base.length / dimension }, (_, row) =>
    dot(vectorOf(base, dimension, row), direction),
  );
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** @returns seconds of the index's build. */
async function load(peer: Peer, set: VectorSet, projections: Float64Array): Promise<number> {
  const { client, address } = peer;
  await client.query('DROP TABLE IF EXISTS points');
  await client.query('CREATE EXTENSION IF NOT EXISTS vector');
  await client.query(
    `CREATE TABLE points (id int PRIMARY KEY, place double precision, along double precision, v vector(${set.dimension}))`,
  );
  const random = randomNumbers(7);
  const lines = function* (): Generator<string> {
    for (let row = 0; row < set.base.length / set.dimension; row++) {
      yield `${row}\t${random()}\t${projections[row]}\t${vectorText(vectorOf(set.base, set.dimension, row))}\n`;
    }
  };
  await copyLines(address, 'points', lines());
  if (peer.name === 'postgres') {
    for (const setting of ["maintenance_work_mem = '2GB'", 'max_parallel_maintenance_workers = 7']) {
      await client.query(`SET ${setting}`);
    }
  }
  const began = performance.now();
  const options = peer.name === 'postgres' ? 'WITH (m = 16, ef_construction = 200)' : '';
  await client.query(`CREATE INDEX ON points USING hnsw (v vector_l2_ops) ${options}`);
  const seconds = (performance.now() - began) / 1000;
  await client.query('CREATE INDEX ON points (place)');
  await client.query('CREATE INDEX ON points (along)');
  await client.query('ANALYZE points');
  return seconds;
}

const search = (where: string): string => `SELECT id FROM points ${where} ORDER BY v <-> $1 LIMIT ${K}`;

async function curve(peer: Peer, task: Task): Promise<Setting[]> {
  const settings: Setting[] = [];
  for (const ef of EFS) {
    await peer.client.query(`SET ${peer.name === 'quern' ? 'quern' : 'hnsw'}.ef_search = ${ef}`);
    settings.push({ ...(await measure(peer, task)), ef });
  }
  await peer.client.query(`RESET ${peer.name === 'quern' ? 'quern' : 'hnsw'}.ef_search`);
  return settings;
}

/** Both get as many queries before the clock runs: caches fill, and what is compiled late is compiled. */
async function warmUp(peer: Peer, task: Task): Promise<void> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await measure(peer, task);
}

interface Task {
  readonly set: VectorSet;
  readonly truth: readonly Set<number>[];
  readonly sql: string;
  readonly parameters: (query: number) => readonly unknown[];
}

async function measure({ client }: Peer, { set, truth, sql, parameters }: Task): Promise<Setting> {
  const times: number[] = [];
  let found = 0;
  let wanted = 0;
  let short = 0;
  for (let round = 0; round < 2; round++) {
    for (const [query, expected] of truth.entries()) {
      const text = vectorText(vectorOf(set.queries, set.dimension, query));
      const statement = prepared(sql, [text, ...parameters(query)]);
      const began = performance.now();
      const { rows } = await client.query(statement);
      if (round === 0) continue;
      times.push(performance.now() - began);
      wanted += expected.size;
      for (const { id } of rows) if (expected.has(id)) found++;
      if (rows.length < expected.size) short++;
    }
  }
  return { ef: 0, recall: wanted === 0 ? 1 : found / wanted, p50: median(times), short };
}

/** Milliseconds at a recall, interpolated between the settings around it. */
function at(settings: readonly Setting[], recall: number): number {
  const after = settings.findIndex((setting) => setting.recall >= recall);
  const [high, low] = [settings[after], settings[after - 1]];
  if (high === undefined) return Number.NaN;
  if (low === undefined || high.recall === low.recall) return high.p50;
  const share = (recall - low.recall) / (high.recall - low.recall);
  return low.p50 + share * (high.p50 - low.p50);
}

async function measureClients(
  peers: Peers,
  set: VectorSet,
  curves: { readonly quern: readonly Setting[]; readonly postgres: readonly Setting[] },
): Promise<void> {
  const rates = [];
  for (const peer of [peers.quern, peers.postgres]) {
    const { ef } = curves[peer.name].find(({ recall }) => recall >= 0.95) ?? { ef: 400 };
    const clients = await Promise.all(Array.from({ length: CLIENTS }, peer.connect));
    for (const client of clients) {
      await client.query(`SET ${peer.name === 'quern' ? 'quern' : 'hnsw'}.ef_search = ${ef}`);
    }
    const count = set.queries.length / set.dimension;
    const run = async (queries: number): Promise<number> => {
      const began = performance.now();
      await Promise.all(
        clients.map(async (client, number) => {
          for (let i = 0; i < queries; i++) {
            const query = vectorOf(set.queries, set.dimension, (i * CLIENTS + number) % count);
            await client.query({ name: 'near', text: search(''), values: [vectorText(query)] });
          }
        }),
      );
      return (CLIENTS * queries) / ((performance.now() - began) / 1000);
    };
    await run(CLIENT_QUERIES / 4);
    rates.push(await run(CLIENT_QUERIES));
    await Promise.all(clients.map((client) => client.end()));
  }
  const [quern = 0, postgres = 0] = rates;
  report(`${set.name}: ${CLIENTS} clients at recall >= 0.95, queries/s`, quern / postgres, {
    bar: '>= 4',
    quern: quern.toFixed(0),
    pgvector: postgres.toFixed(0),
  });
}

/** Queries that lie far along the direction of `projections`, and what a filter of each kind keeps. */
async function measureFilters(peers: Peers, set: VectorSet, projections: Float64Array): Promise<void> {
  const count = set.queries.length / set.dimension;
  const direction = vectorOf(set.base, set.dimension, 0);
  const along = (query: number): number => dot(vectorOf(set.queries, set.dimension, query), direction);
  const farthest = Array.from({ length: count }, (_, query) => query).sort((a, b) => along(b) - along(a));
  const chosen: VectorSet = {
    ...set,
    queries: Float32Array.from(
      farthest.slice(0, FILTER_QUERIES).flatMap((query) => [...vectorOf(set.queries, set.dimension, query)]),
    ),
  };
  const sorted = projections.slice().sort();
  const random = randomNumbers(7);
  const places = Float64Array.from(projections, random);
  for (const share of SHARES) {
    const rows = Math.round(share * sorted.length);
    const filters = {
      random: { sql: 'place < $2', value: share, keeps: (row: number) => (places[row] as number) < share },
      correlated: kept('along >= $2', sorted[sorted.length - rows] as number, (a, b) => a >= b),
      'anti-correlated': kept('along < $2', sorted[rows] as number, (a, b) => a < b),
    };
    function kept(sql: string, value: number, compare: (a: number, b: number) => boolean) {
      return { sql, value, keeps: (row: number) => compare(projections[row] as number, value) };
    }
    for (const [name, { sql, value, keeps }] of Object.entries(filters)) {
      const truth = Array.from(
        { length: FILTER_QUERIES },
        (_, query) => new Set(nearest(chosen, { query, k: K, keeps })),
      );
      const task: Task = { set: chosen, truth, sql: search(`WHERE ${sql}`), parameters: () => [value] };
      const quern = await measure(peers.quern, task);
      const postgres = await bestOfPostgres(peers.postgres, task);
      report(`filter ${name}, ${share * 100} %: p50, quern / pgvector`, quern.p50 / postgres.p50, {
        bar: `<= 1, recall >= 0.95, none short, <= ${LATENCY_MS_MAX} ms`,
        quern: `${ms(quern.p50)}, recall ${quern.recall.toFixed(3)}, ${quern.short} short`,
        pgvector: `${ms(postgres.p50)}, recall ${postgres.recall.toFixed(3)}, ${postgres.short} short`,
      });
    }
  }
}

/** pgvector's quickest setting that reaches the recall, else the one that comes nearest. */
async function bestOfPostgres(peer: Peer, task: Task): Promise<Setting> {
  const settings: Setting[] = [];
  for (const scan of ['off', 'relaxed_order', 'strict_order']) {
    await peer.client.query(`SET hnsw.iterative_scan = ${scan}`);
    for (const ef of [40, 100, 200, 400]) {
      await peer.client.query(`SET hnsw.ef_search = ${ef}`);
      settings.push({ ...(await measure(peer, task)), ef });
    }
  }
  const good = settings.filter(({ recall, short }) => recall >= 0.95 && short === 0);
  const best = good.sort((a, b) => a.p50 - b.p50)[0] ?? settings.sort((a, b) => b.recall - a.recall)[0];
  return best as Setting;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
