/**
 * Two ways to ask the same, in turns: each round asks both, in an order that changes. Told in processor time of the process
 * that answers (its main thread), which other programs on the machine disturb less than the time that goes by.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { median, report } from '../statistics.ts';

export interface Way {
  readonly client: { query(what: string | pg.QueryConfig): Promise<unknown> };
  /** Process whose main thread answers. */
  readonly process: number;
  readonly query: (n: number) => string | pg.QueryConfig;
}

export interface Pairs {
  readonly bar: string;
  readonly queries: number;
  readonly rounds?: number;
}

const ROUNDS = 20;

/** Processor time of a process's main thread so far, in µs. */
export const spent = (process: number): number =>
  Number(readFileSync(`/proc/${process}/task/${process}/schedstat`, 'utf8').split(' ')[0]) / 1000;

/** µs a query, as it goes by and of processor time. */
async function ask({ client, process, query }: Way, from: number, count: number) {
  const [before, began] = [spent(process), performance.now()];
  for (let n = 0; n < count; n++) await client.query(query(from + n));
  return {
    processor: (spent(process) - before) / count,
    elapsed: (1000 * (performance.now() - began)) / count,
  };
}

/** Prints the second's processor time over the first's; beside it the first over itself. */
export async function comparePairs(
  what: string,
  [first, second]: readonly [Way, Way],
  { bar, queries, rounds = ROUNDS }: Pairs,
): Promise<void> {
  for (const way of [first, second, first, second]) await ask(way, 0, 4 * queries);
  const times = { first: [], again: [], second: [] } as Record<'first' | 'again' | 'second', number[]>;
  const elapsed = { first: [] as number[], second: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const turns: ('first' | 'again' | 'second')[] = ['first', 'second', 'again'];
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
      const took = await ask(turn === 'second' ? second : first, round * queries, queries);
      times[turn].push(took.processor);
      if (turn !== 'again') elapsed[turn].push(took.elapsed);
    }
  }
  const ratios = (some: readonly number[]): number[] =>
    some.map((time, i) => time / (times.first[i] as number));
  report(what, median(ratios(times.second)), {
    bar,
    'A/A': median(ratios(times.again)).toFixed(3),
    without: `${median(times.first).toFixed(1)} µs`,
    with: `${median(times.second).toFixed(1)} µs`,
    elapsed: `${(median(elapsed.second) / median(elapsed.first)).toFixed(3)}`,
  });
}
