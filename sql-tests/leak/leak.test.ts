/**
 * Answers do not depend on what a role may not see: a slice of the comparison, other cases each day;
 * `./scripts/bench leak` has all of it. Servers without one of their checks show that the comparison finds it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sliced } from '../slow-tests.ts';
import { cases } from './cases.ts';
import { checkHole, HOLES, holeEnvironment } from './holes.ts';
import { Worlds } from './leak.ts';

const CASES = Number(process.env.QUERN_LEAK_CASES ?? 900);
const SEED = Number(process.env.QUERN_TEST_SEED ?? Math.floor(Date.now() / 86_400_000));
/** A hole is found long before, with cases that are the same each time. */
const HOLE_CASES = 12_000;
const HOLE_SEED = 1;

let worlds: Worlds;
beforeAll(async () => {
  worlds = await Worlds.make({ rows: 40, large: 0 });
});
afterAll(() => worlds?.[Symbol.dispose]());

it(`seed ${SEED}: two servers answer ${CASES} statements alike`, async () => {
  await using twins = await worlds.serve();
  const { compared, answered, leaks } = await twins.compare(cases(SEED, CASES));
  expect(leaks).toEqual([]);
  expect(compared).toBeGreaterThan(CASES / 2);
  // Where nothing is answered nothing is told.
  expect(answered).toBeGreaterThan(compared / 3);
});

it.each(sliced(import.meta, Object.keys(HOLES)))('is found when it is taken out: %s', async (name) => {
  checkHole(name);
  await using twins = await worlds.serve(holeEnvironment(name));
  const { leaks } = await twins.compare(cases(HOLE_SEED, HOLE_CASES), 1);
  expect(leaks).toHaveLength(1);
});
