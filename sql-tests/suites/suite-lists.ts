/**
 * The committed lists of records, by file: those that PostgreSQL 18 answers otherwise than the suite says
 * (`postgres-differs.json`), and those that Quern does not yet answer (`expected-failures.json`, by reason).
 * Lines are written as ranges, `3 10-40`, which cover every record that begins in them.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnScript, type Outcome } from './suite-run.ts';
import type { SuiteRecord } from './suite-script.ts';

export type LineRanges = string;
export type PostgresDiffers = Readonly<Record<string, LineRanges>>;
/** By file, then by reason. */
export type ExpectedFailures = Readonly<Record<string, Readonly<Record<string, LineRanges>>>>;

const POSTGRES_DIFFERS = join(import.meta.dirname, 'postgres-differs.json');
const EXPECTED_FAILURES = join(import.meta.dirname, 'expected-failures.json');

/** `../shared` lies beside the checkout. */
export const SUITES = join(import.meta.dirname, '../../../shared/data/sql');

export function suiteFiles(suite: string): string[] {
  return globSync(`${suite}/**/*`, { cwd: SUITES }).filter(isOwnScript).sort();
}

export const readPostgresDiffers = (): PostgresDiffers => readJson(POSTGRES_DIFFERS);
export const readExpectedFailures = (): ExpectedFailures => readJson(EXPECTED_FAILURES);
export const writePostgresDiffers = (lists: PostgresDiffers): void => writeJson(POSTGRES_DIFFERS, lists);
export const writeExpectedFailures = (lists: ExpectedFailures): void => writeJson(EXPECTED_FAILURES, lists);

function readJson<T>(path: string): T {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : ({} as T);
}

function writeJson(path: string, lists: object): void {
  const inOrder = Object.fromEntries(
    Object.entries(lists).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  writeFileSync(path, `${JSON.stringify(inOrder, null, 1)}\n`);
}

/** Selects of DuckDB's suite only what PostgreSQL answers as it says; of the others every record. */
export function isChecked({ file, line }: SuiteRecord, differing: PostgresDiffers): boolean {
  return !file.startsWith('duckdb/') || !isListed(line, differing[file]);
}

/** A record of an included file belongs to that file. */
export const keyOf = (record: SuiteRecord): string => `${record.file}:${record.line}`;

/** The lists of the records for which `chosen` holds, by the file each stands in. */
export function rangesOf(
  outcomes: readonly Outcome[],
  chosen: (outcome: Outcome) => boolean,
): Map<string, LineRanges> {
  const lines = new Map<string, Map<number, boolean>>();
  for (const outcome of outcomes) {
    const { file, line } = outcome.record;
    const ofFile = lines.get(file) ?? new Map<number, boolean>();
    lines.set(file, ofFile.set(line, (ofFile.get(line) ?? false) || chosen(outcome)));
  }
  const ranges = [...lines].map(([file, ofFile]): [string, string] => [file, ranged(ofFile)]);
  return new Map(ranges.filter(([, text]) => text !== ''));
}

function ranged(lines: ReadonlyMap<number, boolean>): LineRanges {
  const parts: string[] = [];
  let first = 0;
  let last = 0;
  const close = () => {
    if (first !== 0) parts.push(first === last ? `${first}` : `${first}-${last}`);
    first = 0;
  };
  for (const [line, chosen] of [...lines].sort(([left], [right]) => left - right)) {
    if (!chosen) close();
    else {
      if (first === 0) first = line;
      last = line;
    }
  }
  close();
  return parts.join(' ');
}

export function isListed(line: number, ranges: LineRanges | undefined): boolean {
  if (ranges === undefined || ranges === '') return false;
  return ranges.split(' ').some((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return line >= first && line <= last;
  });
}
