/** A thread that inserts entries into a graph beside the one that started it. */
import { workerData } from 'node:worker_threads';
import { stepBack } from '../../worker-calls.ts';
import { type GraphWork, workOn } from './graph-work.ts';
import { instantiateKernels } from '../kernels.ts';

stepBack();
const work = workerData as GraphWork;
workOn(work, instantiateKernels(work.memory));
