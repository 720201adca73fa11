/** Fails a quick test file that takes too much processor time, of its own and of what it started and waited for. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

const SECONDS_MAX = 5;
const TICKS_A_SECOND = 100;

/** Processor time of this process with its threads, and of its children that have ended. */
function spentSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

let before: number;
beforeAll(() => {
  before = spentSeconds();
});

afterAll(() => {
  const seconds = spentSeconds() - before;
  if (process.env.QUERN_TEST_TIMES)
    process.stderr.write(`TIME ${seconds.toFixed(2)} ${expect.getState().testPath}\n`);
  expect(
    seconds,
    'seconds of processor time: make the file faster, or name it in sql-tests/slow-tests.ts',
  ).toBeLessThan(SECONDS_MAX);
});
