/**
 * Files of PostgreSQL's regression tests as psql runs them: what they COPY from files beside them stands within, as
 * data of COPY … FROM STDIN.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresPrograms } from '../../scripts/postgres.ts';
import type { Address } from '../runner/target.ts';

/** `../shared` lies beside the checkout. */
const REGRESS = join(import.meta.dirname, '../../../shared/data/sql/postgres-regress');
/** Makes the tables that others read. */
export const SETUP = 'test_setup.sql';
/** Some recurse without end, which is what they are there for. */
const STATEMENT_TIMEOUT_MS = 2_000;

export const regressFiles = (): string[] =>
  existsSync(REGRESS) ? readdirSync(join(REGRESS, 'sql')).filter((name) => name !== SETUP) : [];

function withData(file: string): string {
  const lines = readFileSync(join(REGRESS, 'sql', file), 'utf8').split('\n');
  let data = '';
  const shown = lines.map((line) => {
    const [isNamed, name] = /^\\set filename (?::abs_srcdir '\/(data\/\w+\.data)')?/.exec(line) ?? [];
    if (isNamed !== undefined) data = name === undefined ? '' : join(REGRESS, name);
    const [, copy] = /^(COPY \S+ FROM) :'filename';$/i.exec(line) ?? [];
    if (copy === undefined || !existsSync(data)) return line;
    return `${copy} STDIN;\n${readFileSync(data, 'utf8').trimEnd()}\n\\.`;
  });
  return shown.join('\n');
}

/** The output of psql, statements and their errors included, each error with its SQLSTATE. */
export async function runRegressFile(file: string, address: Address): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-regress-'));
  const script = join(folder, file);
  writeFileSync(script, withData(file));
  const child = spawn('sh', ['-c', `"$PSQL" -X -a -q -v VERBOSITY=verbose -f ${file} 2>&1`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      PSQL: join(postgresPrograms() ?? '', 'psql'),
      PGTZ: 'America/Los_Angeles',
      PGOPTIONS: `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
      PGHOST: address.host,
      PGPORT: String(address.port),
      PGUSER: address.user,
      PGDATABASE: address.database,
      PGPASSWORD: address.password ?? '',
      PG_ABS_SRCDIR: REGRESS,
      PG_ABS_BUILDDIR: folder,
      PG_LIBDIR: folder,
      PG_DLSUFFIX: '.so',
    },
  });
  const written: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => written.push(bytes));
  await new Promise((resolve) => child.once('close', resolve));
  rmSync(folder, { recursive: true, force: true });
  return Buffer.concat(written).toString();
}
