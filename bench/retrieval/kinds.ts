/**
 * Vectors of every kind in the engine itself, without SQL: what a row costs each kernel, and the best ten of
 * sparse vectors and matrices.
 */
import { BITS } from '../../src/index/vectors/bits.ts';
import { MATRICES } from '../../src/index/matrices/matrices.ts';
import type { VectorDatum } from '../../src/index/request.ts';
import { SPARSE } from '../../src/index/sparse/sparse.ts';
import type { Structure, StructureMethod } from '../../src/index/structure.ts';
import { VECTORS } from '../../src/index/vectors/method.ts';
import { ObjectVector } from '../../src/types/column/object-vector.ts';
import type { Datum } from '../../src/types/datum.ts';
import type { Peers } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { normal, randomNumbers } from './vectors.ts';

const NEVER = new AbortController().signal;
const QUERIES = 20;
const K = 10;
const DIMENSION = 384;
/** As a learned sparse encoder gives: passages and queries over a vocabulary. */
const VOCABULARY = 30_522;
const PASSAGE_TERMS = 120;
const QUERY_TERMS = 30;
/** Late interaction with short passages. */
const TOKENS = 16;
const QUERY_TOKENS = 16;
const TOKEN_DIMENSION = 64;

interface Measured {
  readonly name: string;
  readonly method: StructureMethod;
  readonly dimension: number;
  readonly metric: string;
  readonly rows: number;
  readonly stored: () => VectorDatum;
  readonly query: () => VectorDatum;
}

export async function kinds(_: Peers, quick: boolean): Promise<void> {
  const rows = quick ? 10_000 : 100_000;
  const random = randomNumbers(5);
  const dense = (): Float32Array => Float32Array.from({ length: DIMENSION }, () => normal(random));
  const scanned = Math.min(rows, 30_000);
  for (const metric of ['cosine', 'euclidean', 'dot_product', 'l1']) {
    const name = `dense, ${metric}, ${DIMENSION} dimensions`;
    await measure({
      name,
      method: VECTORS,
      dimension: DIMENSION,
      metric,
      rows: scanned,
      stored: dense,
      query: dense,
    });
  }
  const bits = (): VectorDatum => ({
    datum: 'bits',
    length: DIMENSION,
    bytes: Uint8Array.from({ length: DIMENSION / 8 }, () => 256 * random()),
  });
  for (const metric of ['hamming', 'jaccard']) {
    const name = `${DIMENSION} bits, ${metric}`;
    await measure({ name, method: BITS, dimension: DIMENSION, metric, rows, stored: bits, query: bits });
  }
  await measure({
    name: `sparse, ${PASSAGE_TERMS} of ${VOCABULARY}, query of ${QUERY_TERMS}`,
    method: SPARSE,
    dimension: VOCABULARY,
    metric: 'dot_product',
    rows,
    stored: () => sparse(random, PASSAGE_TERMS),
    query: () => sparse(random, QUERY_TERMS),
  });
  const centres = Array.from({ length: 2000 }, () =>
    Float32Array.from({ length: TOKEN_DIMENSION }, () => normal(random)),
  );
  await measure({
    name: `MaxSim, ${TOKENS} × ${TOKEN_DIMENSION}, query of ${QUERY_TOKENS}`,
    method: MATRICES,
    dimension: TOKEN_DIMENSION,
    metric: 'maxsim',
    rows,
    stored: () => matrix(random, centres, TOKENS),
    query: () => matrix(random, centres, QUERY_TOKENS),
  });
}

/** A segment of `rows`, asked for its best ten. */
async function measure(kind: Measured): Promise<void> {
  const options = { dimension: kind.dimension, options: { metric: kind.metric } };
  const segment = segmentOf(kind);
  const times: number[] = [];
  const all = Uint32Array.from({ length: kind.rows }, (_, row) => row);
  let strategy = '';
  let found = 0;
  for (let i = 0; i < QUERIES; i++) {
    const request = { kind: 'vector', index: 0, query: kind.query(), value: 'metric' } as const;
    const seen = [{ structure: segment, visible: null, limit: kind.rows }];
    const before = performance.now();
    const query = kind.method.prepare(options, request, seen);
    const hits = await segment.search(query, { count: K, mask: null, limit: kind.rows, signal: NEVER });
    times.push(performance.now() - before);
    strategy = hits.strategy;
    const sign = query.higherIsBetter ? -1 : 1;
    const last = segment
      .score(query, all)
      .map((score) => sign * score)
      .sort()[K - 1] as number;
    found += hits.scores.subarray(0, K).filter((score) => sign * score <= last).length;
  }
  const ms = median(times);
  report(kind.name, ms, {
    'ms a query': `best ${K} of ${kind.rows}`,
    'ns a row': ((1e6 * ms) / kind.rows).toFixed(1),
    strategy,
    'recall@10': (found / QUERIES / K).toFixed(3),
    'bytes a row': (segment.bytes / kind.rows).toFixed(0),
  });
  segment.release();
}

function segmentOf({ method, dimension, metric, rows, stored }: Measured): Structure {
  const options = { dimension, options: { metric } };
  const head = method.head(options);
  const step = 1_000;
  for (let row = 0; row < rows; row += step) {
    const values: Datum[] = Array.from({ length: Math.min(step, rows - row) }, stored);
    head.append({ kind: head.kind, values: new ObjectVector(values) });
  }
  // Floats of dense vectors stay in a head; a segment's are read from its column.
  if (method === VECTORS) return head;
  const rowMap = Int32Array.from({ length: rows }, (_, row) => row);
  const segment = method.merge(options, [{ structure: head, rowMap }], rows);
  head.release();
  return segment;
}

/** Frequent terms have small weights, as in texts. */
function sparse(random: () => number, terms: number): VectorDatum {
  const values = new Map<number, number>();
  while (values.size < terms) {
    const index = Math.floor(VOCABULARY * random() ** 4);
    values.set(index, Math.fround((0.2 + random()) * Math.log(2 + index)));
  }
  const indices = Uint32Array.from(values.keys()).sort();
  const weights = Float32Array.from(indices, (index) => values.get(index) as number);
  return { datum: 'sparse', dimension: VOCABULARY, indices, values: weights };
}

/** Tokens near one of the centres, of unit length. */
function matrix(random: () => number, centres: readonly Float32Array[], rows: number): VectorDatum {
  const values = new Float32Array(rows * TOKEN_DIMENSION);
  for (let row = 0; row < rows; row++) {
    const centre = centres[Math.floor(centres.length * random())] as Float32Array;
    const token = centre.map((x) => x + 0.7 * normal(random));
    const length = Math.hypot(...token);
    values.set(
      token.map((x) => x / length),
      row * TOKEN_DIMENSION,
    );
  }
  return { datum: 'matrix', rows, dimension: TOKEN_DIMENSION, values };
}
