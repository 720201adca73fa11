/** Batches of every kind of column come back as they were. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Datum } from '../datum.ts';
import { decodeBatch, encodeBatch } from './batch-codec.ts';
import { ObjectVector } from './object-vector.ts';
import { type Batch, TextVector, type Vector, type VectorKind, vectorOf } from './vector.ts';

const again = (batch: Batch): Batch => decodeBatch(encodeBatch(batch));

const rowsOf = ({ length, columns }: Batch): Datum[][] =>
  Array.from({ length }, (_, row) => columns.map((column) => column.get(row)));

const float32s = fc.float32Array({ maxLength: 5 });
const bytes = fc.uint8Array({ maxLength: 40 });
const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.string({ unit: 'binary', maxLength: 40 });
const numeric = fc.oneof(
  fc.record({ datum: fc.constant('numeric' as const), digits: fc.bigInt(), scale: fc.nat(40) }),
  fc.constantFrom('NaN' as const, 'Infinity' as const, '-Infinity' as const).map((special) => ({
    datum: 'numeric' as const,
    digits: 0n,
    scale: 0,
    special,
  })),
);

const { datum } = fc.letrec<{ datum: Datum; list: Datum[] }>((tie) => ({
  list: fc.array(tie('datum'), { maxLength: 4 }),
  datum: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.bigInt(),
    text,
    bytes,
    float32s,
    numeric,
    fc.record({
      datum: fc.constant('interval' as const),
      months: int,
      days: int,
      micros: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    }),
    fc.record({ datum: fc.constant('bits' as const), length: fc.nat(), bytes }),
    fc.record({
      datum: fc.constant('sparse' as const),
      dimension: fc.nat(),
      indices: fc.array(fc.nat(), { maxLength: 5 }).map((indices) => Uint32Array.from(indices)),
      values: float32s,
    }),
    fc.record({
      datum: fc.constant('matrix' as const),
      rows: fc.nat(),
      dimension: fc.nat(),
      values: float32s,
    }),
    fc.record({
      datum: fc.constant('array' as const),
      elementType: fc.nat(),
      dimensions: fc.array(fc.record({ length: fc.nat(), lowerBound: int }), { maxLength: 3 }),
      elements: tie('list'),
    }),
    fc.record({
      datum: fc.constant('record' as const),
      types: fc.array(fc.nat(), { maxLength: 4 }),
      fields: tie('list'),
    }),
    fc.record({
      datum: fc.constant('record' as const),
      types: fc.array(fc.nat(), { maxLength: 4 }),
      names: fc.array(text, { minLength: 1, maxLength: 4 }),
      fields: tie('list'),
    }),
    fc.record({
      datum: fc.constant('range' as const),
      rangeType: fc.nat(),
      isEmpty: fc.boolean(),
      lower: tie('datum'),
      upper: tie('datum'),
      lowerInclusive: fc.boolean(),
      upperInclusive: fc.boolean(),
    }),
  ),
}));

const DATUMS: Readonly<Record<VectorKind, fc.Arbitrary<Datum>>> = {
  bool: fc.boolean(),
  int32: int,
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float64: fc.double(),
  text,
  object: datum,
};

const columnOf = (length: number): fc.Arbitrary<Vector> =>
  fc
    .constantFrom(...(Object.keys(DATUMS) as VectorKind[]))
    .chain((kind) =>
      fc
        .array(fc.option(DATUMS[kind], { freq: 5 }), { minLength: length, maxLength: length })
        .map((datums) => vectorOf(kind, datums)),
    );

const batch = fc
  .nat(20)
  .chain((length) =>
    fc.array(columnOf(length), { maxLength: 5 }).map((columns): Batch => ({ length, columns })),
  );

describe('a batch as bytes', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(batch, (one) => {
        const back = again(one);
        expect(back.length).toBe(one.length);
        expect(back.columns.map((column) => column.kind)).toEqual(one.columns.map((column) => column.kind));
        expect(rowsOf(back)).toEqual(rowsOf(one));
      }),
    );
  });

  it('comes back from slices and taken rows', () => {
    fc.assert(
      fc.property(batch, fc.nat(20), fc.nat(20), (one, a, b) => {
        const [start, end] = [Math.min(a, b, one.length), Math.min(Math.max(a, b), one.length)];
        const columns = one.columns.map((column) => column.slice(start, end));
        const slice = { length: end - start, columns };
        expect(rowsOf(again(slice))).toEqual(rowsOf(one).slice(start, end));
        const rows = Array.from({ length: slice.length }, (_, row) => slice.length - 1 - row);
        const taken = { length: rows.length, columns: columns.map((column) => column.take(rows)) };
        expect(rowsOf(again(taken))).toEqual(rowsOf(slice).reverse());
      }),
    );
  });

  it('keeps texts of a dictionary and numerics of one scale', () => {
    const words = TextVector.fromStrings(['a', 'über', '']);
    const coded = TextVector.fromCodes(
      { codes: Uint16Array.of(2, 1, 1, 0), words },
      Uint8Array.of(0, 0, 1, 0),
    );
    const decimals = ObjectVector.fromDecimals({ units: Float64Array.of(1, -250, 0, 7), scale: 2 });
    const [text, numbers] = again({ length: 4, columns: [coded, decimals] }).columns;
    expect([0, 1, 2, 3].map((row) => text?.get(row))).toEqual(['', 'über', null, 'a']);
    expect(numbers?.kind === 'object' && numbers.isDecimal).toBe(true);
    expect([0, 1, 2, 3].map((row) => numbers?.get(row))).toEqual(
      [0, 1, 2, 3].map((row) => decimals.get(row)),
    );
  });

  it('may have rows without columns', () => {
    expect(again({ length: 7, columns: [] })).toEqual({ length: 7, columns: [] });
  });
});
