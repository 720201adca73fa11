/**
 * `./scripts/test` after set-up: types, lint, dead code, then every test file. Its last line is
 * `N passed, N failed`; the exit code is 0 only when nothing failed (under CI=true also: nothing skipped).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['types', ['tsc', '-p', 'tsconfig.json']],
  ['lint', ['biome', 'check', '--config-path=scripts/lint.json', '--error-on-warnings']],
  ['dead code', ['knip', '--config', 'scripts/knip.json']],
];

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

const root = join(import.meta.dirname, '..');
const binary = (name: string) => join(root, 'node_modules/.bin', name);
let passed = 0;
let failed = 0;
let skipped = 0;

for (const [name, [command, ...args]] of CHECKS) {
  const run = spawnSync(binary(command as string), args, { cwd: root, stdio: 'inherit' });
  process.stdout.write(`${run.status === 0 ? 'ok' : 'FAILED'}: ${name}\n`);
  if (run.status === 0) passed++;
  else failed++;
}

const report = join(mkdtempSync(join(tmpdir(), 'quern-tests-')), 'report.json');
const args = ['run', '--config', 'scripts/vitest.config.ts', '--reporter=default', '--reporter=json'];
const run = spawnSync(binary('vitest'), [...args, `--outputFile=${report}`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
try {
  const counts = JSON.parse(readFileSync(report, 'utf8')) as Report;
  passed += counts.numPassedTests;
  failed += counts.numFailedTests;
  skipped = counts.numPendingTests;
} catch {
  process.stdout.write('FAILED: the test runner left no report\n');
}
// A file that cannot even load has no tests to count: the runner's exit code tells.
if (run.status !== 0 && failed === 0) failed++;
if (skipped > 0)
  process.stdout.write(`${skipped} skipped; missing: ${process.env.QUERN_TEST_MISSING ?? ''}\n`);
if (skipped > 0 && process.env.CI === 'true') failed += skipped;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
