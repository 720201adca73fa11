/**
 * Vectors against brute force in float64: every measure, head, segment and merged, masks, limits, passages.
 */
import { seededRandom } from '../../seeded-random.ts';
import { describe, expect, it } from 'vitest';
import { ObjectVector } from '../../types/column/object-vector.ts';
import type { ArmRequest, Passages } from '../request.ts';
import type { PagedBytes, Structure, StructureOptions } from '../structure.ts';
import type { Measure } from './query.ts';
import { VectorsStructure } from './vectors.ts';
import { VECTORS } from './method.ts';

type Value = Extract<ArmRequest, { kind: 'vector' }>['value'];
type Entry = readonly Float32Array[];

const LIVE = new AbortController().signal;

/** Deterministic numbers in [-1, 1). */
function randomNumbers(seed: number): () => number {
  const random = seededRandom(seed);
  return () => 2 * random() - 1;
}

function optionsOf(dimension: number, metric: string): StructureOptions {
  return { dimension, options: { metric } };
}

function bruteScore(entry: Entry, query: Float32Array, metric: string): number {
  const goodness = entry.map((x) => {
    let dot = 0;
    let squares = 0;
    let queries = 0;
    let distance = 0;
    let sizes = 0;
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [x[i] as number, query[i] as number];
      dot += a * b;
      squares += a * a;
      queries += b * b;
      distance += (a - b) ** 2;
      sizes += Math.abs(a - b);
    }
    if (metric === 'cosine') return dot / Math.sqrt(squares * queries);
    if (metric === 'l1') return -sizes;
    return metric === 'dot_product' ? dot : -distance;
  });
  const known = goodness.filter((g) => !Number.isNaN(g));
  if (known.length === 0) return Number.NaN;
  const isDistance = metric === 'euclidean' || metric === 'l1';
  return isDistance ? -Math.max(...known) : Math.max(...known);
}

function prepare(
  options: StructureOptions,
  structure: Structure,
  query: Float32Array,
  value: Value = 'metric',
) {
  const request: ArmRequest = { kind: 'vector', index: 1, query, value };
  return VECTORS.prepare(options, request, [{ structure, visible: null, limit: structure.rowCount }]);
}

/** As a segment holds it: codes in memory, the floats elsewhere. */
function reload(options: StructureOptions, structure: Structure, entries: readonly Entry[]): Structure {
  const sections = structure.sections();
  const stored = new Uint8Array(flat(entries.flat(), options.dimension).buffer);
  const floats: PagedBytes = {
    size: stored.length,
    read: (offset, into) => into.set(stored.subarray(offset, offset + into.length)),
  };
  const sizes = new Map([...sections].map(([name, { length }]) => [name, length]));
  const load = VectorsStructure.open(options.dimension, options.options.metric as Measure, {
    sizes,
    rowCount: structure.rowCount,
    floats,
  });
  for (const [name, target] of load.targets) target.set(sections.get(name) as Uint8Array);
  return load.finish();
}

function identity(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => i);
}

describe.each(['cosine', 'euclidean', 'dot_product'])('%s', (metric) => {
  it.each([
    [3, 3000, 1],
    [17, 2500, 2],
    [64, 6000, 3],
    [384, 1500, 4],
  ])('finds what brute force finds: dimension %i, %i rows', async (dimension, rows, seed) => {
    const random = randomNumbers(seed);
    const options = optionsOf(dimension, metric);
    const values = Array.from({ length: rows }, (_, i) =>
      i % 7 === 3 ? null : Float32Array.from({ length: dimension }, () => random() * (1 + (i % 3))),
    );
    const head = VECTORS.head(options);
    head.append({ kind: 'vectors', values: new ObjectVector(values, nullsOf(values)) });
    const segment = VECTORS.merge(options, [{ structure: head, rowMap: identity(rows) }], rows);
    const query = Float32Array.from({ length: dimension }, () => random());
    const sign = metric === 'euclidean' ? 1 : -1;
    const expected = values
      .map((value, row) => ({ row, score: bruteScore(value === null ? [] : [value], query, metric) }))
      .filter((hit) => !Number.isNaN(hit.score))
      .sort((a, b) => sign * (a.score - b.score) || a.row - b.row);
    const entries = values.map((value) => (value === null ? [] : [value]));
    for (const structure of [head, reload(options, segment, entries), reload(options, head, entries)]) {
      const prepared = prepare(options, structure, query);
      for (const count of [1, 10, 100]) {
        const hits = await structure.search(prepared, { count, mask: null, limit: rows, signal: LIVE });
        expect([...hits.rows]).toEqual(expected.slice(0, count).map((hit) => hit.row));
        expect(hits.scores[0]).toBeCloseTo(expected[0]?.score ?? 0, 10);
        expect(structure.score(prepared, hits.rows.slice().sort())).toEqual(
          Float64Array.from(
            [...hits.rows.keys()].sort((a, b) => (hits.rows[a] as number) - (hits.rows[b] as number)),
            (i) => hits.scores[i] as number,
          ),
        );
      }
      const all = await structure.search(prepared, { count: rows, mask: null, limit: rows, signal: LIVE });
      expect(all.rows.length).toBe(expected.length);
    }
  });
});

describe('the proof by codes', () => {
  it.each(
    ['cosine', 'euclidean', 'dot_product', 'l1'].flatMap((metric) =>
      [0.01, 1, 50].map((length) => [metric, length] as const),
    ),
  )('holds for %s and a query of length %f', async (metric, length) => {
    const random = randomNumbers(11);
    const dimension = 48;
    const options = optionsOf(dimension, metric);
    const values = Array.from({ length: 4000 }, () =>
      Float32Array.from({ length: dimension }, () => random()),
    );
    const head = VECTORS.head(options);
    head.append({ kind: 'vectors', values: new ObjectVector(values) });
    for (let repeat = 0; repeat < 10; repeat++) {
      const query = Float32Array.from({ length: dimension }, () => random() * length);
      const sign = metric === 'euclidean' || metric === 'l1' ? 1 : -1;
      const expected = values
        .map((value, row) => ({ row, score: bruteScore([value], query, metric) }))
        .sort((a, b) => sign * (a.score - b.score) || a.row - b.row);
      const hits = await head.search(prepare(options, head, query), {
        count: 10,
        mask: null,
        limit: values.length,
        signal: LIVE,
      });
      expect([...hits.rows]).toEqual(expected.slice(0, 10).map((hit) => hit.row));
      expect(hits.strategy).toBe('int8 scan');
    }
  });

  it('needs no second look at small whole numbers', async () => {
    const random = randomNumbers(12);
    const options = optionsOf(16_384, 'dot_product');
    const most = Float32Array.from({ length: 16_384 }, () => 127);
    const values = Array.from({ length: 1500 }, (_, row) => most.map((x, i) => (i < row ? -x : x)));
    const head = VECTORS.head(options);
    head.append({ kind: 'vectors', values: new ObjectVector(values) });
    const query = most.map((x) => x * (1 + Math.floor(2 * Math.abs(random()))));
    const hits = await head.search(prepare(options, head, query), {
      count: 5,
      mask: null,
      limit: values.length,
      signal: LIVE,
    });
    expect([...hits.rows.subarray(0, 1)]).toEqual([0]);
    expect(hits.scores[0]).toBe(bruteScore([values[0] as Float32Array], query, 'dot_product'));
  });
});

function nullsOf(values: readonly (Float32Array | null)[]): Uint8Array {
  return Uint8Array.from(values, (value) => (value === null ? 1 : 0));
}

describe('masks and limits', () => {
  const dimension = 32;
  const rows = 5000;
  const random = randomNumbers(9);
  const values = Array.from({ length: rows }, () => Float32Array.from({ length: dimension }, () => random()));
  const options = optionsOf(dimension, 'cosine');
  const head = VECTORS.head(options);
  head.append({ kind: 'vectors', values: new ObjectVector(values) });

  it.each([2, 3, 10, 100, 1000])('keep one row in %i', async (share) => {
    const mask = new Uint32Array(Math.ceil(rows / 32));
    for (let row = 0; row < rows; row++) {
      if (row % share === 1) mask[row >>> 5] = (mask[row >>> 5] as number) | (1 << (row & 31));
    }
    for (const limit of [rows, 4097, 33]) {
      const query = Float32Array.from({ length: dimension }, () => random());
      const hits = await head.search(prepare(options, head, query), { count: 10, mask, limit, signal: LIVE });
      const expected = values
        .map((value, row) => ({ row, score: bruteScore([value], query, 'cosine') }))
        .filter(({ row }) => row % share === 1 && row < limit)
        .sort((a, b) => b.score - a.score);
      expect([...hits.rows]).toEqual(expected.slice(0, 10).map((hit) => hit.row));
    }
  });

  it('give equal vectors in row order', async () => {
    const same = VECTORS.head(options);
    const one = values[0] as Float32Array;
    same.append({ kind: 'vectors', values: new ObjectVector(new Array<Float32Array>(3000).fill(one)) });
    const hits = await same.search(prepare(options, same, one), {
      count: 5,
      mask: null,
      limit: 3000,
      signal: LIVE,
    });
    expect([...hits.rows.slice(0, 5)]).toEqual([0, 1, 2, 3, 4]);
    expect(hits.scores[4]).toBeCloseTo(1, 12);
  });

  it('stop when aborted', async () => {
    const aborted = AbortSignal.abort(new Error('stop'));
    const big = VECTORS.head(optionsOf(4096, 'cosine'));
    const wide = Float32Array.from({ length: 4096 }, (_, i) => i);
    big.append({ kind: 'vectors', values: new ObjectVector(new Array<Float32Array>(3000).fill(wide)) });
    const prepared = prepare(optionsOf(4096, 'cosine'), big, wide);
    await expect(
      big.search(prepared, { count: 2000, mask: null, limit: 3000, signal: aborted }),
    ).rejects.toThrow('stop');
  });
});

describe('passages', () => {
  it('count a text once, by its best passage', async () => {
    const random = randomNumbers(5);
    const dimension = 24;
    const options = optionsOf(dimension, 'cosine');
    const texts: Entry[] = Array.from({ length: 2000 }, (_, i) =>
      Array.from({ length: i % 5 }, () => Float32Array.from({ length: dimension }, () => random())),
    );
    const passages = texts.map((entry, i): Passages | null =>
      i % 5 === 0
        ? null
        : { count: entry.length, vectors: flat(entry, dimension), spans: new Uint32Array(0) },
    );
    const head = VECTORS.head(options);
    head.append({ kind: 'vectors', passages });
    const rowMap = Int32Array.from(texts, (_, row) => (row < 500 ? -1 : row - 500));
    const merged = reload(
      options,
      VECTORS.merge(options, [{ structure: head, rowMap }], 1500),
      texts.slice(500),
    );
    const query = Float32Array.from({ length: dimension }, () => random());
    const expected = texts
      .map((entry, row) => ({ row, score: bruteScore(entry, query, 'cosine') }))
      .filter(({ score }) => !Number.isNaN(score))
      .sort((a, b) => b.score - a.score);
    const hits = await head.search(prepare(options, head, query), {
      count: 20,
      mask: null,
      limit: 2000,
      signal: LIVE,
    });
    expect([...hits.rows]).toEqual(expected.slice(0, 20).map((hit) => hit.row));
    const later = await merged.search(prepare(options, merged, query), {
      count: 20,
      mask: null,
      limit: 1500,
      signal: LIVE,
    });
    expect([...later.rows]).toEqual(
      expected
        .filter(({ row }) => row >= 500)
        .slice(0, 20)
        .map(({ row }) => row - 500),
    );
  });
});

function flat(entry: Entry, dimension: number): Float32Array {
  const floats = new Float32Array(entry.length * dimension);
  for (const [i, vector] of entry.entries()) floats.set(vector, i * dimension);
  return floats;
}

describe('values', () => {
  const options = optionsOf(2, 'cosine');
  const head = VECTORS.head(options);
  const zero = new Float32Array(2);
  head.append({
    kind: 'vectors',
    values: new ObjectVector([Float32Array.of(3, 4), zero, null], Uint8Array.of(0, 0, 1)),
  });
  const score = (value: Value, query: Float32Array) => [
    ...head.score(prepare(options, head, query, value), Uint32Array.of(0, 1, 2)),
  ];

  it('follow the operator asked for', () => {
    expect(score('metric', Float32Array.of(3, 4))).toEqual([1, Number.NaN, Number.NaN]);
    expect(score('<=>', Float32Array.of(-3, -4))).toEqual([2, Number.NaN, Number.NaN]);
    expect(score('<->', Float32Array.of(0, 0))).toEqual([5, 0, Number.NaN]);
    expect(score('<#>', Float32Array.of(1, 1))).toEqual([-7, -0, Number.NaN]);
    expect(score('<+>', Float32Array.of(1, 1))).toEqual([5, 2, Number.NaN]);
  });

  it('leave the cosine to a zero vector NULL', async () => {
    expect(score('metric', zero)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    const hits = await head.search(prepare(options, head, zero), {
      count: 3,
      mask: null,
      limit: 3,
      signal: LIVE,
    });
    expect(hits.rows.length).toBe(0);
  });

  it('name both dimensions when they differ', () => {
    expect(() => prepare(options, head, new Float32Array(3))).toThrow('different vector dimensions 2 and 3');
    const other = prepare(optionsOf(3, 'cosine'), head, new Float32Array(3));
    expect(() => head.score(other, Uint32Array.of(0))).toThrow('different vector dimensions 2 and 3');
  });
});
