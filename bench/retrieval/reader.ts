/**
 * A thread that asks one statement again and again, with each of some parameters in turn, until it is told to stop:
 * a client that is not held up by what the others of a benchmark compute.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { Address } from '../peers.ts';

interface Questions {
  readonly address: Address;
  readonly sql: string;
  readonly parameters: readonly string[];
}

/** @returns stops it and gives the milliseconds of each question. */
export async function startReader(questions: Questions): Promise<() => Promise<number[]>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: questions });
  await once(worker, 'message');
  return async () => {
    worker.postMessage('stop');
    const [times] = await once(worker, 'message');
    return times;
  };
}

if (!isMainThread && parentPort !== null) {
  const { address, sql, parameters } = workerData as Questions;
  const client = new pg.Client({ ...address });
  await client.connect();
  let stopped = false;
  parentPort.once('message', () => {
    stopped = true;
  });
  parentPort.postMessage('ready');
  const times: number[] = [];
  for (let i = 0; !stopped; i++) {
    const began = performance.now();
    await client.query({ name: 'near', text: sql, values: [parameters[i % parameters.length]] });
    times.push(performance.now() - began);
  }
  await client.end();
  parentPort.postMessage(times);
}
