/**
 * Gain by each row of `src/ask/weights.ts`: questions that are right with it alone, less those that are right without
 * it alone. A row pays where that is more than chance: more than the root of how many differ.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ASK_WEIGHTS, type Weight } from '../../../src/ask/weights.ts';
import { share } from '../bands.ts';
import { openDatasets } from '../datasets.ts';
import { findInFiles, type FoundQuestion } from '../found-files.ts';
import { type Outcomes, type OutcomesRequest, WRONG } from './outcomes.ts';

/** @param data folder with the files' datasets; absent: TAT-QA alone. */
export async function weights(source: string, quick: boolean, data: string | undefined): Promise<void> {
  const found = data === undefined ? [] : await foundIn(source, data);
  const tatqa = join(source, 'tatqa/tatqa_dataset_dev.json');
  for (const step of ['reading', 'computing'] as const)
    await measured(ASK_WEIGHTS[step], { step, tatqa, quick, found });
}

async function foundIn(source: string, data: string): Promise<readonly FoundQuestion[]> {
  await using given = await openDatasets(source, data);
  return findInFiles(source, given.client);
}

async function measured(rows: Readonly<Record<string, Weight>>, request: OutcomesRequest): Promise<void> {
  const all = await outcomesWithout([], request);
  const kinds = [...all.keys()];
  for (const [kind, outcomes] of all) {
    const right = outcomes.filter(Boolean).length;
    console.log(`  ${kind.padEnd(20)} ${right} of ${outcomes.length}, ${share(right, outcomes.length)}`);
  }
  console.log(`${request.step}: questions that each row gains and loses`);
  console.log(`  ${'row'.padEnd(24)} ${kinds.map((kind) => kind.padStart(20)).join('')}`);
  for (const [name, { isGuard = false }] of Object.entries(rows)) {
    const without = await outcomesWithout([name], request);
    const told = kinds.map((kind) => changeOf(kind, without, all));
    const shown = told.map(({ gained, lost }) =>
      (gained + lost === 0 ? '0' : `+${gained} −${lost}`).padStart(20),
    );
    const total = told.reduce((a, b) => ({ gained: a.gained + b.gained, lost: a.lost + b.lost }));
    const verdict = isGuard ? 'a guard' : [...told, total].some(pays) ? '' : 'does not pay';
    console.log(`  ${name.padEnd(24)} ${shown.join('')}  ${verdict}`);
  }
}

/** Answers by a thread whose table lacks these rows. */
function outcomesWithout(without: readonly string[], request: OutcomesRequest): Promise<Outcomes> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcomes>();
  const worker = new Worker(new URL('./outcomes-worker.ts', import.meta.url), {
    workerData: { without, ...request },
  });
  worker.once('message', resolve);
  worker.once('error', reject);
  return promise;
}

interface Change {
  readonly gained: number;
  readonly lost: number;
}

/** Gains and losses by what the first lacks. */
function changeOf(kind: string, without: Outcomes, all: Outcomes): Change {
  const [less = [], own = []] = [without.get(kind), all.get(kind)];
  const gained = own.filter((one, i) => one && less[i] !== true).length;
  const lost = own.filter((one, i) => !one && less[i] === true).length;
  return kind === WRONG ? { gained: lost, lost: gained } : { gained, lost };
}

const pays = ({ gained, lost }: Change): boolean => gained - lost > Math.sqrt(gained + lost);
