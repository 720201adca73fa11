/**
 * Statements that are more than `work_mem`: a sort, a grouping and a join, in memory and in temporary files in turns; time,
 * processor time and memory of the server, what a neighbour waits for `select 1`, and how soon a cancel ends them.
 * `--quick`: a tenth of the rows; `--only NAME`: the measurements whose name contains it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ServerProcess, startServer } from '../scripts/server-process.ts';
import { ask, mainThreadMs, signIn, timed } from '../sql-tests/faults/neighbour.ts';
import type { RawClient } from '../sql-tests/faults/raw-client.ts';
import { options } from './options.ts';
import { median, percentile, report } from './statistics.ts';

const { quick, only = '' } = options;
const SCALE = quick ? 0.1 : 1;
const ROWS = 5_000_000 * SCALE;
const KEYS = 1_000_000 * SCALE;
const ROUNDS = quick ? 1 : 3;
/** In memory, and past it. */
const ROOM = '2GB';
const SMALL = quick ? '6MB' : '64MB';
const PAUSE_MS = 5;
const CANCEL_AFTER_MS = quick ? 300 : 1_500;

interface Measurement {
  readonly name: string;
  readonly sql: string;
  readonly result: string;
}

/** Each key as often as any other, in no order. */
const MEASUREMENTS: readonly Measurement[] = [
  {
    name: 'sort',
    sql: `SELECT id FROM facts ORDER BY shuffled, id OFFSET ${ROWS - 1}`,
    result: '',
  },
  {
    name: 'group',
    sql: "SELECT count(*) || ' ' || sum(n) || ' ' || sum(s) FROM (SELECT k, count(*) n, sum(id) s, max(v) FROM facts GROUP BY k)",
    result: `${KEYS} ${ROWS} ${(ROWS * (ROWS + 1)) / 2}`,
  },
  {
    name: 'join',
    sql: "SELECT count(*) || ' ' || sum(f.id) FROM facts f JOIN keys ON f.k = keys.k WHERE length(keys.t) > 0",
    result: `${ROWS} ${(ROWS * (ROWS + 1)) / 2}`,
  },
];

interface Round {
  readonly ms: number;
  readonly processorMs: number;
  /** Resident memory at most, above what it was before. */
  readonly moreMb: number;
  readonly waits: readonly number[];
}

const data = mkdtempSync(join(tmpdir(), 'quern-spill-bench-'));

function residentMb({ process }: ServerProcess): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** All threads together. */
function processorMs({ process }: ServerProcess): number {
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Processor time of the main thread before each answer to `select 1`, as long as `isOver` is false. */
async function neighbourWaits(server: ServerProcess, isOver: () => boolean): Promise<number[]> {
  const client = await signIn(server);
  const waits: number[] = [];
  while (!isOver()) {
    const before = mainThreadMs(server);
    await ask(client, 'select 1');
    waits.push(mainThreadMs(server) - before);
    await setTimeout(PAUSE_MS);
  }
  client.socket.destroy();
  return waits;
}

async function oneRound(
  server: ServerProcess,
  client: RawClient,
  { sql, result, name }: Measurement,
): Promise<Round> {
  await setTimeout(1_000);
  const [before, usedBefore] = [residentMb(server), processorMs(server)];
  let [peak, isOver] = [before, false];
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(server));
  }, PAUSE_MS);
  const waiting = neighbourWaits(server, () => isOver);
  const { ms, value } = await timed(() => ask(client, sql));
  isOver = true;
  clearInterval(watch);
  if (value.code !== null) throw new Error(`${name}: ${value.code} ${value.message}`);
  if (result !== '' && value.text !== result) throw new Error(`${name}: ${value.text}, not ${result}`);
  const used = processorMs(server) - usedBefore;
  return { ms, processorMs: used, moreMb: peak - before, waits: await waiting };
}

/** Milliseconds from a cancel to the statement's end. */
async function cancelMs(server: ServerProcess, client: RawClient, { sql }: Measurement): Promise<number> {
  const processId = (await ask(client, 'SELECT pg_backend_pid()')).text ?? '';
  const canceller = await signIn(server);
  let began = 0;
  const cancelling = setTimeout(CANCEL_AFTER_MS).then(() => {
    began = performance.now();
    return ask(canceller, `SELECT pg_cancel_backend(${processId})`);
  });
  const { code } = await ask(client, sql);
  const ms = code === '57014' ? performance.now() - began : Number.NaN;
  await cancelling;
  canceller.socket.destroy();
  return ms;
}

async function measure(server: ServerProcess, client: RawClient, measurement: Measurement): Promise<void> {
  const rounds = new Map<string, Round[]>([
    [ROOM, []],
    [SMALL, []],
  ]);
  for (let i = 0; i < ROUNDS; i++) {
    for (const memory of i % 2 === 0 ? [ROOM, SMALL] : [SMALL, ROOM]) {
      await ask(client, `SET work_mem = '${memory}'`);
      rounds.get(memory)?.push(await oneRound(server, client, measurement));
    }
  }
  const of = (memory: string, field: 'ms' | 'processorMs' | 'moreMb'): number =>
    median((rounds.get(memory) ?? []).map((round) => round[field]));
  const shown = (memory: string): string => {
    const waits = (rounds.get(memory) ?? []).flatMap((round) => round.waits);
    const neighbour = [0.5, 0.99, 1].map((share) => percentile(waits, share).toFixed(1)).join(', ');
    const times = `${(of(memory, 'ms') / 1000).toFixed(1)} s, ${(of(memory, 'processorMs') / 1000).toFixed(1)} s of processor`;
    return `${times}, ${of(memory, 'moreMb').toFixed(0)} MB more, neighbour p50, p99, most ${neighbour} ms`;
  };
  await ask(client, `SET work_mem = '${SMALL}'`);
  const explained = await plan(client, measurement);
  const facts = { bar: '<= 3', 'in memory': shown(ROOM), 'past it': shown(SMALL), explained };
  report(`${measurement.name}, time past memory`, of(SMALL, 'ms') / of(ROOM, 'ms'), facts);
  const cancelled = await cancelMs(server, client, measurement);
  report(`${measurement.name}, ms to its end after a cancel`, cancelled, { bar: '<= 100' });
}

/** Temporary files, as EXPLAIN ANALYZE tells of them. */
async function plan(client: RawClient, { sql }: Measurement): Promise<string> {
  client.query(`EXPLAIN (ANALYZE, COSTS OFF) ${sql}`);
  const lines = (await client.until('Z'))
    .filter(({ type }) => type === 'D')
    .map(({ body }) => body.toString('utf8', 6));
  return lines
    .filter((line) => /Disk/.test(line))
    .map((line) => line.trim())
    .join(' / ');
}

try {
  await using server = await startServer({ data, flags: ['--memory', '8GB'] });
  const client = await signIn(server);
  await ask(client, 'CREATE TABLE facts (id int8, k int4, v float8, shuffled int8)');
  await ask(client, 'CREATE TABLE keys (k int4, t text)');
  for (let from = 1; from <= ROWS; from += 250_000) {
    const to = Math.min(from + 249_999, ROWS);
    await ask(
      client,
      `INSERT INTO facts SELECT i, (i * 7919::int8) % ${KEYS}, i / 3.0, (i * 104729::int8) % 15485863 FROM generate_series(${from}, ${to}) i`,
    );
  }
  await ask(client, `INSERT INTO keys SELECT i, 'key number ' || i FROM generate_series(0, ${KEYS - 1}) i`);
  await ask(client, 'VACUUM');
  for (const measurement of MEASUREMENTS) {
    if (measurement.name.includes(only)) await measure(server, client, measurement);
  }
  client.socket.destroy();
} finally {
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
}
