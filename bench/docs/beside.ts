/** Another client's `select 1` beside what is measured: what everybody else has of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ServerProcess } from '../../scripts/server-process.ts';

const PAUSE_MS = 10;

/** @returns what `work` gave, and the waits of the other client in ms, ascending. */
export async function beside<T>(
  { host, port, key }: ServerProcess,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly waitsMs: readonly number[] }> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  const waitsMs: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const began = performance.now();
      await client.query('SELECT 1');
      waitsMs.push(performance.now() - began);
      await sleep(PAUSE_MS);
    }
  })();
  try {
    return { value: await work(), waitsMs: waitsMs.sort((a, b) => a - b) };
  } finally {
    isOver = true;
    await asking;
    await client.end();
  }
}

/** `p50 1.0, p99 2.0, at most 3.0 ms` */
export function waits(ascendingMs: readonly number[]): string {
  const at = (share: number): string =>
    (ascendingMs[Math.min(ascendingMs.length - 1, Math.floor(share * ascendingMs.length))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} ms`;
}
