/** Processes from which nothing comes: by their own processor time, and by the clock where they only wait. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { patienceFor } from './parser.ts';
import { ProgressWatch } from './progress-watch.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(script: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  started.push(child);
  return child;
}

const untilLate = (child: ChildProcess, busyMs: number, waitMs: number): Promise<void> =>
  new Promise((resolve) => new ProgressWatch(child.pid, { busyMs, waitMs }, resolve));

it('ends one that computes, by what it computed', async () => {
  await untilLate(run('for (;;);'), 300, 120_000);
});

it('ends one that waits by the clock, and not before', async () => {
  const waiting = run('setInterval(() => {}, 1000)');
  const early = untilLate(waiting, 2_000, 120_000);
  const isEarly = await Promise.race([early.then(() => true), sleep(3_000, false)]);
  expect(isEarly).toBe(false);
  await untilLate(waiting, 100, 500);
});

it('begins anew with each sign of progress', async () => {
  let isLate = false;
  using watch = new ProgressWatch(run('for (;;);').pid, { busyMs: 1_500, waitMs: 120_000 }, () => {
    isLate = true;
  });
  for (let i = 0; i < 15; i++) {
    await sleep(200);
    watch.heard();
  }
  expect(isLate).toBe(false);
});

it('is as patient as a file is large', () => {
  expect(patienceFor(0)).toEqual({ busyMs: 60_000, waitMs: 600_000 });
  expect(patienceFor(80 * 1024 ** 2)).toEqual({ busyMs: 300_000, waitMs: 3_000_000 });
});
