/** The registry as a whole: names, array types, type display, and laws every ordered type keeps. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrayDatum } from './composite/array.ts';
import type { Datum } from './datum.ts';
import { numericOf } from './number/numeric.ts';
import { OID } from './oids.ts';
import { allTypes, arrayOf, findType, findTypeByOid, formatType, typeByOid, typeRef } from './registry.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0') && value.isWellFormed());
const micros = fc.bigInt({ min: -200_000_000_000_000_000n, max: 9_000_000_000_000_000_000n });
const float32 = fc.float();
const numeric = fc.tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat(30));

/** Values of each type, of the shape its column holds. */
const ARBITRARIES: Readonly<Record<string, fc.Arbitrary<Datum>>> = {
  bool: fc.boolean(),
  int2: fc.integer({ min: -32768, max: 32767 }),
  int4: fc.integer(),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float4: float32,
  float8: fc.double(),
  oid: fc.nat(0xffff_ffff),
  text,
  varchar: text,
  bpchar: text,
  name: text,
  bytea: fc.uint8Array(),
  uuid: fc.uuid(),
  date: fc.integer({ min: -2_451_545, max: 2_145_031_948 }),
  time: fc.bigInt({ min: 0n, max: 86_400_000_000n }),
  timestamp: micros,
  timestamptz: micros,
  interval: fc
    .tuple(fc.integer(), fc.integer(), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }))
    .map(([months, days, rest]) => ({ datum: 'interval', months, days, micros: rest })),
  numeric: numeric.map(([digits, scale]) => numericOf(digits, scale)),
  jsonb: fc
    .json()
    .map((json) => typeByOid(OID.jsonb).parse(json.replaceAll('\\u0000', ''), -1, DEFAULT_SETTINGS)),
  vector: fc
    .array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 8 })
    .map((values) => Float32Array.from(values)),
  _int4: fc.array(fc.option(fc.integer())).map((elements) => arrayDatum(OID.int4, elements)),
  _text: fc.array(fc.option(text)).map((elements) => arrayDatum(OID.text, elements)),
  pg_lsn: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
};

describe.each(Object.entries(ARBITRARIES))('%s', (name, arbitrary) => {
  const type = typeByOid(findType(name)?.oid ?? 0);
  const shown = (datum: Datum): string => type.format(datum, DEFAULT_SETTINGS);

  test('text and binary forms read back', () => {
    fc.assert(
      fc.property(arbitrary, (datum) => {
        expect(shown(type.parse(shown(datum), -1, DEFAULT_SETTINGS))).toBe(shown(datum));
        expect(shown(type.receive(type.send(datum), -1))).toBe(shown(datum));
      }),
    );
  });

  test('compare is a total order with which hashKey agrees', () => {
    const { compare, hashKey } = type;
    if (compare === undefined || hashKey === undefined) throw new Error(`${name} has no order`);
    fc.assert(
      fc.property(arbitrary, arbitrary, arbitrary, (a, b, c) => {
        expect(compare(a, a)).toBe(0);
        expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) || 0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
        expect(hashKey(a) === hashKey(b)).toBe(compare(a, b) === 0);
      }),
    );
  });
});

test('text sorts by code point, as its UTF-8 does', () => {
  const compare = typeByOid(OID.text).compare;
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compare?.(a, b) ?? NaN)).toBe(
        Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    }),
  );
  expect(compare?.('\u{10000}', '\uffff')).toBeGreaterThan(0);
});

test.each([
  ['float8', 'NaN', 'Infinity', 1],
  ['float8', '0', '-0', 0],
  ['numeric', '1.0', '1.00', 0],
  ['numeric', 'NaN', 'Infinity', 1],
  ['bpchar', 'a  ', 'a', 0],
  ['text', 'a ', 'a', 1],
  ['interval', '1 mon', '30 days', 0],
  ['jsonb', '[]', 'null', -1],
  ['jsonb', '{"a": 1}', '[1, 2]', 1],
  ['jsonb', '1.0', '1', 0],
  ['timetz', '04:00:00+00', '05:00:00+01', 1],
  ['sparsevec', '{1:1}/3', '{2:5}/3', 1],
  ['_int4', '{1,NULL}', '{1,2}', 1],
])('%s: %s against %s is %d', (name, a, b, order) => {
  const type = typeByOid(findType(name)?.oid ?? 0);
  const [x, y] = [a, b].map((literal) => type.parse(literal, -1, DEFAULT_SETTINGS));
  expect(Math.sign(type.compare?.(x as Datum, y as Datum) ?? NaN)).toBe(order);
  if (order === 0) expect(type.hashKey?.(x as Datum)).toBe(type.hashKey?.(y as Datum));
});

test('OIDs and names are unique, array types point back', () => {
  const types = allTypes();
  expect(new Set(types.map(({ oid }) => oid)).size).toBe(types.length);
  expect(new Set(types.map(({ name }) => name)).size).toBe(types.length);
  for (const type of types) {
    if (type.arrayOid !== 0) expect(findTypeByOid(type.arrayOid)?.elementOid).toBe(type.oid);
  }
  expect(arrayOf(OID.float8)?.oid).toBe(1022);
  expect(findTypeByOid(424242)).toBeUndefined();
});

test.each([
  ['int', OID.int4],
  ['integer', OID.int4],
  ['double precision', OID.float8],
  ['f32_vector', OID.vector],
  ['character varying', OID.varchar],
  ['timestamp with time zone', OID.timestamptz],
  ['integer[]', 1007],
  ['_text', 1009],
])('findType(%j)', (name, oid) => {
  expect(findType(name)?.oid).toBe(oid);
});

test.each([
  [OID.varchar, 44, 'character varying(40)'],
  [OID.numeric, typeByOid(OID.numeric).packModifier?.([10, 2]) ?? 0, 'numeric(10,2)'],
  [OID.vector, 384, 'vector(384)'],
  [OID.timestamptz, 3, 'timestamp(3) with time zone'],
  [1015, 44, 'character varying(40)[]'],
  [OID.bpchar, -1, 'bpchar'],
  [1, -1, '???'],
])('formatType(%d, %d) is %s', (oid, modifier, shown) => {
  expect(formatType(typeRef(oid, modifier))).toBe(shown);
});
