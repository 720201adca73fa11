/** Texts a second of processor time with each model, by length, and the memory that a thread takes. */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { join } from 'node:path';
import { createInference } from '../../src/inference/registry.ts';
import type { Inference } from '../../src/inference/provider.ts';
import { readSet } from '../retrieval/sets.ts';
import { report } from '../statistics.ts';
import { ENGLISH, type Model, MODELS } from './bars.ts';

const FOLDER = join(import.meta.dirname, '../../models');
const WORDS = [12, 60, 200];
const TEXTS = 60;
const QUICK_TEXTS = 15;
const LIVE = new AbortController().signal;

export async function modelSpeed(quick: boolean): Promise<void> {
  const documents = readSet('medline').documents.map(({ text }) => text.split(/\s+/));
  const rates = new Map<Model, readonly number[]>();
  for (const model of MODELS) rates.set(model, await ratesOf(model, documents, quick ? QUICK_TEXTS : TEXTS));
  for (const [i, words] of WORDS.entries()) {
    const of = (model: Model): number => rates.get(model)?.[i] ?? Number.NaN;
    for (const model of MODELS) {
      report(`${model}: texts of ${words} words a second of a thread`, of(model), {
        [`of ${ENGLISH}'s`]: (of(model) / of(ENGLISH)).toFixed(3),
      });
    }
  }
}

/** By length; of processor time, which other programs on the machine do not take away. */
async function ratesOf(
  name: Model,
  documents: readonly (readonly string[])[],
  count: number,
): Promise<readonly number[]> {
  await using inference = await open();
  const model = inference.model(name);
  await model.warm();
  const rates: number[] = [];
  for (const words of WORDS) {
    const long = documents.filter(({ length }) => length >= words);
    const texts = long.slice(0, count).map((text) => text.slice(0, words).join(' '));
    const before = process.cpuUsage();
    await model.embedDocuments(texts, LIVE, FREELY);
    const { user, system } = process.cpuUsage(before);
    rates.push((texts.length * 1e6) / (user + system));
  }
  const text = documents.find(({ length }) => length >= (WORDS.at(-1) ?? 0))?.join(' ') ?? '';
  await reportMemory(name, text);
  return rates;
}

/** Reports the memory of one more thread, beside one that has loaded what all share. */
async function reportMemory(name: Model, text: string): Promise<void> {
  const before = process.memoryUsage().rss;
  await using inference = await open();
  await inference.model(name).embedDocuments([text], LIVE, FREELY);
  const megabytes = (process.memoryUsage().rss - before) / 1024 ** 2;
  report(`${name}: MB of memory of one more thread`, megabytes, {});
}

const open = (): Promise<Inference> => createInference({ modelsFolder: FOLDER, threads: 1 });
