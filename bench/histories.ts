/**
 * Histories of 8 clients at every isolation level, a minute each, that have none of the anomalies which the level
 * forbids, and write skew where it is not forbidden; then what SERIALIZABLE costs at 1,000 keys. `--quick`: a tenth.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../scripts/server-process.ts';
import { findAnomalies, forbidden } from '../sql-tests/histories/anomalies.ts';
import type { Level } from '../sql-tests/histories/history.ts';
import { record, type Recording, type Shape, type Workload } from '../sql-tests/histories/workload.ts';
import { options } from './options.ts';
import { median, report } from './statistics.ts';

const SHAPES: readonly Shape[] = ['array', 'rows', 'scans'];
const LEVELS: readonly Level[] = ['read committed', 'repeatable read', 'serializable'];
const LEVEL_MS = options.quick ? 6_000 : 60_000;
const KEYS_OF_RATES = 1_000;
const ROUNDS = 5;
const ROUND_MS = options.quick ? 1_000 : 6_000;

const folder = mkdtempSync(join(tmpdir(), 'quern-bench-'));
const server = await startServer({ data: join(folder, 'data') });
try {
  for (const level of LEVELS) await anomaliesOf(level);
  for (const shape of SHAPES) await costOf(shape);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function recorded(level: Level, workload: Partial<Workload>): Promise<Recording> {
  const { host, port, key } = server;
  const address = { host, port, user: 'quern', database: 'quern', password: key };
  return record(address, {
    shape: 'array',
    levels: [level],
    clients: 8,
    durationMs: LEVEL_MS / SHAPES.length,
    keys: 10,
    stepsMax: 4,
    seed: 1,
    appendsPerKey: 32,
    ...workload,
  });
}

async function anomaliesOf(level: Level): Promise<void> {
  for (const shape of SHAPES) {
    const { history, committed, failed, seconds } = await recorded(level, { shape });
    const found = findAnomalies(history, { final: true });
    const wrong = Object.values(forbidden(level, found)).reduce((sum, count) => sum + count, 0);
    const seen = Object.entries(found).filter(([, count]) => count > 0);
    report(`${level}, ${shape}: anomalies it forbids`, wrong, {
      bar: '0',
      committed: `${committed} (${(committed / seconds).toFixed(0)}/s)`,
      retried: `${failed}`,
      found: seen.map(([name, count]) => `${name} ${count}`).join(', ') || 'none',
    });
    if (wrong > 0) process.exitCode = 1;
  }
}

/** Rounds in turn. */
async function costOf(shape: Shape): Promise<void> {
  const ratios: number[] = [];
  const rates = new Map<Level, number[]>();
  const retries = new Map<Level, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const level of ['repeatable read', 'serializable'] as const) {
      const workload = { shape, keys: KEYS_OF_RATES, durationMs: ROUND_MS, seed: round };
      const { committed, failed, seconds } = await recorded(level, workload);
      rates.set(level, [...(rates.get(level) ?? []), committed / seconds]);
      retries.set(level, (retries.get(level) ?? 0) + failed / (committed + failed) / ROUNDS);
    }
    ratios.push((rates.get('serializable')?.at(-1) ?? 0) / (rates.get('repeatable read')?.at(-1) ?? 1));
  }
  const facts = (level: Level): string =>
    `${median(rates.get(level) ?? []).toFixed(0)}/s, ${(100 * (retries.get(level) ?? 0)).toFixed(1)} % retried`;
  report(`${shape}, ${KEYS_OF_RATES} keys: commits, serializable / repeatable read`, median(ratios), {
    bar: '>= 0.5',
    serializable: facts('serializable'),
    'repeatable read': facts('repeatable read'),
  });
}
