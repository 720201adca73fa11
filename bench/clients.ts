/**
 * Overhead of Quern's clients over their drivers: `query` beside the same statement, `upsert` of documents with vectors
 * beside COPY. Both by turns in one run, so that what else the machine does falls on both. `--quick`: fewer rounds.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../scripts/server-process.ts';
import { connectionEnvironment } from '../sql-tests/clients/program.ts';
import { type TypescriptTimes, typescriptTimes } from './clients/typescript.ts';
import { options } from './options.ts';

const ROOT = join(import.meta.dirname, '..');
const PYTHON = join(ROOT, '.tools/python/bin/python');

interface Measured {
  /** Median seconds: `copy list`, `upsert list`, `copy numpy`, `upsert numpy`. */
  readonly writes: Readonly<Record<string, number>>;
  /** Median milliseconds. */
  readonly queries: Readonly<Record<string, number>>;
}

const data = mkdtempSync(join(tmpdir(), 'quern-bench-clients-'));
try {
  await using server = await startServer({ data: join(data, 'data') });
  const run = spawnSync(PYTHON, [join(import.meta.dirname, 'clients/python.py'), options.quick ? '1' : '5'], {
    env: { ...process.env, ...connectionEnvironment(server), PYTHONPATH: join(ROOT, 'src/clients/python') },
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  report(JSON.parse(run.stdout) as Measured);
  reportTypescript(await typescriptTimes(server, options.quick ? 1 : 5));
} finally {
  rmSync(data, { recursive: true, force: true });
}

function report({ writes, queries }: Measured): void {
  const of = (times: Readonly<Record<string, number>>, name: string): number => times[name] ?? Number.NaN;
  console.log('Python, 10,000 documents of 384 floats: COPY s | upsert s | COPY / upsert (0.7 wanted)');
  for (const kind of ['list', 'numpy']) {
    const [copy, upsert] = [of(writes, `copy ${kind}`), of(writes, `upsert ${kind}`)];
    console.log(`${kind} | ${copy.toFixed(2)} | ${upsert.toFixed(2)} | ${(copy / upsert).toFixed(2)}`);
  }
  console.log('Python, one row by a condition: driver ms | client ms | client adds (0.3 wanted)');
  for (const kind of ['client', 'build and query']) {
    const [driver, client] = [of(queries, 'driver'), of(queries, kind)];
    console.log(`${kind} | ${driver.toFixed(3)} | ${client.toFixed(3)} | ${(client - driver).toFixed(3)}`);
  }
  console.log(`a query of a vector of 384 compiles in ${of(queries, 'vector compiled').toFixed(3)} ms`);
}

function reportTypescript({ copy, upsert, driver, client }: TypescriptTimes): void {
  console.log('TypeScript, 10,000 documents of 384 floats: COPY s | upsert s | COPY / upsert (0.7 wanted)');
  console.log(`numbers | ${copy.toFixed(2)} | ${upsert.toFixed(2)} | ${(copy / upsert).toFixed(2)}`);
  console.log('TypeScript, one row by a condition: driver ms | client ms | client adds (0.1 wanted)');
  console.log(`${driver.toFixed(3)} | ${client.toFixed(3)} | ${(client - driver).toFixed(3)}`);
}
