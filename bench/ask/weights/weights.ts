/**
 * Gain by each row of `src/ask/weights.ts`: questions that are right with it alone, less those that are right without
 * it alone. A row pays where that is more than chance: more than the root of how many differ.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ASK_WEIGHTS } from '../../../src/ask/weights.ts';
import { share } from '../bands.ts';
import { openDatasets } from '../datasets.ts';
import { findInFiles, type FoundQuestion } from '../found-files.ts';
import type { Outcomes, OutcomesRequest } from './outcomes.ts';

const KINDS = ['spans', 'arithmetic', 'computedWrong', 'financebench', 'mmlongbench', 'numbers'] as const;
type Kind = (typeof KINDS)[number];

const TITLES: Readonly<Record<Kind, string>> = {
  spans: 'spans',
  arithmetic: 'computed rightly',
  computedWrong: 'computed wrongly',
  financebench: 'FinanceBench page',
  mmlongbench: 'MMLongBench page',
  numbers: 'expected number',
};

/** @param data folder with the files' datasets; absent: TAT-QA alone. */
export async function weights(source: string, quick: boolean, data: string | undefined): Promise<void> {
  const found = data === undefined ? [] : await foundIn(source, data);
  const request = { tatqa: join(source, 'tatqa/tatqa_dataset_dev.json'), quick, found };
  const all = await outcomesWithout([], request);
  for (const kind of KINDS)
    console.log(
      `  ${TITLES[kind].padEnd(20)} ${right(all[kind])} of ${all[kind].length}, ${rate(all[kind])}`,
    );
  console.log('questions that each row gains and loses; (guard) gives fewer so that fewer are wrong');
  console.log(`  ${'row'.padEnd(24)} ${KINDS.map((kind) => TITLES[kind].padStart(18)).join('')}`);
  for (const [name, { isGuard = false }] of Object.entries(ASK_WEIGHTS)) {
    const without = await outcomesWithout([name], request);
    const told = KINDS.map((kind) => change(without[kind], all[kind]));
    const row = `${name}${isGuard ? ' (guard)' : ''}`;
    const shown = told.map(({ gained, lost }) =>
      (gained + lost === 0 ? '0' : `+${gained} −${lost}`).padStart(18),
    );
    const verdict = isGuard || KINDS.some((kind, i) => pays(kind, told[i] as Change)) ? '' : '  does not pay';
    console.log(`  ${row.padEnd(24)} ${shown.join('')}${verdict}`);
  }
}

async function foundIn(source: string, data: string): Promise<readonly FoundQuestion[]> {
  await using given = await openDatasets(source, data);
  return findInFiles(source, given.client);
}

/** Answers by a thread whose table lacks these rows. */
function outcomesWithout(without: readonly string[], request: OutcomesRequest): Promise<Outcomes> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcomes>();
  const worker = new Worker(new URL('./outcomes-worker.ts', import.meta.url), {
    workerData: { without, request },
  });
  worker.once('message', resolve);
  worker.once('error', reject);
  return promise;
}

const right = (outcomes: readonly boolean[]): number => outcomes.filter(Boolean).length;
const rate = (outcomes: readonly boolean[]): string => share(right(outcomes), outcomes.length);

interface Change {
  readonly gained: number;
  readonly lost: number;
}

/** Gains and losses by the row. */
function change(without: readonly boolean[], all: readonly boolean[]): Change {
  const gained = all.filter((one, i) => one && without[i] !== true).length;
  const lost = all.filter((one, i) => !one && without[i] === true).length;
  return { gained, lost };
}

function pays(kind: Kind, { gained, lost }: Change): boolean {
  const more = kind === 'computedWrong' ? lost - gained : gained - lost;
  return more > Math.sqrt(gained + lost);
}
