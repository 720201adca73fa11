/** The merge worker: makes segments of heads and smaller segments, away from the main thread. */
import { parentPort } from 'node:worker_threads';
import type { MergeReply, MergeRequest } from './merge-job.ts';
import { mergeRows } from './merge-rows.ts';

parentPort?.on('message', ({ number, job }: MergeRequest) => {
  let reply: MergeReply;
  try {
    reply = { number, result: mergeRows(job) };
  } catch (error) {
    reply = { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(reply);
});
