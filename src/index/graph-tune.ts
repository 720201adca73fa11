/**
 * How far a search of a graph must look: measured with vectors that the graph does not hold yet, which are
 * as strange to it as queries are.
 */
import { clearBit, fullBits } from '../types/bitset.ts';
import type { VectorGraph } from './vector-graph.ts';
import { VectorJob } from './vector-job.ts';
import { queryOf, type VectorQuery } from './vector-query.ts';

/** Share of the nearest that a usual search finds. */
const RECALL_WANTED = 0.985;
const NEAREST_COUNT = 10;
const CANDIDATES = 256;
const EFS = [40, 60, 80, 100, 130, 160, 200, 250, 320, 400] as const;
const COMPARED_MAX = 65_536;

/** Sets the graph's usual ef: the smallest of EFS with which it finds what a scan finds. */
export function tuneGraph(graph: VectorGraph, strangers: Uint32Array): void {
  const { memory, chunk } = graph;
  const mask = fullBits(chunk.rows);
  for (const row of graph.rowsOf(strangers)) clearBit(mask, row);
  const queries = Array.from(strangers, (entry) => queryOf(memory.dequantised(chunk, entry), graph.measure));
  const nearest = queries.map((query) => new Set(nearestByScan(graph, query, mask)));
  const total = nearest.reduce((sum, { size }) => sum + size, 0);
  for (const ef of EFS) {
    let found = 0;
    let comparisons = 0;
    for (const [i, query] of queries.entries()) {
      const { entries, compared } = graph.search(query, { ef, mask, comparedMax: COMPARED_MAX });
      comparisons += compared;
      const rows = graph.rowsOf(entries);
      for (const row of nearestOf(graph, query, rows)) if (nearest[i]?.has(row)) found++;
    }
    graph.tune(ef, comparisons / Math.max(1, queries.length));
    if (found >= RECALL_WANTED * total) return;
  }
}

function nearestByScan(graph: VectorGraph, query: VectorQuery, mask: Uint32Array): Uint32Array {
  using job = new VectorJob(graph.memory, query, CANDIDATES, mask);
  job.scan(graph.chunk, 0, graph.chunk.rows);
  return nearestOf(graph, query, job.candidates().rows.sort());
}

/** By codes, which the graph is made of; the floats are not at hand where graphs are made. */
function nearestOf({ memory }: VectorGraph, query: VectorQuery, rows: Uint32Array): Uint32Array {
  using job = new VectorJob(memory, query, 0, null);
  const goodness = new Float64Array(rows.length);
  job.approximate(rows, goodness);
  const order = Uint32Array.from(rows.keys()).sort(
    (a, b) => (goodness[b] as number) - (goodness[a] as number) || a - b,
  );
  return order.subarray(0, NEAREST_COUNT).map((i) => rows[i] as number);
}
