/**
 * PostgreSQL's own regression tests, from `../shared/data/sql` beside the checkout: no statement of them, of psql's
 * own included, is answered by an internal error. All of them begin with what `test_setup.sql` makes.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { postgresPrograms } from '../scripts/postgres.ts';
import { MemoryStore } from '../src/storage/memory-store.ts';
import { regressFiles, runRegressFile, SETUP } from './regress/regress-file.ts';
import { startInProcess } from './runner/in-process.ts';
import { sliced } from './slow-tests.ts';

const INTERNAL = /^.*ERROR: {2}XX000.*$/gm;
const files = postgresPrograms() === undefined ? [] : regressFiles();

/** Statement and message of each internal error; psql shows a statement before its error. */
function internalErrors(printed: string): string[] {
  return [...printed.matchAll(INTERNAL)].map((found) => {
    const before = printed.slice(0, found.index).trimEnd();
    return `${before.slice(-300)}\n${found[0]}`;
  });
}

describe.skipIf(files.length === 0)("PostgreSQL's regression tests", () => {
  const made = new MemoryStore();
  const masterKey = new Uint8Array(32).fill(7);

  beforeAll(async () => {
    await using server = await startInProcess('memory', undefined, [], { store: made, masterKey });
    expect(internalErrors(await runRegressFile(SETUP, server.address))).toEqual([]);
  });

  it.each(files.length === 0 ? [] : sliced(import.meta, files))('%s', async (file) => {
    const store = new MemoryStore(made.image());
    await using server = await startInProcess('memory', undefined, [], { store, masterKey });
    expect(internalErrors(await runRegressFile(file, server.address))).toEqual([]);
  });
});
