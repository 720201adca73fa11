/**
 * PostgreSQL's own pgbench against Quern and PostgreSQL 18, in turns: rates, and processor time of the server a
 * statement, all of its threads or processes (/proc). Sums of balances have to be exact. `--quick`: scale 1 and
 * short rounds; `--only NAME`: the measurements whose name contains it.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresPrograms } from '../scripts/postgres.ts';
import { options } from './options.ts';
import { type Peer, startPeers } from './peers.ts';
import { median, report } from './statistics.ts';

const { quick, only = '' } = options;
const SCALE = quick ? 1 : 10;
const SECONDS = quick ? 2 : 5;
const ROUNDS = quick ? 3 : 5;
const FILLS = quick ? 1 : 3;
/** Linux counts processor time in these, for every program (USER_HZ). */
const TICK_MS = 10;

interface Measurement {
  readonly name: string;
  readonly bar: string;
  readonly arguments: readonly string[];
  /** Statements of a transaction. */
  readonly statements: number;
}

interface Round {
  readonly rate: number;
  readonly milliseconds: number;
}

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'quern-pgbench-'));
const selectOne = join(folder, 'select-one.sql');
writeFileSync(selectOne, 'select 1;\n');

const MEASUREMENTS: readonly Measurement[] = [
  { name: 'select 1', bar: '>= 1.0', arguments: ['-f', selectOne], statements: 1 },
  { name: 'point query prepared', bar: '>= 1.0', arguments: ['-S', '-M', 'prepared'], statements: 1 },
  { name: 'point query as text', bar: '>= .9', arguments: ['-S'], statements: 1 },
  { name: 'tpcb-like, 1 client', bar: '>= .5', arguments: ['-b', 'tpcb-like'], statements: 7 },
  { name: 'tpcb-like, 8 clients', bar: '>= .35', arguments: ['-b', 'tpcb-like', '-c', '8'], statements: 7 },
];

/** @returns what it printed. @throws Error with its words when a transaction fails. */
async function pgbench({ address }: Peer, words: readonly string[]): Promise<string> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: run ./scripts/test once');
  const { host, port, user, database, password = '' } = address;
  const place = ['-h', host, '-p', String(port), '-U', user];
  const env = { ...process.env, PGPASSWORD: password };
  const { stdout } = await run(join(programs, 'pgbench'), [...place, ...words, database], { env });
  return stdout;
}

interface Process {
  readonly id: number;
  readonly parent: number;
  /** Its own, and that of children that have ended. */
  readonly milliseconds: number;
}

function processes(): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
      found.push({ id: Number(name), parent: fields[1] ?? 0, milliseconds: ticks * TICK_MS });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Processor time of a server so far. */
function processorTime(root: number): number {
  const all = processes();
  const isOurs = ({ id, parent }: Process): boolean => id === root || parent === root;
  return all.filter(isOurs).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}

type Server = readonly [Peer, number];

async function oneRound([peer, root]: Server, { arguments: words }: Measurement): Promise<Round> {
  const before = processorTime(root);
  const text = await pgbench(peer, ['-n', '-T', String(SECONDS), ...words]);
  const used = processorTime(root) - before;
  const count = Number(/actually processed: (\d+)/.exec(text)?.[1]);
  const rate = Number(/^tps = ([\d.]+)/m.exec(text)?.[1]);
  if (!/failed transactions: 0 /.test(text)) throw new Error(`${peer.name}: ${text}`);
  return { rate, milliseconds: used / count };
}

async function measure(measurement: Measurement, servers: readonly Server[]): Promise<void> {
  const rounds = new Map(servers.map(([{ name }]) => [name, [] as Round[]]));
  for (const server of servers) await oneRound(server, measurement);
  for (let i = 0; i < ROUNDS; i++) {
    for (const server of i % 2 === 0 ? servers : servers.toReversed()) {
      rounds.get(server[0].name)?.push(await oneRound(server, measurement));
    }
  }
  const { name, bar, statements } = measurement;
  const of = (peer: Peer['name'], field: keyof Round): number =>
    median((rounds.get(peer) ?? []).map((round) => round[field]));
  const shown = (peer: Peer['name']): string => {
    const time = of(peer, 'milliseconds');
    const each = statements === 1 ? '' : `, ${((1000 * time) / statements).toFixed(0)} µs a statement`;
    return `${of(peer, 'rate').toFixed(0)}/s, ${(1000 * time).toFixed(0)} µs of processor${each}`;
  };
  const ratio = of('quern', 'rate') / of('postgres', 'rate');
  report(name, ratio, { bar, quern: shown('quern'), postgres: shown('postgres') });
}

/** Tables filled anew: seconds of each, and of their VACUUM. */
async function fill(servers: readonly Server[]): Promise<void> {
  const took = new Map(servers.map(([{ name }]) => [name, [] as number[]]));
  const used = new Map(servers.map(([{ name }]) => [name, [] as number[]]));
  for (let i = 0; i < FILLS; i++) {
    for (const [peer, root] of i % 2 === 0 ? servers : servers.toReversed()) {
      const before = processorTime(root);
      const began = performance.now();
      await pgbench(peer, ['-i', '-q', '-s', String(SCALE)]);
      took.get(peer.name)?.push((performance.now() - began) / 1000);
      used.get(peer.name)?.push((processorTime(root) - before) / 1000);
    }
  }
  const seconds = (peer: Peer['name']): number => median(took.get(peer) ?? []);
  const shown = (peer: Peer['name']): string =>
    `${seconds(peer).toFixed(1)} s, ${median(used.get(peer) ?? []).toFixed(1)} s of processor`;
  const ratio = seconds('quern') / seconds('postgres');
  report(`-i -s ${SCALE}, time`, ratio, { bar: '<= 2', quern: shown('quern'), postgres: shown('postgres') });
}

/** @throws Error when money was made or lost. */
async function checkBalances([{ name, client }]: Server): Promise<void> {
  const { rows } =
    await client.query(`SELECT (SELECT coalesce(sum(delta), 0) FROM pgbench_history)::text AS history,
    (SELECT sum(abalance) FROM pgbench_accounts)::text AS accounts,
    (SELECT sum(tbalance) FROM pgbench_tellers)::text AS tellers,
    (SELECT sum(bbalance) FROM pgbench_branches)::text AS branches`);
  const sums = new Set(Object.values(rows[0] as Record<string, string>));
  if (sums.size !== 1) throw new Error(`${name}: sums of balances differ: ${JSON.stringify(rows[0])}`);
  process.stdout.write(`(${name}: all sums of balances are ${[...sums].join()})\n`);
}

try {
  await using peers = await startPeers({});
  const servers: readonly Server[] = [
    [peers.quern, peers.server.process.pid ?? 0],
    [peers.postgres, peers.postgresProcess],
  ];
  await fill(servers);
  for (const measurement of MEASUREMENTS) {
    if (measurement.name.includes(only)) await measure(measurement, servers);
  }
  for (const server of servers) await checkBalances(server);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
