/**
 * Ten thousand interleavings of the engine's clients, with its laws asked after each, and by which seed each
 * planted fault is found. `--quick`: a tenth of them.
 */
import { FAULTS } from '../sql-tests/simulation/faults.ts';
import { inTurns, runSimulations } from '../sql-tests/simulation/simulations.ts';
import { options } from './options.ts';
import { report } from './statistics.ts';

const SEEDS = options.quick ? 1_000 : 10_000;
const FAULT_SEEDS_MAX = 1_000;
/** Seeds of one process. */
const PIECE = 500;
const PROCESSES = 2;

const began = performance.now();
const pieces = await inTurns(
  Array.from({ length: SEEDS / PIECE }, (_, i) => i * PIECE + 1),
  PROCESSES,
  (from) => runSimulations({ from, count: PIECE }),
);
const sum = (of: (piece: (typeof pieces)[number]) => number): number =>
  pieces.reduce((total, piece) => total + of(piece), 0);
for (const line of pieces.flatMap(({ lines }) => lines)) process.stdout.write(`${line}\n`);
report(
  `violations in ${sum(({ runs }) => runs)} interleavings`,
  sum(({ violations }) => violations),
  {
    bar: '= 0',
    steps: `${sum(({ steps }) => steps)}`,
    seconds: ((performance.now() - began) / 1_000).toFixed(0),
  },
);
const found = await inTurns(FAULTS, PROCESSES, async ({ name }) => {
  const { violations, runs } = await runSimulations({ from: 1, count: FAULT_SEEDS_MAX, fault: name });
  return violations > 0 ? runs : null;
});
for (const [i, { name }] of FAULTS.entries()) {
  report(`planted: ${name}`, found[i] ?? Number.NaN, { bar: `a seed <= ${FAULT_SEEDS_MAX}` });
}
report('planted faults found', found.filter((seed) => seed !== null).length, { bar: `= ${FAULTS.length}` });
