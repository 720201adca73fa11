/**
 * How far a search of a graph must look: measured with vectors that the graph does not hold yet, which are
 * as strange to it as queries are.
 */
import { clearBit, fullBits } from '../../types/column/bitset.ts';
import type { VectorGraph } from './graph.ts';
import { VectorJob } from './job.ts';
import { queryOf, type VectorQuery } from './query.ts';

/** Share of the nearest that a usual search finds. */
const RECALL_WANTED = 0.99;
const NEAREST_COUNT = 10;
const CANDIDATES = 256;
const EFS = [40, 60, 80, 100, 130, 160, 200, 250, 320, 400, 560, 800] as const;
const COMPARED_MAX = 65_536;

/** Sets the graph's usual ef: the smallest of EFS with which it finds what a scan finds. */
export function tuneGraph(graph: VectorGraph, strangers: Uint32Array): void {
  const { memory, chunk } = graph;
  const mask = fullBits(chunk.rows);
  for (const row of graph.rowsOf(strangers)) clearBit(mask, row);
  const queries = Array.from(strangers, (entry) => queryOf(memory.dequantised(chunk, entry), graph.measure));
  const nearest = queries.map((query) => goodnessByScan(graph, query, mask));
  const total = nearest.reduce((sum, { length }) => sum + length, 0);
  for (const ef of EFS) {
    let found = 0;
    let comparisons = 0;
    for (const [i, query] of queries.entries()) {
      const { entries, compared } = graph.search(query, { ef, mask, comparedMax: COMPARED_MAX });
      comparisons += compared;
      // Rows that are as good stand for each other: of a vector that many rows have, any will do.
      const wanted = nearest[i] as Float64Array;
      const least = wanted.at(-1) ?? Number.POSITIVE_INFINITY;
      const given = bestGoodness(graph, query, graph.rowsOf(entries));
      found += given.filter((goodness) => goodness >= least).length;
    }
    graph.tune(ef, comparisons / Math.max(1, queries.length));
    if (found >= RECALL_WANTED * total) return;
  }
}

function goodnessByScan(graph: VectorGraph, query: VectorQuery, mask: Uint32Array): Float64Array {
  using job = new VectorJob(graph.memory, query, CANDIDATES, mask);
  job.scan(graph.chunk, 0, graph.chunk.rows);
  return bestGoodness(graph, query, job.candidates().rows.sort());
}

/** That of the best rows, best first: by codes, which the graph is made of; the floats are not at hand here. */
function bestGoodness({ memory }: VectorGraph, query: VectorQuery, rows: Uint32Array): Float64Array {
  using job = new VectorJob(memory, query, 0, null);
  const goodness = new Float64Array(rows.length);
  job.approximate(rows, goodness);
  return goodness.sort().reverse().subarray(0, NEAREST_COUNT);
}
