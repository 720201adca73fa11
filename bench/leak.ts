/**
 * `./scripts/bench leak [--count 5000] [--seed 1] [--large 80000]`: two servers that differ only in what a role may not see
 * are sent statements of every kind (`sql-tests/leak/`); prints answers that differ, which there are none of. Then the same
 * over relations large enough to have graphs: exact searches answer alike, others find as much, with equal scores.
 */
import { parseArgs } from 'node:util';
import { cases } from '../sql-tests/leak/cases.ts';
import { largeSearches } from '../sql-tests/leak/large.ts';
import { Worlds } from '../sql-tests/leak/leak.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    large: { type: 'string', default: '80000' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

using worlds = await Worlds.make({ rows: 60, large: Number(values.large) });
await using twins = await worlds.serve();
const { compared, answered, leaks } = await twins.compare(cases(Number(values.seed), Number(values.count)));
for (const leak of leaks) say(JSON.stringify(leak, null, 2));
say(`${compared} statements compared, ${answered} answered, ${leaks.length} differ`);
const large = await largeSearches(twins, Number(values.seed));
say(
  `${large.exact.compared} exact searches of ${values.large} visible rows, ${large.exact.leaks.length} differ`,
);
say(`by graph: recall@10 ${large.recall.toFixed(4)}, ${large.otherScores} scores differ`);
process.exitCode = leaks.length + large.exact.leaks.length + large.otherScores === 0 ? 0 : 1;
