/**
 * Vectors to measure with: clustered ones made from a seed, and the real ones of `../shared/data/ann`.
 */
import { seededRandom } from '../../src/seeded-random.ts';
import { readFileSync } from 'node:fs';

export interface VectorSet {
  readonly name: string;
  readonly dimension: number;
  /** Rows one after the other. */
  readonly base: Float32Array;
  readonly queries: Float32Array;
}

const CLUSTER_ROWS = 1_000;
const NOISE = 2;

/** Unit vectors around random centres; queries are more of the same. */
export function clustered(count: number, dimension: number, queryCount: number): VectorSet {
  const random = randomNumbers(20_261_121);
  const centres = Array.from({ length: Math.ceil(count / CLUSTER_ROWS) }, () =>
    Float32Array.from({ length: dimension }, () => normal(random)),
  );
  const fill = (vectors: Float32Array): Float32Array => {
    for (let from = 0; from < vectors.length; from += dimension) {
      const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
      for (let i = 0; i < dimension; i++) vectors[from + i] = (centre[i] as number) + NOISE * normal(random);
      scale(vectors.subarray(from, from + dimension));
    }
    return vectors;
  };
  const base = fill(new Float32Array(count * dimension));
  const queries = fill(new Float32Array(queryCount * dimension));
  return { name: `${count} × ${dimension}, clustered`, dimension, base, queries };
}

export function realVectors(folder: string, queryCount: number): VectorSet {
  const root = new URL(`../../../shared/data/ann/${folder}/`, import.meta.url);
  const base = readArray(new URL('base.npy', root));
  const queries = readArray(new URL('queries.npy', root));
  return {
    name: folder,
    dimension: base.columns,
    base: base.values,
    queries: queries.values.subarray(0, queryCount * base.columns),
  };
}

/** Rows of `set` with the smallest squared Euclidean distance to each query, among those `keeps` lets through. */
export function nearest(
  set: VectorSet,
  { query, k, keeps }: { query: number; k: number; keeps: (row: number) => boolean },
): number[] {
  const { dimension, base } = set;
  const wanted = vectorOf(set.queries, dimension, query);
  const found: { row: number; distance: number }[] = [];
  for (let row = 0; row < base.length / dimension; row++) {
    if (!keeps(row)) continue;
    const distance = squaredDistance(base, row * dimension, wanted);
    const worst = found[k - 1]?.distance ?? Infinity;
    if (distance >= worst) continue;
    found.push({ row, distance });
    found.sort((a, b) => a.distance - b.distance);
    if (found.length > k) found.pop();
  }
  return found.map(({ row }) => row);
}

export function vectorOf(vectors: Float32Array, dimension: number, row: number): Float32Array {
  return vectors.subarray(row * dimension, (row + 1) * dimension);
}

/** As pgvector and Quern read it. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function squaredDistance(base: Float32Array, at: number, query: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < query.length; i++) {
    const difference = (base[at + i] as number) - (query[i] as number);
    sum += difference * difference;
  }
  return sum;
}

function scale(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
}

/** A NumPy array of float32 or uint8 with two axes. */
function readArray(file: URL): { values: Float32Array; columns: number } {
  const bytes = readFileSync(file);
  const headerBytes = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + headerBytes);
  const [, columns] = /\((\d+), (\d+)\)/.exec(header)?.slice(1).map(Number) ?? [];
  const data = bytes.subarray(10 + headerBytes);
  const values = header.includes('|u1')
    ? Float32Array.from(data)
    : new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
  return { values, columns: columns as number };
}

/** In (0, 1). */
export function randomNumbers(seed: number): () => number {
  const random = seededRandom(seed);
  return () => random() + 2 ** -33;
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}
