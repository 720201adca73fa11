/**
 * `./scripts/test` and `npm run quick` after set-up: types, lint, dead code, then the test files. Slow files run in
 * slices (`sql-tests/slow-tests.ts`) that the commit chooses, unless everything is asked for:
 *
 *     run-tests.ts [--quick | --whole | --seed NUMBER] [arguments of vitest]
 *
 * Its last line is `N passed, N failed`; the exit code is 0 only when nothing failed (under CI=true also: nothing
 * skipped).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { filesLeftOut, type Slice } from '../sql-tests/slow-tests.ts';

const CHECKS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['types', ['tsc', '-p', 'tsconfig.json']],
  ['types of the console', ['tsc', '-p', 'src/clients/console/tsconfig.json']],
  ['lint', ['biome', 'check', '--config-path=scripts/lint.json', '--error-on-warnings']],
  ['dead code', ['knip', '--config', 'scripts/knip.json']],
];
const QUICK_CHECKS = ['types', 'types of the console', 'lint'];
const CONFIG = ['--config', 'scripts/vitest.config.ts'];

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'quern-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const run = (command: readonly string[]): number | null => {
  const [name, ...args] = command;
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
  return spawnSync(name as string, args, { cwd: root, stdio: 'inherit', env }).status;
};

/**
 * A number of the commit's tree, so that who tests one tree runs the same slices and the same properties, whatever the
 * commit that carries it is called; of the day where there is none.
 */
function seedOfTree(): number {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout.slice(0, 6), 16) : Math.floor(Date.now() / 86_400_000);
}

const { values, positionals, tokens } = parseArgs({
  options: { quick: { type: 'boolean' }, whole: { type: 'boolean' }, seed: { type: 'string' } },
  strict: false,
  tokens: true,
});
const own = ['quick', 'whole', 'seed'];
const others = tokens.flatMap((token) => {
  if (token.kind === 'positional') return [token.value];
  if (token.kind !== 'option' || own.includes(token.name)) return [];
  return [token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`];
});

/** Files that are named run whole, unless a seed is named too. */
function chooseSlices(): void {
  const isWhole = values.quick === true || values.whole === true || positionals.length > 0;
  const given = values.seed ?? process.env.QUERN_TEST_SEED;
  if (given === undefined && isWhole) return;
  const seed = given === undefined ? seedOfTree() : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0) {
    say('--seed wants a whole number, 0 or more');
    process.exit(2);
  }
  process.env.QUERN_TEST_SEED = String(seed);
  process.env.QUERN_TEST_SLICES = join(folder, 'slices');
  say(`slow files run in slices: \`./scripts/test --seed ${seed}\` runs the same, --whole everything`);
}

/** How many tests there are in files that did not run. */
function countTests(files: readonly string[]): number {
  if (files.length === 0) return 0;
  const { QUERN_TEST_SEED: _, ...env } = process.env;
  const path = join(folder, 'list.json');
  const vitest = join(root, 'node_modules/.bin/vitest');
  spawnSync(vitest, ['list', '--no-static-parse', ...CONFIG, `--json=${path}`, ...files], { cwd: root, env });
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown[]).length : 0;
}

/** @returns how many tests were left out. */
function tellSlices(): number {
  const path = process.env.QUERN_TEST_SLICES;
  if (path === undefined) return 0;
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const slices = lines.map((line) => JSON.parse(line) as Slice);
  for (const { file, slice, slices: count, of, ran, all } of slices)
    say(`  slice ${slice} of ${count} of ${file}: ${ran} of ${all} ${of}`);
  const files = positionals.length > 0 ? [] : filesLeftOut();
  for (const file of files) say(`  not its turn: ${file}`);
  const parts = slices.filter(({ of }) => of === 'tests').map(({ ran, all }) => all - ran);
  return parts.reduce((sum, count) => sum + count, countTests(files));
}

function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    say('FAILED: the test runner left no report');
    return null;
  }
}

process.env.QUERN_PROPERTY_SEED ??= String(seedOfTree());
chooseSlices();
let passed = 0;
let failed = 0;
for (const [name, command] of CHECKS) {
  if (values.quick === true && !QUICK_CHECKS.includes(name)) continue;
  const isOk = run(command) === 0;
  say(`${isOk ? 'ok' : 'FAILED'}: ${name}`);
  if (isOk) passed++;
  else failed++;
}

const report = join(folder, 'report.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
const project = values.quick === true ? ['--project=quick'] : [];
const status = run(['vitest', 'run', ...CONFIG, ...reporters, ...project, ...others]);
const counts = readReport(report);
passed += counts?.numPassedTests ?? 0;
failed += counts?.numFailedTests ?? 0;
const skipped = counts?.numPendingTests ?? 0;
// A file that cannot even load has no tests to count: the runner's exit code tells.
if (status !== 0 && failed === 0) failed++;
const ran = (counts?.numPassedTests ?? 0) + (counts?.numFailedTests ?? 0);
const leftOut = tellSlices();
say(`ran ${ran} of ${ran + skipped + leftOut} tests`);
if (skipped > 0) say(`${skipped} skipped; missing: ${process.env.QUERN_TEST_MISSING ?? ''}`);
if (skipped > 0 && process.env.CI === 'true') failed += skipped;
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
