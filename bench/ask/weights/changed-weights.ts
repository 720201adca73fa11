/** Stands for `src/ask/weights.ts` in a thread: the rows that it was told to do without are at their `off` values. */
import { workerData } from 'node:worker_threads';
import { valuesWithout } from '../../../src/ask/weights.ts';

export const WEIGHTS = valuesWithout(workerData.without);
