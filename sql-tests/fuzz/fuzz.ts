/**
 * `node sql-tests/fuzz/fuzz.ts [--count 2000] [--constraints 0] [--seed 1] [--show 20]`: generated queries, and
 * rounds of tables with constraints, on a real PostgreSQL and on Quern; prints what is answered differently.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../scripts/postgres.ts';
import { startInProcess } from '../runner/in-process.ts';
import { seeded } from '../faults/mutations.ts';
import { connectSide, dependsOnPlan } from './compare.ts';
import { constraintRound } from './constraints.ts';
import { fuzz } from './run.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    constraints: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '20' },
  },
});
await using postgres = await startPostgres({ fsync: 'off' });
await using quern = await startInProcess('memory');
await using wanted = await connectSide(postgres);
await using tested = await connectSide(quern.address);
const found = await fuzz({ wanted, tested, seed: Number(values.seed), count: Number(values.count) });
const real = found.filter((one) => !dependsOnPlan(one));
for (const { sql, what } of real.slice(0, Number(values.show)))
  process.stdout.write(`${sql}\n    ${what}\n\n`);
process.stdout.write(
  `${values.count} statements, ${real.length} differ, ${found.length - real.length} by the order of errors\n`,
);
for (let round = 0; round < Number(values.constraints); round++) {
  const seed = Number(values.seed) + round;
  const found = await constraintRound(seeded(seed), { wanted, tested });
  if (found !== null)
    process.stdout.write(`seed ${seed}\n${found.history.join(';\n')};\n    ${found.what}\n\n`);
}
