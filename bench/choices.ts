/**
 * Every script of `sql-tests/` with each rule of the optimizer and each choice of the physical plan switched off by
 * itself (the tests run them with all on and all off): the answers are the same.
 *
 *     ./scripts/bench choices [--only NAME]
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dropEverything } from '../sql-tests/runner/drop-everything.ts';
import { startInProcess } from '../sql-tests/runner/in-process.ts';
import { runScript } from '../sql-tests/runner/run.ts';
import { connectTarget } from '../sql-tests/runner/target.ts';
import { RULES } from '../src/optimize/optimize.ts';
import { CHOICES } from '../src/physical/choices.ts';
import { SERVER_RELATIONS } from '../src/session/datasets/relations.ts';
import { options } from './options.ts';
import { report } from './statistics.ts';

const { quick, only } = options;
const ROOT = join(import.meta.dirname, '../sql-tests');
const FILES = ['postgres', 'quern'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.slt'))
    .filter((_, i) => !quick || i % 8 === 0)
    .map((name) => `${folder}/${name}`),
);

await using server = await startInProcess('memory', undefined, SERVER_RELATIONS);
let wrong = 0;
for (const { name } of [...RULES, ...CHOICES]) {
  if (only !== undefined && name !== only) continue;
  const differing: string[] = [];
  for (const file of FILES) {
    await using target = await connectTarget(server.address, [`SET quern.disabled_rules = '${name}'`]);
    const differences = await runScript({ path: join(ROOT, file), target, without: ['plan'] });
    if (differences.length > 0) differing.push(file);
    await dropEverything(server.address);
  }
  report(`${name} off`, differing.length, {
    scripts: `${FILES.length}`,
    differing: differing.join(' ') || 'none',
  });
  wrong += differing.length;
}
process.exitCode = wrong === 0 ? 0 : 1;
