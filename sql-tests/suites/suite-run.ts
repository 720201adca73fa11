/** Runs one script of a suite: which of its records a database answers as they say. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isExpected } from './suite-comparison.ts';
import { readSuiteScript, type SuiteRecord } from './suite-script.ts';

export interface Connection extends AsyncDisposable {
  /** Rows of the last statement as text. @throws Error of the database, worded for people. */
  run(sql: string): Promise<readonly (readonly (string | null)[])[]>;
}

export interface Outcome {
  readonly record: SuiteRecord;
  /** Null when the record was answered as it says. */
  readonly difference: string | null;
}

export interface SuiteFile {
  /** The folder of the suites. */
  readonly root: string;
  /** Path below it. */
  readonly file: string;
}

const SHOWN_ROWS_MAX = 3;
const ROWS_PER_INSERT = 500;

export async function runSuiteFile(
  { root, file }: SuiteFile,
  connect: () => Promise<Connection>,
): Promise<Outcome[]> {
  const connections = new Map<string, Connection>();
  const labelled = new Map<string, string>();
  const outcomes: Outcome[] = [];
  for (const record of readSuiteScript(root, file)) {
    let connection = connections.get(record.connection);
    if (connection === undefined) {
      connection = await connect();
      connections.set(record.connection, connection);
    }
    const outcome = await answer(record, connection, root);
    let difference = typeof outcome === 'string' ? outcome : null;
    if (typeof outcome !== 'string' && record.label !== null) {
      const rows = outcome
        .map((row) => JSON.stringify(row))
        .sort()
        .join();
      if (rows !== (labelled.get(record.label) ?? rows)) difference = 'differs from the query of its label';
      labelled.set(record.label, rows);
    }
    outcomes.push({ record, difference });
  }
  for (const connection of connections.values()) await connection[Symbol.asyncDispose]();
  return outcomes;
}

/** The rows of a query that was answered as its record says, otherwise what was wrong. */
async function answer(
  record: SuiteRecord,
  connection: Connection,
  root: string,
): Promise<string | readonly (readonly (string | null)[])[]> {
  try {
    const rows = await connection.run(withoutFile(record.sql, root));
    if (record.fails) return 'no error';
    if (record.kind === 'statement' || isExpected(record, rows)) return rows;
    const shown = rows.slice(0, SHOWN_ROWS_MAX).map((row) => row.map((value) => value ?? 'NULL').join(' '));
    return `answers ${rows.length} rows: ${shown.join(' | ')}`;
  } catch (error) {
    if (record.fails && !/^(57014|55P03|XX)/.test(String(error))) return [];
    return error instanceof Error ? error.message : String(error);
  }
}

/** RisingLight loads TPC-H from the server's disk; here the rows come as an INSERT. */
function withoutFile(sql: string, root: string): string {
  const load = /^COPY (\w+) FROM 'tests\/sql\/(tpch\/tbl\/\w+\.tbl)' \( DELIMITER '\|' \);?$/.exec(sql);
  if (load === null) return sql;
  const [, table, path] = load as unknown as [string, string, string];
  const lines = readFileSync(join(root, 'risinglight', path), 'utf8')
    .trimEnd()
    .split('\n');
  const rows = lines.map((line) => `(${line.replace(/\|$/, '').split('|').map(quoted).join(', ')})`);
  const statements: string[] = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    statements.push(`INSERT INTO ${table} VALUES ${rows.slice(at, at + ROWS_PER_INSERT).join(', ')}`);
  }
  return statements.join('; ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Scripts of the suite that stand alone; those that begin with `_` are included by others. */
export function isOwnScript(path: string): boolean {
  return /\.(slt|test)$/.test(path) && !basename(path).startsWith('_');
}
