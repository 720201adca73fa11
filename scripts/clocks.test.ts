/**
 * Tests are right on a busy machine: none holds what a clock says against an upper limit, and none has a timeout of
 * its own. Processor time and steps are in `sql-tests/faults/turn-watch.ts`, the one bound for what hangs in
 * `scripts/vitest.config.ts`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const TESTS = globSync('{src,scripts,sql-tests}/**/*.test.ts', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}));

/** To what it is done with. */
const MAY_MEASURE: Readonly<Record<string, string>> = {
  'sql-tests/faults/kill.test.ts': 'printed',
};

const placesOf = (pattern: RegExp): string[] =>
  TESTS.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
  );

it('measure time by the clock only where it must be long', () => {
  const measured = placesOf(/\b(?:performance|Date)\.now\(\) - (?!.*\.toBeGreaterThan)[a-z]/g);
  const wrong = measured.filter((place) => !((place.split(':')[0] as string) in MAY_MEASURE));
  expect(wrong, 'use threadMs, processMs or mainThreadMs, or count steps').toEqual([]);
});

it('have no timeouts of their own', () => {
  const wrong = [
    ...placesOf(/^ *\}, \d+_[\d_]+\);$/gm),
    ...placesOf(/^ *\},\n *\d+_[\d_]+,\n *\);$/gm),
    ...placesOf(/\b(?:test|hook)?[tT]imeout: [\d_]+(?: \}, (?:async|\()|, interval| \}\)\.to)/g),
  ];
  expect(wrong, 'leave it out: scripts/vitest.config.ts has one for all').toEqual([]);
});
