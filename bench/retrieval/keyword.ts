/**
 * Keyword search on real text: the engine beside tantivy, and through the wire beside PostgreSQL's ts_rank.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgresJs from 'postgres';
import { KEYWORDS, openKeywords } from '../../src/index/keywords/keywords.ts';
import { KERNEL_BYTES_MIN } from '../../src/index/keywords/memory.ts';
import type { Structure } from '../../src/index/structure.ts';
import { TextVector } from '../../src/types/column/vector.ts';
import type { Peer, Peers } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { type KeywordTask, keywordTasks, keywordTexts, type Shape } from './keyword-texts.ts';

const K = 10;
const QUERIES = 100;
/** PostgreSQL ranks every row that matches: hundreds of milliseconds a query. */
const WIRE_QUERIES = 20;
/** V8 optimises a path after some hundred calls. */
const WARM_QUERIES = 1_000;
const WARM_MS = 2_000;
const ROUNDS = 12;
const BATCH_ROWS = 1_000;
const OPTIONS = { dimension: 0, options: { type: 'text', language: 'english' } };
const LIVE = new AbortController().signal;
const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.tools/python/bin/python');
const TANTIVY = 'tantivy==0.27.0';

/** Microseconds: the middle query's, and the mean, of the best round of each query. */
interface Times {
  readonly p50: number;
  readonly mean: number;
}

export async function keyword(peers: Peers, quick: boolean): Promise<void> {
  const texts = keywordTexts(quick ? 20_000 : 200_000);
  const tasks = keywordTasks(texts, QUERIES);
  const tantivy = tantivyTimes(texts, tasks);
  const structure = structureOf(texts);
  for (const [i, task] of tasks.entries()) {
    const own = await engineTimes(structure, task);
    const other = tantivy[i] as Times;
    report(`keyword, ${task.name}: time in the engine, quern / tantivy`, own.p50 / other.p50, {
      bar: '<= 1',
      quern: `${own.p50.toFixed(0)} µs, mean ${own.mean.toFixed(0)}`,
      tantivy: `${other.p50.toFixed(0)} µs, mean ${other.mean.toFixed(0)}`,
    });
  }
  await load(peers.quern, texts);
  await load(peers.postgres, texts);
  for (const task of tasks) {
    const own = await wireTime(peers.quern, task);
    const other = await wireTime(peers.postgres, task);
    report(`keyword, ${task.name}: p50 through the wire, quern / PostgreSQL's ts_rank`, own / other, {
      bar: '<= 0.05',
      quern: `${own.toFixed(2)} ms`,
      postgres: `${other.toFixed(2)} ms`,
    });
  }
}

/** @throws Error when tantivy can neither be found nor installed. */
function tantivyTimes(texts: readonly string[], tasks: readonly KeywordTask[]): readonly Times[] {
  if (spawnSync(PYTHON, ['-c', 'import tantivy']).status !== 0)
    python(['-m', 'pip', 'install', '-q', TANTIVY]);
  const work = JSON.stringify({ texts, tasks, rounds: ROUNDS, k: K });
  const answer: { tasks: readonly Times[] } = JSON.parse(
    python([join(ROOT, 'bench/tantivy_times.py')], work),
  );
  return answer.tasks;
}

function python(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { input, maxBuffer: 2 ** 30, encoding: 'utf8' });
  if (status !== 0) throw new Error(`python ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** As the engine opens a stored segment. */
function structureOf(texts: readonly string[]): Structure {
  const head = KEYWORDS.head(OPTIONS);
  for (let from = 0; from < texts.length; from += BATCH_ROWS) {
    const batch = texts.slice(from, from + BATCH_ROWS);
    head.append({ kind: 'keywords', values: TextVector.fromStrings(batch, new Uint8Array(batch.length)) });
  }
  const sections = head.sections();
  const sizes = new Map([...sections].map(([name, bytes]) => [name, bytes.length]));
  const load = openKeywords(OPTIONS, { sizes, rowCount: texts.length, floats: null }, KERNEL_BYTES_MIN);
  for (const [name, target] of load.targets) target.set(sections.get(name) as Uint8Array);
  return load.finish();
}

async function engineTimes(structure: Structure, { shape, queries }: KeywordTask): Promise<Times> {
  const parts = [{ structure, visible: null, limit: structure.rowCount }];
  const best = queries.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, query] of queries.entries()) {
      const began = performance.now();
      const prepared = KEYWORDS.prepare(
        OPTIONS,
        {
          kind: 'keyword',
          indexes: [1],
          operator: shape === 'phrase' ? 'phrase' : 'match',
          query,
          weight: 1,
          option: shape === 'all' ? 1 : 0,
          b: 0.75,
          k1: 1.2,
        },
        parts,
      );
      await structure.search(prepared, { count: K, mask: null, limit: structure.rowCount, signal: LIVE });
      best[i] = Math.min(best[i] as number, (performance.now() - began) * 1000);
    }
  }
  return { p50: median(best), mean: best.reduce((sum, time) => sum + time, 0) / best.length };
}

async function load({ name, client, address }: Peer, texts: readonly string[]): Promise<void> {
  await client.query('DROP TABLE IF EXISTS texts');
  const words = "words tsvector GENERATED ALWAYS AS (to_tsvector('english', body)) STORED";
  await client.query(
    `CREATE TABLE texts (id int PRIMARY KEY, body text${name === 'postgres' ? `, ${words}` : ''})`,
  );
  const sql = postgresJs({ ...address, max: 1, onnotice: () => undefined });
  const lines = texts.map((text, id) => `${id}\t${text.replaceAll('\\', '\\\\')}\n`);
  await pipeline(Readable.from(lines), await sql`COPY texts (id, body) FROM STDIN`.writable());
  await sql.end();
  await client.query(`CREATE INDEX ON texts USING ${name === 'postgres' ? 'gin (words)' : 'keyword (body)'}`);
  await client.query('ANALYZE texts');
}

const QUERN: Readonly<Record<Shape, string>> = {
  any: 'match($1, body)',
  all: 'match($1, body, 1.0, true)',
  phrase: 'phrase(body, $1)',
};
const POSTGRES: Readonly<Record<Shape, string>> = {
  any: "to_tsquery('english', replace($1, ' ', ' | '))",
  all: "plainto_tsquery('english', $1)",
  phrase: "phraseto_tsquery('english', $1)",
};

function searchOf(name: Peer['name'], shape: Shape): string {
  return name === 'quern'
    ? `SELECT id FROM texts WHERE ${QUERN[shape]} ORDER BY bm25_score() DESC LIMIT ${K}`
    : `SELECT id FROM texts, ${POSTGRES[shape]} q WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT ${K}`;
}

/** @returns milliseconds. */
async function wireTime({ name, client }: Peer, { shape, queries }: KeywordTask): Promise<number> {
  const text = searchOf(name, shape);
  const time = async (query: string): Promise<number> => {
    const began = performance.now();
    await client.query({ name: `${shape} of texts`, text, values: [query] });
    return performance.now() - began;
  };
  const chosen = queries.slice(0, WIRE_QUERIES);
  const began = performance.now();
  for (let i = 0; i < WARM_QUERIES && (i < chosen.length || performance.now() - began < WARM_MS); i++) {
    await time(chosen[i % chosen.length] as string);
  }
  const times: number[] = [];
  for (const query of chosen) times.push(await time(query));
  return median(times);
}
