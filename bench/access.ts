/**
 * Costs of roles, keys and row rules. `--only roles | rules | recall | statistics`; `--quick`: a
 * fifth of the rows.
 */
import { options } from './options.ts';
import { recall } from './access/recall.ts';
import { roles } from './access/roles.ts';
import { rules } from './access/rules.ts';
import { statistics } from './access/statistics-shared.ts';
import { serve } from './access/served.ts';

const { quick, only = '' } = options;
const served = await serve(quick ? 2_000 : 10_000);
try {
  for (const measure of [roles, recall, statistics, rules])
    if (measure.name.includes(only)) await measure(served);
} finally {
  await Promise.allSettled([served.plain, served.keyed, served.postgres].map((client) => client.end()));
  await served.peers[Symbol.asyncDispose]();
}
