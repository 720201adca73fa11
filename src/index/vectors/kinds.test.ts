/**
 * Bit, sparse and multi-vectors against brute force in float64: every measure, head, segment, merged with
 * deleted rows and read back, masks and limits.
 */
import { seededRandom } from '../../seeded-random.ts';
import { describe, expect, it } from 'vitest';
import type { BitsDatum, Datum, MatrixDatum, SparseDatum } from '../../types/datum.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { BITS } from './bits.ts';
import { MATRICES } from '../matrices/matrices.ts';
import type { VectorArmValue, VectorDatum } from '../request.ts';
import { SPARSE } from '../sparse/sparse.ts';
import type { Structure, StructureMethod, StructureOptions } from '../structure.ts';

const LIVE = new AbortController().signal;

interface Kind {
  readonly name: string;
  readonly method: StructureMethod;
  readonly dimension: number;
  readonly metric: string;
  readonly value: VectorArmValue;
  readonly rows: number;
  readonly higherIsBetter: boolean;
  make(random: () => number): VectorDatum;
  /** Brute force: what the statement sees. */
  between(stored: VectorDatum, query: VectorDatum): number;
}

function bits(length: number, share: number) {
  return (random: () => number): BitsDatum => {
    const bytes = new Uint8Array(Math.ceil(length / 8));
    for (let i = 0; i < length; i++)
      if (random() < share) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (0x80 >> (i & 7));
    return { datum: 'bits', length, bytes };
  };
}

function bitsBetween(measure: 'hamming' | 'jaccard') {
  return (stored: VectorDatum, query: VectorDatum): number => {
    const [x, y] = [stored as BitsDatum, query as BitsDatum];
    let different = 0;
    let both = 0;
    for (let i = 0; i < 8 * x.bytes.length; i++) {
      const bit = (value: BitsDatum): number => ((value.bytes[i >> 3] as number) >> (i & 7)) & 1;
      if (bit(x) !== bit(y)) different++;
      else both += bit(x);
    }
    if (measure === 'hamming') return different;
    return both === 0 ? 1 : 1 - both / (both + different);
  };
}

/** Few indexes occur often, as words do. @param signed values of both signs. */
function sparse(dimension: number, most: number, signed: boolean) {
  return (random: () => number): SparseDatum => {
    const values = new Map<number, number>();
    const count = Math.floor(random() * most);
    for (let i = 0; i < count; i++) {
      const size = Math.exp(3 * random()) - (signed ? 5 : 0);
      values.set(Math.floor(random() ** 3 * dimension), Math.fround(size));
    }
    const indices = Uint32Array.from(values.keys()).sort();
    const of = Float32Array.from(indices, (index) => values.get(index) as number);
    return { datum: 'sparse', dimension, indices, values: of };
  };
}

const DENSE = new WeakMap<SparseDatum, Float64Array>();

function dense(vector: SparseDatum): Float64Array {
  let all = DENSE.get(vector);
  if (all === undefined) {
    all = new Float64Array(vector.dimension);
    for (const [i, index] of vector.indices.entries()) all[index] = vector.values[i] as number;
    DENSE.set(vector, all);
  }
  return all;
}

function sparseBetween(value: string) {
  return (stored: VectorDatum, query: VectorDatum): number => {
    const [a, b] = [dense(stored as SparseDatum), dense(query as SparseDatum)];
    const sum = (of: (x: number, y: number) => number): number => {
      let total = 0;
      for (let i = 0; i < a.length; i++) total += of(a[i] as number, b[i] as number);
      return total;
    };
    const dot = sum((x, y) => x * y);
    if (value === 'dot_product') return dot;
    if (value === '<#>') return -dot;
    if (value === 'cosine') return dot / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
    if (value === '<->') return Math.sqrt(sum((x, y) => (x - y) ** 2));
    return sum((x, y) => Math.abs(x - y));
  };
}

function matrix(dimension: number, most: number) {
  return (random: () => number): MatrixDatum => {
    const rows = 1 + Math.floor(random() * most);
    const values = Float32Array.from({ length: rows * dimension }, () => random() * 2 - 1);
    return { datum: 'matrix', rows, dimension, values };
  };
}

function maxSim(stored: VectorDatum, query: VectorDatum): number {
  const [x, y] = [stored as MatrixDatum, query as MatrixDatum];
  let sum = 0;
  for (let q = 0; q < y.rows; q++) {
    let best = -Infinity;
    for (let row = 0; row < x.rows; row++) {
      let dot = 0;
      for (let i = 0; i < x.dimension; i++) {
        dot += (x.values[row * x.dimension + i] as number) * (y.values[q * x.dimension + i] as number);
      }
      best = Math.max(best, dot);
    }
    sum += best;
  }
  return sum;
}

const binary = { method: BITS, value: 'metric', higherIsBetter: false } as const;
const lists = { method: SPARSE, value: 'metric', higherIsBetter: true, dimension: 400 } as const;
const late = { method: MATRICES, metric: 'maxsim', value: 'metric', higherIsBetter: true } as const;
const unsigned = sparse(400, 40, false);
const signed = sparse(400, 40, true);

const KINDS: readonly Kind[] = [
  ...(['hamming', 'jaccard'] as const).flatMap((metric) =>
    [5, 64, 700].map((dimension) => ({
      ...binary,
      name: `${dimension} bits, ${metric}`,
      dimension,
      metric,
      rows: 1200,
      make: bits(dimension, metric === 'hamming' ? 0.5 : 0.1),
      between: bitsBetween(metric),
    })),
  ),
  ...(['dot_product', 'cosine', 'l1'] as const).map((metric) => ({
    ...lists,
    name: `sparse, ${metric}`,
    metric,
    higherIsBetter: metric !== 'l1',
    rows: 1200,
    make: unsigned,
    between: sparseBetween(metric),
  })),
  ...(['<#>', '<->', '<+>'] as const).map((value) => ({
    ...lists,
    name: `sparse, signed, ${value}`,
    metric: 'dot_product',
    value,
    higherIsBetter: false,
    rows: 1200,
    make: signed,
    between: sparseBetween(value),
  })),
  {
    ...lists,
    name: 'sparse, long queries',
    metric: 'dot_product',
    rows: 2500,
    make: sparse(400, 300, false),
    between: sparseBetween('dot_product'),
  },
  { ...late, name: 'small matrices', dimension: 3, rows: 500, make: matrix(3, 4), between: maxSim },
  { ...late, name: 'larger matrices', dimension: 70, rows: 1500, make: matrix(70, 12), between: maxSim },
];

function best(kind: Kind, values: readonly (VectorDatum | null)[], query: VectorDatum) {
  const sign = kind.higherIsBetter ? -1 : 1;
  return values
    .map((value, row) => ({ row, score: value === null ? Number.NaN : kind.between(value, query) }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => sign * (a.score - b.score) || a.row - b.row);
}

function prepare(kind: Kind, options: StructureOptions, structure: Structure, query: VectorDatum) {
  const request = { kind: 'vector', index: 1, query, value: kind.value } as const;
  return kind.method.prepare(options, request, [{ structure, visible: null, limit: structure.rowCount }]);
}

function headOf(kind: Kind, options: StructureOptions, values: readonly (VectorDatum | null)[]) {
  const head = kind.method.head(options);
  const nulls = Uint8Array.from(values, (value) => (value === null ? 1 : 0));
  const half = Math.floor(values.length / 2);
  for (const [from, to] of [
    [0, half],
    [half, values.length],
  ] as const) {
    const some = new ObjectVector(values.slice(from, to) as Datum[], nulls.slice(from, to));
    head.append({ kind: head.kind, values: some });
  }
  return head;
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
  const random = seededRandom(kind.rows + kind.dimension);
  const options = { dimension: kind.dimension, options: { metric: kind.metric } };
  const values = Array.from({ length: kind.rows }, (__, i) => (i % 7 === 3 ? null : kind.make(random)));
  const head = headOf(kind, options, values);
  const gone = (row: number): boolean => row % 5 === 1;
  const rowMap = new Int32Array(kind.rows).fill(-1);
  let kept = 0;
  for (let row = 0; row < kind.rows; row++) if (!gone(row)) rowMap[row] = kept++;
  const merged = kind.method.merge(options, [{ structure: head, rowMap }], kept);
  const reload = (structure: Structure): Structure =>
    kind.method.load(options, structure.sections(), structure.rowCount);
  const queries = Array.from({ length: 2 }, () => kind.make(random));
  const left = values.filter((__, row) => !gone(row));

  async function expectBest(
    structure: Structure,
    expected: ReturnType<typeof best>,
    query: VectorDatum,
    mask: Uint32Array | null,
    limit: number,
  ) {
    const prepared = prepare(kind, options, structure, query);
    expect(prepared.higherIsBetter).toBe(kind.higherIsBetter);
    for (const count of [1, 10, 100]) {
      const hits = await structure.search(prepared, { count, mask, limit, signal: LIVE });
      const cut = expected[count - 1]?.score ?? expected.at(-1)?.score ?? 0;
      expect(hits.rows.length).toBeGreaterThanOrEqual(Math.min(count, expected.length));
      for (const [i, row] of hits.rows.entries()) {
        const found = expected.find((hit) => hit.row === row)?.score ?? Number.NaN;
        expect(hits.scores[i]).toBeCloseTo(found, 4);
        if (i < count) expect(kind.higherIsBetter ? cut - found : found - cut).toBeLessThan(1e-4);
      }
      const rows = hits.rows.slice().sort();
      const scores = [...rows].map((row) => hits.scores[hits.rows.indexOf(row)] as number);
      expect([...structure.score(prepared, rows)]).toEqual(scores);
    }
  }

  it('finds what brute force finds, in a head and a segment', async () => {
    const half = Math.floor(kind.rows / 2);
    const mapOf = (from: number, to: number): Int32Array => rowMap.slice(from, to);
    const parts = [headOf(kind, options, values.slice(0, half)), headOf(kind, options, values.slice(half))];
    const inputs = [
      { structure: reload(parts[0] as Structure), rowMap: mapOf(0, half) },
      { structure: parts[1] as Structure, rowMap: mapOf(half, kind.rows) },
    ];
    const joined = kind.method.merge(options, inputs, kept);
    for (const query of queries) {
      const all = best(kind, values, query);
      await expectBest(head, all, query, null, kind.rows);
      await expectBest(reload(head), all, query, null, kind.rows);
      const some = best(kind, left, query);
      for (const structure of [merged, reload(merged), joined]) {
        await expectBest(structure, some, query, null, kept);
      }
    }
  });

  it.each([2, 30, 1000])('keeps to a mask of one row in %i and to a limit', async (share) => {
    const mask = new Uint32Array(Math.ceil(kind.rows / 32));
    for (let row = 0; row < kind.rows; row += share)
      mask[row >> 5] = (mask[row >> 5] ?? 0) | (1 << (row & 31));
    const query = queries[0] as VectorDatum;
    for (const limit of [kind.rows, 333]) {
      const wanted = values.map((value, row) => (row % share === 0 && row < limit ? value : null));
      await expectBest(head, best(kind, wanted, query), query, mask, limit);
      await expectBest(reload(head), best(kind, wanted, query), query, mask, limit);
    }
  });

  it('names both dimensions when they differ', () => {
    const other = { ...(queries[0] as SparseDatum), dimension: 9, length: 9 };
    const prepared = prepare(kind, options, head, other);
    expect(() => head.score(prepared, Uint32Array.of(0))).toThrow(/different .* \d+ and 9/);
  });
});

it('ends an inner product early where few rows can still be the best', async () => {
  const make = sparse(200, 150, false);
  const random = seededRandom(5);
  const options = { dimension: 200, options: { metric: 'dot_product' } };
  const values = Array.from({ length: 2000 }, () => make(random));
  // A few rows are far better than all others, and the query has one heavy index.
  const query = { ...make(random) };
  for (const row of [7, 1234]) values[row] = { ...query, values: query.values.map((value) => 40 * value) };
  const head = headOf(KINDS.at(-3) as Kind, options, values);
  const rowMap = Int32Array.from(values, (_, row) => row);
  const segment = SPARSE.merge(options, [{ structure: head, rowMap }], values.length);
  const prepared = SPARSE.prepare(options, { kind: 'vector', index: 1, query, value: 'metric' }, []);
  const hits = await segment.search(prepared, { count: 2, mask: null, limit: values.length, signal: LIVE });
  expect(hits.strategy).toBe('sparse lists, MaxScore');
  expect([...hits.rows]).toEqual([7, 1234]);
  expect(hits.scores[0]).toBe(head.score(prepared, Uint32Array.of(7))[0]);
});

describe('a long multi-vector search', () => {
  const make = matrix(64, 30);
  const random = seededRandom(77);
  const options = { dimension: 64, options: {} };
  const values = Array.from({ length: 3000 }, () => make(random));
  const head = headOf(KINDS.at(-1) as Kind, options, values);
  const rowMap = Int32Array.from(values, (_, row) => row);
  const segment = MATRICES.merge(options, [{ structure: head, rowMap }], values.length);
  const query = make(random);

  it.each([0, 200])('finds the best by signs first: %i candidates', async (candidates) => {
    const request = { kind: 'vector', index: 1, query, value: 'metric', candidates } as const;
    const prepared = MATRICES.prepare(options, request, []);
    const hits = await segment.search(prepared, {
      count: 10,
      mask: null,
      limit: values.length,
      signal: LIVE,
    });
    expect(hits.strategy).toBe('MaxSim, signs first');
    const exact = await head.search(prepared, { count: 10, mask: null, limit: values.length, signal: LIVE });
    expect([...hits.rows]).toEqual([...exact.rows]);
    expect([...hits.scores]).toEqual([...exact.scores]);
  });

  it('scores more candidates where estimates say little', async () => {
    const near = Float32Array.from({ length: 64 }, () => random() - 0.5);
    const alike = values.map(
      (value): MatrixDatum => ({
        ...value,
        values: value.values.map((x, i) => (near[i % 64] as number) + 0.01 * x),
      }),
    );
    const close = headOf(KINDS.at(-1) as Kind, options, alike);
    const prepared = MATRICES.prepare(options, { kind: 'vector', index: 1, query, value: 'metric' }, []);
    const joined = MATRICES.merge(options, [{ structure: close, rowMap }], alike.length);
    const [some, all] = await Promise.all(
      [joined, close].map((structure) =>
        structure.search(prepared, { count: 10, mask: null, limit: alike.length, signal: LIVE }),
      ),
    );
    expect(some?.rows).toEqual(all?.rows);
  });

  it('stops when aborted', async () => {
    const prepared = MATRICES.prepare(options, { kind: 'vector', index: 1, query, value: 'metric' }, []);
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(
      segment.search(prepared, { count: 10, mask: null, limit: values.length, signal: aborted }),
    ).rejects.toThrow('stop');
  });
});
