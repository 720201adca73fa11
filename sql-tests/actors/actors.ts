/**
 * `node sql-tests/actors/actors.ts [SEED] [COUNT]`: generated statements of several roles under policies and grants, on
 * a real PostgreSQL 18 and on Quern; prints what is answered differently, and what was left out for which reason.
 */
import { startPostgres } from '../../scripts/postgres.ts';
import { seeded } from '../faults/mutations.ts';
import { startInProcess } from '../runner/in-process.ts';
import { renamedPostgres } from '../roles/renamed.ts';
import { actorRound } from './round.ts';
import { connectActorSide } from './side.ts';

const STATEMENTS_A_ROUND = 150;

const [seed = '1', count = '5000'] = process.argv.slice(2);
await using postgres = await startPostgres({ fsync: 'off' });
await using quern = await startInProcess('memory');
await using wanted = await connectActorSide(await renamedPostgres(postgres));
await using tested = await connectActorSide(quern.address);
const leftOut = new Map<string, number>();
let [statements, rounds, differing] = [0, 0, 0];
for (; statements < Number(count); rounds++) {
  const result = await actorRound(seeded(Number(seed) + rounds), { wanted, tested }, STATEMENTS_A_ROUND);
  statements += result.statements;
  for (const [reason, times] of result.leftOut) leftOut.set(reason, (leftOut.get(reason) ?? 0) + times);
  const { difference } = result;
  if (difference === null) continue;
  differing++;
  const { sql, history } = difference;
  const before = process.env.HISTORY === undefined ? [] : history.slice(-Number(process.env.HISTORY));
  process.stdout.write(
    `-- seed ${Number(seed) + rounds}\n${before.join(';\n')}\n${sql}\n  PostgreSQL: ${difference.wanted}\n  Quern:      ${difference.tested}\n`,
  );
}
for (const [reason, times] of [...leftOut].toSorted((a, b) => b[1] - a[1])) {
  process.stdout.write(`${String(times).padStart(6)}  ${reason}\n`);
}
process.stdout.write(`${statements} statements in ${rounds} rounds of seed ${seed}: ${differing} differ\n`);
process.exitCode = differing === 0 ? 0 : 1;
