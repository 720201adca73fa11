/**
 * `./scripts/bench fuzz [--count 20000] [--seed 1]`: generated statements on a real PostgreSQL and on Quern, with
 * another seed and other tables for each thousand; prints those that are answered differently.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../scripts/postgres.ts';
import { connectSide, dependsOnPlan } from '../sql-tests/fuzz/compare.ts';
import { fuzz } from '../sql-tests/fuzz/run.ts';
import { startInProcess } from '../sql-tests/runner/in-process.ts';

const RUN_STATEMENTS = 1_000;

const { values } = parseArgs({
  options: { count: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const first = Number(values.seed);
const runs = Math.ceil(Number(values.count) / RUN_STATEMENTS);
await using postgres = await startPostgres({ fsync: 'off' });
let differing = 0;
for (let seed = first; seed < first + runs; seed++) {
  await using admin = await connectSide(postgres);
  const database = `fuzz_${seed}`;
  await admin.run(`CREATE DATABASE ${database}`);
  await using quern = await startInProcess('memory');
  await using wanted = await connectSide({ ...postgres, database });
  await using tested = await connectSide(quern.address);
  const found = await fuzz({ wanted, tested, seed, count: RUN_STATEMENTS });
  const real = found.filter((one) => !dependsOnPlan(one));
  differing += real.length;
  for (const { sql, what } of real) process.stdout.write(`${sql}\n    ${what}\n\n`);
  process.stdout.write(`seed ${seed}: ${RUN_STATEMENTS} statements, ${real.length} differ\n`);
}
process.stdout.write(`${runs * RUN_STATEMENTS} statements, ${differing} differ\n`);
