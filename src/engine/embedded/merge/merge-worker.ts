/** The merge worker: makes segments of heads and smaller segments, away from the main thread. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { answerCalls, stepBack } from '../../../worker-calls.ts';
import { type MergeJob, type MergeResult, resultBytes } from './job.ts';
import { mergeRows } from './rows.ts';

/** Bytes of garbage from smaller merges that do not matter. */
const COLLECTED_BYTES = 16 * 1024 * 1024;

stepBack();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Shared memory that this thread has seen since it last collected: V8 does not count it. */
let seen = 0;

function forget({ parts }: MergeJob, result: MergeResult | null): void {
  for (const { columns } of parts) for (const { column } of columns) seen += column.values.length;
  if (result !== null) seen += resultBytes(result);
  if (seen < COLLECTED_BYTES) return;
  seen = 0;
  // When the result has been sent.
  setImmediate(collect);
}

answerCalls((job: MergeJob) => {
  let result: MergeResult | null = null;
  try {
    result = mergeRows(job);
    return result;
  } finally {
    forget(job, result);
  }
});
