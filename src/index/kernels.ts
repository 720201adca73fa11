/**
 * The only file that instantiates WebAssembly: the kernels of `wasm/`, compiled once per thread and
 * instantiated per memory. They never allocate; who instantiates them lays the memory out.
 */
import { readFileSync } from 'node:fs';

/** Exports of the files in `wasm/`; addresses are byte offsets into the memory, `job` as `vectors/job.ts` says. */
export interface Kernels {
  scan(job: number, from: number, to: number): void;
  score(job: number, rows: number, count: number, out: number): void;
  approximateRows(job: number, rows: number, count: number, out: number): void;
  quantise(floats: number, record: number, dimension: number, stride: number): number;
  searchGraph(job: number): number;
  hamming(data: number, stride: number, query: number, rows: number, count: number, out: number): void;
  jaccard(data: number, stride: number, query: number, rows: number, count: number, out: number): void;
  maxSim(
    floats: number,
    stride: number,
    ranges: number,
    count: number,
    query: number,
    queryRows: number,
    out: number,
  ): void;
  /** `job` as `matrices/memory.ts` says. */
  maxSimByCodes(job: number, count: number): void;
  fillSignTable(weights: number, words: number, table: number): void;
  estimateMaxSim(job: number, count: number): void;
  encodeSigns(
    floats: number,
    model: number,
    rest: number,
    width: number,
    planes: number,
    bits: number,
  ): number;
  /** `job` as `keywords/scan.ts` says; searches give 1 when they are done. */
  beginAny(job: number): void;
  searchAny(job: number, rows: number): number;
  beginAll(job: number): void;
  searchAll(job: number, rows: number): number;
  endKeywords(job: number): void;
  insertEntry(job: number, entry: number): void;
  repairEntry(job: number, entry: number): void;
}

/** A page of WebAssembly memory. */
export const PAGE_BYTES = 64 * 1024;
const PAGES_MAX = 65_536;

const COMPILED = compile();

function compile(): WebAssembly.Module | Error {
  const file = new URL('../../build/kernels.wasm', import.meta.url);
  try {
    return new WebAssembly.Module(readFileSync(file));
  } catch (cause) {
    return new Error(`cannot load ${file.pathname}: build it with "npm run build"`, { cause });
  }
}

/** @throws Error saying how to build the kernels when they are not there. */
export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  if (COMPILED instanceof Error) throw COMPILED;
  return new WebAssembly.Instance(COMPILED, { env: { memory } }).exports as unknown as Kernels;
}

/** Shared with worker threads; it grows up to 4 GiB and never shrinks. */
export function sharedMemory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({
    initial: Math.min(Math.max(1, pages), PAGES_MAX),
    maximum: PAGES_MAX,
    shared: true,
  });
}
