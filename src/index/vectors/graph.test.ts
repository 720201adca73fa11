/** Graphs over awkward vectors: many that are equal, and graphs that lose what held them together. */
import { expect, it } from 'vitest';
import { seededRandom } from '../../seeded-random.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { GRAPH_WORK, workOn } from './graph-work.ts';
import { instantiateKernels, sharedMemory } from '../kernels.ts';
import type { StructureOptions } from '../structure.ts';
import type { VectorGraph } from './graph.ts';
import { queryOf } from './query.ts';
import type { VectorsStructure } from './vectors.ts';
import { VECTORS } from './method.ts';

const ALWAYS_GRAPH = { graphBytesMin: 1, progress: null };

const optionsOf = (dimension: number, options: Record<string, string>): StructureOptions => ({
  dimension,
  options,
});

/** A merged segment with a graph. */
function segmentOf(options: StructureOptions, values: readonly Float32Array[]): VectorsStructure {
  const head = VECTORS.head(options);
  head.append({ kind: 'vectors', values: new ObjectVector(values) });
  return mergedOf(options, head as VectorsStructure, () => true);
}

function mergedOf(
  options: StructureOptions,
  from: VectorsStructure,
  keeps: (row: number) => boolean,
): VectorsStructure {
  let next = 0;
  const rowMap = Int32Array.from({ length: from.rowCount }, (_, row) => (keeps(row) ? next++ : -1));
  return VECTORS.merge(options, [{ structure: from, rowMap }], next, ALWAYS_GRAPH) as VectorsStructure;
}

/** As the next merge reads it. */
const stored = (options: StructureOptions, structure: VectorsStructure): VectorsStructure =>
  VECTORS.load(options, structure.sections(), structure.rowCount) as VectorsStructure;

const graphOf = ({ graph }: VectorsStructure): VectorGraph => {
  if (graph === null) throw new Error('no graph');
  return graph;
};

function nearness(metric: string, a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb, distance] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    dot += x * y;
    aa += x * x;
    bb += y * y;
    distance += (x - y) ** 2;
  }
  return metric === 'cosine' ? dot / Math.sqrt(aa * bb) : metric === 'euclidean' ? -distance : dot;
}

const METRICS = ['cosine', 'euclidean', 'dot_product'] as const;

it.each(METRICS.flatMap((metric) => [0, 1_000, 3_000].map((equal) => [metric, equal] as const)))(
  'finds by %s what is near where %i of 4,000 vectors are equal',
  (metric, equal) => {
    const random = seededRandom(5);
    const draw = (): Float32Array => Float32Array.from({ length: 32 }, () => random() - 0.5);
    const same = draw();
    const places = Array.from({ length: 4_000 }, (_, row) => ({ row, at: random() }));
    places.sort((a, b) => a.at - b.at);
    const values = places.map(({ row }) => (row < equal ? same : draw()));
    const graph = graphOf(segmentOf(optionsOf(32, { metric }), values));
    let found = 0;
    for (let i = 0; i < 50; i++) {
      const query = i % 2 === 0 ? draw() : same.map((x) => x + 0.1 * (random() - 0.5));
      const all = values.map((value) => nearness(metric, value, query));
      const least = (all.toSorted((a, b) => b - a)[9] as number) - 1e-6;
      const { entries } = graph.search(queryOf(query, metric), {
        ef: graph.ef,
        mask: null,
        comparedMax: values.length,
      });
      found += Math.min(10, entries.filter((entry) => (all[entry] as number) >= least).length);
    }
    expect(found / 500).toBeGreaterThanOrEqual(0.95);
  },
);

/** Groups far from each other, one after the other. */
function sortedGroups(groups: number, rows: number, random: () => number): Float32Array[] {
  return Array.from({ length: groups }, () => {
    const centre = Float32Array.from({ length: 48 }, () => random() - 0.5);
    return Array.from({ length: rows }, () => centre.map((x) => x + 0.1 * (random() - 0.5)));
  }).flat();
}

/** The part of the ten nearest to vectors beside stored ones that the graph finds as it searches usually. */
function recallBeside(graph: VectorGraph, values: readonly Float32Array[], random: () => number): number {
  let found = 0;
  for (let i = 0; i < 60; i++) {
    const from = values[Math.floor(random() * values.length)] as Float32Array;
    const query = from.map((x) => x + 0.05 * (random() - 0.5));
    const all = values.map((value) => nearness('euclidean', value, query));
    const least = all.toSorted((a, b) => b - a)[9] as number;
    const options = { ef: graph.ef, mask: null, comparedMax: values.length };
    const { entries } = graph.search(queryOf(query, 'euclidean'), options);
    found += Math.min(10, entries.filter((entry) => (all[entry] as number) >= least).length);
  }
  return found / 600;
}

it('finds its way between groups that came one after the other, also when some of them go', () => {
  const random = seededRandom(9);
  const [groups, rows] = [40, 150];
  const values = sortedGroups(groups, rows, random);
  const options = optionsOf(48, { metric: 'euclidean' });
  const segment = segmentOf(options, values);
  expect(recallBeside(graphOf(segment), values, random)).toBeGreaterThanOrEqual(0.95);
  const keeps = (row: number): boolean => Math.floor(row / rows) % 4 > 0;
  const merged = mergedOf(options, stored(options, segment), keeps);
  const kept = values.filter((_, row) => keeps(row));
  expect(recallBeside(graphOf(merged), kept, random)).toBeGreaterThanOrEqual(0.95);
});

/** Vectors of few values, many of them equal or zero; or one in the middle of all others. */
function awkwardVectors(random: () => number, dimension: number, count: number): Float32Array[] {
  const hasCentre = random() < 0.3;
  return Array.from({ length: count }, (_, row) => {
    if (hasCentre) {
      return Float32Array.from({ length: dimension }, (__, i) =>
        row === count - 1 ? 1 : Number(i === row % dimension),
      );
    }
    return Float32Array.from({ length: dimension }, (__, i) =>
      row % 3 === 0 ? 0 : Math.sign(random() - 0.5) * (i % 3),
    );
  });
}

/** Neighbours on level 0, by entry. */
function neighbours({ layout, memory }: VectorGraph): number[][] {
  const words = 2 * layout.m + 1;
  const links = new Uint32Array(memory.buffer, layout.links, layout.entries * words);
  return Array.from({ length: layout.entries }, (_, entry) => {
    const count = links[entry * words] as number;
    return [...links.subarray(entry * words + 1, entry * words + 1 + count)];
  });
}

it('a graph loses the entries it hangs on, merge after merge', () => {
  for (let seed = 1; seed <= 120; seed++) {
    const random = seededRandom(seed);
    const count = 10 + Math.floor(random() * (seed % 5 === 0 ? 180 : 20));
    const dimension = 2 + Math.floor(random() * 60);
    const m = 2 + Math.floor(random() * 4);
    const metric = METRICS[seed % 3] as string;
    const options = optionsOf(dimension, { metric, m: String(m), ef_construction: String(2 * m) });
    let segment = segmentOf(options, awkwardVectors(random, dimension, count));
    for (let merge = 0; merge < 3; merge++) {
      const linked = new Map<number, number>();
      for (const entry of neighbours(graphOf(segment)).flat())
        linked.set(entry, (linked.get(entry) ?? 0) + 1);
      const byLinks = [...linked.keys()].sort((a, b) => (linked.get(b) ?? 0) - (linked.get(a) ?? 0));
      const gone = new Set(byLinks.slice(0, Math.floor(0.29 * segment.rowCount)));
      segment = mergedOf(options, stored(options, segment), (row) => !gone.has(row));
      const { rowCount } = segment;
      for (const list of neighbours(graphOf(segment))) {
        expect(list.every((entry) => entry < rowCount)).toBe(true);
      }
      const query = queryOf(
        Float32Array.from({ length: dimension }, random),
        options.options.metric as never,
      );
      const { entries } = graphOf(segment).search(query, { ef: 10, mask: null, comparedMax: rowCount });
      expect(entries.length).toBeGreaterThan(0);
    }
  }
});

it('a thread that fails is not overlooked', () => {
  const memory = sharedMemory(1);
  const control = new Int32Array(new SharedArrayBuffer(GRAPH_WORK.bytes));
  // An address that is outside of the memory.
  const work = { memory, control, order: Uint32Array.of(0), repair: false, job: 2 ** 30, progress: null };
  expect(() => workOn(work, instantiateKernels(memory))).toThrow();
  expect([control[GRAPH_WORK.failed], control[GRAPH_WORK.active]]).toEqual([1, 0]);
});
