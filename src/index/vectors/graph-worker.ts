/** A thread that inserts entries into a graph beside the one that started it. */
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type GraphWork, workOn } from './graph-work.ts';
import { instantiateKernels } from '../kernels.ts';

/** As the merge worker's: the main thread gets a core when it wants one. */
const NICE = 10;

setPriority(0, NICE);
const work = workerData as GraphWork;
workOn(work, instantiateKernels(work.memory));
