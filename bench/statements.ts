/**
 * Effect of one statement on the others: every shape of `large-statements.ts` in its full size, with a
 * neighbour that asks `select 1` all the while, and how soon each ends after its time-out and after a cancel.
 * `--quick`: the sizes of the tests; `--only NAME`: shapes whose name contains it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../scripts/server-process.ts';
import {
  ENDLESS_STATEMENTS,
  LARGE_STATEMENTS,
  type LargeStatement,
} from '../sql-tests/faults/large-statements.ts';
import { ask, Neighbour, signIn, timed } from '../sql-tests/faults/neighbour.ts';
import { options } from './options.ts';

/** A shape that takes longer is ended. */
const TIMEOUT_MS = 60_000;
const STOP_MS = 500;

const { quick, only = '' } = options;
const data = mkdtempSync(join(tmpdir(), 'quern-statements-'));
const sizeOf = (statement: LargeStatement): number => (quick ? statement.quick : statement.full);

const residentMb = (pid: number | undefined): number => {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
};

try {
  await using server = await startServer({ data });
  await using neighbour = await Neighbour.open(server);
  const client = await signIn(server);
  const processId = (await ask(client, 'SELECT pg_backend_pid()')).text ?? '';
  console.log('shape | result | seconds | neighbour ms | of them computed | time-out ms | cancel ms | MB');
  for (const statement of [...LARGE_STATEMENTS, ...ENDLESS_STATEMENTS]) {
    if (!statement.name.includes(only)) continue;
    const size = sizeOf(statement);
    const sql = statement.sql(size);
    const isEndless = ENDLESS_STATEMENTS.includes(statement);
    if (statement.before !== undefined) await ask(client, statement.before(size));
    await ask(client, `SET statement_timeout = ${isEndless ? 2_000 : TIMEOUT_MS}`);
    neighbour.reset();
    const whole = await timed(() => ask(client, sql));
    const waited = [neighbour.longestMs, neighbour.longestBusyMs].map(Math.round);
    const wanted = statement.result?.(size) ?? whole.value.text;
    const told =
      whole.value.text === wanted ? 'right' : (whole.value.code ?? `not ${wanted}: ${whole.value.text}`);
    let stops = ['', ''];
    if (whole.ms > 2 * STOP_MS) {
      await ask(client, `SET statement_timeout = ${STOP_MS}`);
      neighbour.reset();
      const timedOut = await timed(() => ask(client, sql));
      await ask(client, 'SET statement_timeout = 0');
      const cancelled = timed(() => ask(client, sql));
      const timer = setTimeout(() => void neighbour.cancel(processId), STOP_MS);
      const ended = await cancelled;
      clearTimeout(timer);
      stops = [timedOut, ended].map(({ ms, value }) => `${Math.round(ms - STOP_MS)} ${value.code ?? 'ran'}`);
      stops[1] += ` (${Math.round(neighbour.longestBusyMs)})`;
    }
    await ask(client, `SET statement_timeout = 0`);
    if (statement.after !== undefined) await ask(client, statement.after(size));
    const row = [statement.name, told, (whole.ms / 1000).toFixed(2), ...waited, ...stops];
    console.log([...row, residentMb(server.process.pid)].join(' | '));
  }
  client.socket.destroy();
} finally {
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
}
