/**
 * `./scripts/bench attack [--count 2000] [--seed 1]`: texts that try to write where one may only read, through four
 * doors (`sql-tests/attack/`); prints what they changed, which is nothing.
 */
import { parseArgs } from 'node:util';
import { attack, besieged } from '../sql-tests/attack/attack.ts';
import { DOORS } from '../sql-tests/attack/doors.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
await using siege = await besieged();
const { server, witness } = siege;
const doors = await Promise.all(
  Object.entries(DOORS).map(async ([name, open]) => [name, await open(server)] as const),
);
try {
  const attacks = siege.attacks(Number(values.seed), Number(values.count));
  const { texts, answered, breaches } = await attack(attacks, { doors, witness }, { batch: 25 });
  for (const breach of breaches) process.stdout.write(`${JSON.stringify(breach, null, 2)}\n`);
  process.stdout.write(
    `${texts} texts, ${answered} answered, ${texts - answered} refused, ${breaches.length} changed something\n`,
  );
  process.exitCode = breaches.length === 0 ? 0 : 1;
} finally {
  for (const [, door] of doors) await door[Symbol.asyncDispose]();
}
