/**
 * Other engines' sqllogictest suites, from `../shared/data/sql` beside the checkout: every record,
 * of DuckDB's those that PostgreSQL 18 answers as they say, must be answered so by Quern, or stand in
 * `suites/expected-failures.json`, which only shrinks. `suites/update-suites.ts` writes both lists.
 */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openQuern } from './suites/suite-databases.ts';
import {
  isChecked,
  isListed,
  keyOf,
  readExpectedFailures,
  readPostgresDiffers,
  SUITES,
  suiteFiles,
} from './suites/suite-lists.ts';
import { type Outcome, runSuiteFile } from './suites/suite-run.ts';
import { sliced } from './slow-tests.ts';

const differing = readPostgresDiffers();
const failing = readExpectedFailures();
const there = existsSync(SUITES);

const isExpectedToFail = ({ record }: Outcome): boolean =>
  Object.values(failing[record.file] ?? {}).some((ranges) => isListed(record.line, ranges));

/** A record of a loop fails as a whole. */
function described(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.map(({ record, difference }) => `${keyOf(record)} ${difference ?? ''}`))];
}

async function run(file: string): Promise<void> {
  await using database = await openQuern();
  const outcomes = await runSuiteFile({ root: SUITES, file }, () => database.connect());
  const checked = outcomes.filter(({ record }) => isChecked(record, differing));
  const failed = checked.filter(({ difference }) => difference !== null);
  expect(described(failed.filter((outcome) => !isExpectedToFail(outcome)))).toEqual([]);
  const stillFailing = new Set(failed.map(({ record }) => keyOf(record)));
  const passes = checked.filter((one) => isExpectedToFail(one) && !stillFailing.has(keyOf(one.record)));
  expect(described(passes), 'passes now: take it off expected-failures.json').toEqual([]);
}

if (!there) {
  it('finds the suites in ../shared', ({ skip }) => {
    expect(process.env.CI, `${SUITES} is not there`).not.toBe('true');
    skip(`${SUITES} is not there`);
  });
}

describe.skipIf(!there)('suites', () => {
  for (const suite of ['sqlite-slt', 'risinglight', 'duckdb']) {
    it.each(there ? sliced(import.meta, suiteFiles(suite)) : [])('%s', run);
  }
});
