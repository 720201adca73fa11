/** Simulations in processes of their own, as their sources are loaded with gates (`hook.ts`). */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Report {
  readonly runs: number;
  /** Continuations that were let through. */
  readonly steps: number;
  readonly violations: number;
  /** A line for each violation: its seed, what was broken, and the last places before it. */
  readonly lines: readonly string[];
}

const OUTPUT_BYTES_MAX = 2 ** 28;

/** @param request.of of the engine, where it does not say. @param request.fault planted; then the first violation is the last. */
export async function runSimulations(request: {
  readonly of?: 'queue';
  readonly from: number;
  readonly count: number;
  readonly fault?: string;
  readonly trace?: boolean;
}): Promise<Report> {
  const { of = 'engine', from, count, fault, trace } = request;
  const main = join(import.meta.dirname, 'main.ts');
  const words = ['--no-warnings', main, '--of', of, '--from', `${from}`, '--count', `${count}`];
  if (fault !== undefined) words.push('--fault', fault);
  if (trace === true) words.push('--trace');
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: OUTPUT_BYTES_MAX });
  const lines = stdout.trimEnd().split('\n');
  return { ...JSON.parse(lines.pop() ?? '{}'), lines };
}

/** At most so many at a time. */
export async function inTurns<T, R>(
  list: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = list.entries();
  const one = async (): Promise<void> => {
    for (const [i, item] of waiting) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, one));
  return results;
}
