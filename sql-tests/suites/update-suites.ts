/**
 * `node sql-tests/suites/update-suites.ts postgres|quern [FILE…]`: writes the committed lists anew. `postgres`
 * asks a real PostgreSQL 18 which records it answers otherwise than the suites say, `quern` lists what is
 * still missing here (review the diff: it should only shrink).
 */
import { startPostgres } from '../../scripts/postgres.ts';
import { openPostgres, openQuern } from './suite-databases.ts';
import {
  type ExpectedFailures,
  isChecked,
  isListed,
  type PostgresDiffers,
  rangesOf,
  readExpectedFailures,
  readPostgresDiffers,
  SUITES,
  suiteFiles,
  writeExpectedFailures,
  writePostgresDiffers,
} from './suite-lists.ts';
import { type Outcome, runSuiteFile } from './suite-run.ts';

const [target, ...given] = process.argv.slice(2);
const files = given.length > 0 ? given : ['sqlite-slt', 'risinglight', 'duckdb'].flatMap(suiteFiles);

async function askPostgres(): Promise<void> {
  await using server = await startPostgres({ fsync: 'off' });
  const lists: Record<string, string> = { ...readPostgresDiffers() };
  for (const [i, file] of files.entries()) {
    await using database = await openPostgres(server, `suite_${i}`);
    const outcomes = await runSuiteFile({ root: SUITES, file }, () => database.connect());
    for (const { record } of outcomes) delete lists[record.file];
    for (const [name, ranges] of rangesOf(outcomes, differs)) lists[name] = ranges;
    report(file, outcomes, () => true);
  }
  writePostgresDiffers(lists);
}

async function askQuern(): Promise<void> {
  const differing = readPostgresDiffers();
  const lists: Record<string, Record<string, string>> = { ...readExpectedFailures() } as never;
  for (const file of files) {
    await using database = await openQuern();
    const outcomes = await runSuiteFile({ root: SUITES, file }, () => database.connect());
    const checked = outcomes.filter(({ record }) => isChecked(record, differing));
    for (const { record } of outcomes) delete lists[record.file];
    for (const [name, byReason] of Object.entries(failuresOf(checked, differing))) lists[name] = byReason;
    report(file, checked, () => true);
  }
  writeExpectedFailures(lists);
}

const differs = (outcome: Outcome): boolean => outcome.difference !== null;

function failuresOf(outcomes: readonly Outcome[], differing: PostgresDiffers): ExpectedFailures {
  const reasonOf = (outcome: Outcome): string => {
    const { file, line } = outcome.record;
    const both = isListed(line, differing[file]);
    return `${both ? 'PostgreSQL differs as well: ' : ''}${shortReason(outcome)}`;
  };
  const lists: Record<string, Record<string, string>> = {};
  for (const reason of new Set(outcomes.filter(differs).map(reasonOf))) {
    for (const [file, ranges] of rangesOf(outcomes, (one) => differs(one) && reasonOf(one) === reason)) {
      lists[file] = { ...lists[file], [reason]: ranges };
    }
  }
  return lists;
}

/** The error itself; of a wrong result, that it is one. */
function shortReason({ difference }: Outcome): string {
  return difference?.startsWith('answers') ? 'another result' : ((difference ?? '').split('\n', 1)[0] ?? '');
}

function report(file: string, outcomes: readonly Outcome[], shown: (outcome: Outcome) => boolean): void {
  const failures = outcomes.filter((outcome) => differs(outcome) && shown(outcome));
  process.stdout.write(`${file}: ${outcomes.length - failures.length} of ${outcomes.length}\n`);
  for (const { record, difference } of failures) {
    process.stdout.write(`  ${record.line}: ${record.sql.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`);
    process.stdout.write(`    ${difference?.slice(0, 300)}\n`);
  }
}

if (target === 'postgres') await askPostgres();
else await askQuern();
