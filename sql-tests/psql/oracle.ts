/** `node sql-tests/psql/oracle.ts`: writes what psql prints against PostgreSQL 18 beside each script. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/postgres.ts';
import { runPsql } from './run-psql.ts';

await using server = await startPostgres();
for (const script of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'))) {
  writeFileSync(join(import.meta.dirname, script.replace('.sql', '.out')), runPsql(script, server));
}
