/** The merge worker: makes segments of heads and smaller segments, away from the main thread. */
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { SqlError } from '../../../errors.ts';
import { type MergeJob, type MergeReply, type MergeRequest, resultBytes } from './job.ts';
import { mergeRows } from './rows.ts';

/** Nice level of this thread, so that the main thread always gets a core when it wants one. */
const NICE = 10;
/** What is left of smaller merges does not matter. */
const COLLECTED_BYTES = 16 * 1024 * 1024;

// On Linux this is the priority of the calling thread alone, not of the process.
setPriority(0, NICE);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Shared memory that this thread has seen since it last collected: V8 does not count it. */
let seen = 0;

function forget({ parts }: MergeJob, reply: MergeReply): void {
  for (const { columns } of parts) for (const { column } of columns) seen += column.values.length;
  if ('result' in reply) seen += resultBytes(reply.result);
  if (seen < COLLECTED_BYTES) return;
  seen = 0;
  setImmediate(collect);
}

parentPort?.on('message', ({ number, job }: MergeRequest) => {
  let reply: MergeReply;
  try {
    reply = { number, result: mergeRows(job) };
  } catch (error) {
    const condition = error instanceof SqlError ? error.condition : null;
    const text =
      error instanceof Error ? (condition === null && error.stack) || error.message : String(error);
    reply = { number, error: text, condition };
  }
  parentPort?.postMessage(reply);
  forget(job, reply);
});
