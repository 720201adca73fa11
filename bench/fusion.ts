/**
 * `hybrid()` fitted to some sets and judged by others: each group of sets is left out in turn,
 * and hybrid is compared with the better arm of each set in it, for each model. First the parameters that the engine
 * has, then those that the other groups would have chosen. Candidates are collected once; `--data FOLDER` keeps them,
 * `--only MODEL` collects one model's, `--quick` takes the smaller sets by one model.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startServer } from '../scripts/server-process.ts';
import { type Collected, collectSet, loadSet } from './fusion/collect.ts';
import { judgeFolds } from './fusion/folds.ts';
import { FUSION_SETS, QUICK_SETS } from './fusion/sets.ts';
import { options } from './options.ts';
import { ENGLISH, MODELS } from './relevance/bars.ts';

const folder = options.data ?? mkdtempSync(join(tmpdir(), 'quern-fusion-'));
mkdirSync(folder, { recursive: true });
const models = options.quick ? [ENGLISH] : options.only === undefined ? MODELS : [options.only];
const names = options.quick ? QUICK_SETS : Object.keys(FUSION_SETS);
const fileOf = (name: string, model: string): string => join(folder, `${name}-${model}.json`);

for (const model of models) await collect(model);
const collected = models.flatMap((model) =>
  names.flatMap((name) => JSON.parse(readFileSync(fileOf(name, model), 'utf8')) as Collected[]),
);
judgeFolds(collected);
if (options.data === undefined) rmSync(folder, { recursive: true });

/** Collects candidates that are not there yet, by a server of its own. */
async function collect(model: string): Promise<void> {
  const absent = names.filter((name) => !existsSync(fileOf(name, model)));
  if (absent.length === 0) return;
  const data = mkdtempSync(join(tmpdir(), 'quern-fusion-server-'));
  await using server = await startServer({ data: join(data, 'data') });
  const { host, port, key } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  for (const name of absent) {
    const set = FUSION_SETS[name]?.();
    if (set === undefined) throw new Error(`no set ${name}`);
    await loadSet(client, set, model);
    writeFileSync(fileOf(name, model), JSON.stringify(await collectSet(client, set, model)));
  }
  await client.end();
  await server.stop();
  rmSync(data, { recursive: true });
}
