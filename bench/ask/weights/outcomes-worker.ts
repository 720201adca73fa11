/** Answers all questions without some rows of the table of weights: a thread of its own, as modules hold the table. */
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const TABLE = new URL('../../../src/ask/weights.ts', import.meta.url).href;
const CHANGED = new URL('./changed-weights.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === TABLE && context.parentURL !== CHANGED ? { ...found, url: CHANGED } : found;
  },
});

const { outcomesOf } = await import('./outcomes.ts');
parentPort?.postMessage(await outcomesOf(workerData));
