/**
 * Test runner settings: every `*.test.ts` under src, scripts and sql-tests. Quick files share two processes; each of
 * the others (`sql-tests/slow-tests.ts`) has a process of its own.
 */
import { defineConfig } from 'vitest/config';
import { filesLeftOut, SLOW_FILES } from '../sql-tests/slow-tests.ts';

/** A bound for what hangs; what works is bounded by nothing but the machine, which may be very busy. */
const HANGS_MS_MIN = 600_000;
const FILES = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'sql-tests/**/*.test.ts'];
const ROOT = new URL('..', import.meta.url).pathname;

export default defineConfig({
  test: {
    root: ROOT,
    globalSetup: [`${ROOT}scripts/python-client.ts`],
    setupFiles: [`${ROOT}scripts/property-seed.ts`],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: HANGS_MS_MIN,
    hookTimeout: HANGS_MS_MIN,
    expect: { poll: { timeout: HANGS_MS_MIN } },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: FILES,
          exclude: [...SLOW_FILES],
          isolate: false,
          setupFiles: [`${ROOT}scripts/property-seed.ts`, `${ROOT}scripts/quick-files.ts`],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [...SLOW_FILES].map((pattern) => pattern.replace(/\*\*$/, '**/*.test.ts')),
          exclude: [...filesLeftOut()],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
