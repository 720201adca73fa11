/**
 * `node sql-tests/runner/oracle.ts [FILE…]`: fills the scripts of sql-tests/postgres with what a real
 * PostgreSQL 18 answers. They are the oracle of where Quern's SQL is PostgreSQL's.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startPostgres } from '../../scripts/postgres.ts';
import { updateScript } from './run.ts';
import { connectTarget } from './target.ts';

const folder = join(import.meta.dirname, '../postgres');
const given = process.argv.slice(2);
const files = given.length > 0 ? given : readdirSync(folder).map((name) => join(folder, name));
await using postgres = await startPostgres();
await using admin = await connectTarget(postgres);
for (const path of files.filter((name) => name.endsWith('.slt'))) {
  const database = `slt_${basename(path, '.slt').replaceAll('-', '_')}`;
  await admin.run(`CREATE DATABASE ${database}`);
  await using target = await connectTarget({ ...postgres, database }, ["SET timezone = 'UTC'"]);
  await updateScript(path, target);
  process.stdout.write(`${path}\n`);
}
