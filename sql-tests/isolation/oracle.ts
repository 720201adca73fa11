/** `node sql-tests/isolation/oracle.ts [FILE…]`: fills the scripts with what a real PostgreSQL 18 answers. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startPostgres } from '../../scripts/postgres.ts';
import { connectTarget } from '../runner/target.ts';
import { runIsolationScript } from './isolation-script.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync(join(import.meta.dirname, '*.iso'));
await using postgres = await startPostgres();
await using admin = await connectTarget(postgres);
for (const path of files) {
  const database = `iso_${basename(path, '.iso').replaceAll('-', '_')}`;
  await admin.run(`CREATE DATABASE ${database}`);
  writeFileSync(path, await runIsolationScript(readFileSync(path, 'utf8'), { ...postgres, database }));
  process.stdout.write(`${path}\n`);
}
