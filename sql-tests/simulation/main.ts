/**
 * `node sql-tests/simulation/main.ts [--of engine|queue] [--from SEED] [--count SEEDS] [--fault NAME] [--trace]`: runs
 * simulations and prints a line of JSON for each that broke a law, then one that counts. With a fault it ends at the first.
 */
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { installGates } from './hook.ts';
import { QUEUE_FAULTS } from './queue/faults.ts';

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'engine' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    fault: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const fault = [...FAULTS, ...QUEUE_FAULTS].find(({ name }) => name === values.fault) ?? null;
if (values.fault !== undefined && fault === null) throw new Error(`there is no fault "${values.fault}"`);
installGates(fault);
const { simulate } =
  values.of === 'queue' ? await import('./queue/simulate.ts') : await import('./simulate.ts');

const TRACED = 40;
const print = (line: unknown): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const from = Number(values.from);
let [runs, steps, violations] = [0, 0, 0];
while (runs < Number(values.count) && (fault === null || violations === 0)) {
  const { seed, error, trace } = await simulate(from + runs);
  runs++;
  steps += trace.length;
  if (values.trace) print({ seed, trace });
  if (error === null) continue;
  violations++;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  print({ seed, error: text, steps: trace.length, last: trace.slice(-TRACED) });
}
print({ runs, steps, violations });
// What a planted fault keeps going round would keep the process; output to pipes and files has been written by now.
process.exit();
