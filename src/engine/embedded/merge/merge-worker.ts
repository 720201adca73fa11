/** The merge worker: makes segments of heads and smaller segments, away from the main thread. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { SqlError } from '../../../errors.ts';
import type { MergeReply, MergeRequest } from './job.ts';
import { mergeRows } from './rows.ts';

/** Nice level of this thread, so that the main thread always gets a core when it wants one. */
const NICE = 10;

// On Linux this is the priority of the calling thread alone, not of the process.
setPriority(0, NICE);
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
});
