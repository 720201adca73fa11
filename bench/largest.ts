/**
 * Every function, operator, cast and aggregate with the largest arguments of their types: how long the thread that
 * all clients share computes without a turn for others, in processor time, and how soon each call ends after its
 * time-out. Prints what takes long. `--quick`: arguments of 2 MB instead of 64; `--only NAME`: calls whose name has it.
 */
import { TestDatabase } from '../sql-tests/fixtures/database.ts';
import { SqlError } from '../src/errors.ts';
import { largestCalls } from '../sql-tests/faults/largest-calls.ts';
import { TurnWatch } from '../sql-tests/faults/turn-watch.ts';
import { options } from './options.ts';

const BYTES = options.quick ? 2_000_000 : 64_000_000;
const TIMEOUT_MS = options.quick ? 500 : 1_000;
/** Bounds of what is printed: longer turns, and ends later than this after the time-out. */
const TURN_MS = 100;
const LATE_MS = 1_000;

const { only = '' } = options;
const database = await TestDatabase.open();
const session = await database.session();
await session.rows(`SET statement_timeout = ${TIMEOUT_MS}`);
using watch = new TurnWatch();
const turns: number[] = [];
let internal = 0;
for (const { name, sql } of largestCalls(BYTES, options.quick ? 1 : undefined)) {
  if (!name.includes(only)) continue;
  watch.take();
  const start = performance.now();
  const code = await session.rows(sql).then(
    () => 'ok',
    (error: unknown) => (error instanceof SqlError ? error.sqlstate : String(error)),
  );
  const tookMs = performance.now() - start;
  const turnMs = watch.take();
  turns.push(turnMs);
  const isInternal = !/^(?:ok|[0-9A-Z]{5})$/.test(code) || code === 'XX000';
  if (isInternal) internal++;
  if (turnMs > TURN_MS || tookMs > TIMEOUT_MS + LATE_MS || isInternal || only !== '') {
    console.log(`${turnMs.toFixed(0)} ms without a turn, ${tookMs.toFixed(0)} ms in all, ${code}: ${name}`);
  }
}
turns.sort((a, b) => b - a);
const { rss } = process.memoryUsage();
console.log(
  `${turns.length} calls; the longest turns: ${turns.slice(0, 10).map((turn) => turn.toFixed(0))} ms`,
);
console.log(`${internal} internal errors; ${(rss / 1024 ** 2).toFixed(0)} MB at the end`);
await database.close();
database.environment.helpers.close();
process.exit();
