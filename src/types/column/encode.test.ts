/** The column encoder against the plain codec: same bytes for every type, format and row. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWriter } from './byte-writer.ts';
import { columnEncoder, type ValueFormat } from './encode.ts';
import { OID } from '../oids.ts';
import { typeByOid } from '../registry.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { vectorOf } from './vector.ts';

function encoded(oid: number, format: ValueFormat, values: readonly (string | null)[]): Buffer {
  const type = typeByOid(oid);
  const datums = values.map((value) => (value === null ? null : type.parse(value, -1, DEFAULT_SETTINGS)));
  const vector = vectorOf(type.vector, datums);
  const out = new ByteWriter(8);
  const write = columnEncoder(type, format, DEFAULT_SETTINGS);
  for (let row = 0; row < datums.length; row++) write(vector, row, out);
  return Buffer.from(out.finish());
}

function plain(oid: number, format: ValueFormat, values: readonly (string | null)[]): Buffer {
  const type = typeByOid(oid);
  const parts = values.map((value) => {
    const length = Buffer.alloc(4);
    if (value === null) {
      length.writeInt32BE(-1);
      return length;
    }
    const datum = type.parse(value, -1, DEFAULT_SETTINGS);
    const bytes = format === 'binary' ? type.send(datum) : Buffer.from(type.format(datum, DEFAULT_SETTINGS));
    length.writeInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return Buffer.concat(parts);
}

const SAMPLES: readonly (readonly [number, readonly (string | null)[]])[] = [
  [OID.bool, ['t', null, 'f']],
  [OID.int2, ['0', '-32768', '32767', null]],
  [OID.int4, ['0', '-1', '2147483647', '-2147483648', '10', '99', '100', null]],
  [OID.int8, ['0', '-9223372036854775808', '9223372036854775807', '9007199254740993', '-12', '4294967296']],
  [OID.float4, ['1.5', '0.1', 'NaN', null]],
  [OID.float8, ['1.5', '1e20', '-0', null]],
  [OID.oid, ['4294967295', '0']],
  [OID.text, ['', 'é😀', null, 'x'.repeat(5000)]],
  [OID.jsonb, ['{"b": 1, "a": [1, 2]}', null]],
  [OID.uuid, ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', null]],
  [OID.date, ['2024-02-29', 'infinity']],
  [OID.timestamptz, ['2024-02-29 12:00:00.5+00', null]],
  [OID.time, ['12:00:00']],
  [OID.numeric, ['12345.678', null]],
  [OID.vector, ['[1,2,3]', null]],
  [OID.tid, ['(1,2)']],
  [OID.char, ['a', '']],
  [1009, ['{a,NULL}', null]],
];

test.each(SAMPLES)('type %d', (oid, values) => {
  for (const format of ['text', 'binary'] as const) {
    expect(encoded(oid, format, values).equals(plain(oid, format, values))).toBe(true);
  }
});

test('floats and dates of many shapes', () => {
  const decimals = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((value) => String(value / 10_000));
  const floats = fc.array(fc.oneof(decimals, fc.double().map(String)), { maxLength: 20 });
  const days = fc.array(fc.integer({ min: -800_000, max: 3_000_000 }), { maxLength: 20 });
  const dates = days.map((values) => values.map((day) => typeByOid(OID.date).format(day, DEFAULT_SETTINGS)));
  fc.assert(
    fc.property(floats, dates, (some, others) => {
      expect(encoded(OID.float8, 'text', some).equals(plain(OID.float8, 'text', some))).toBe(true);
      expect(encoded(OID.date, 'text', others).equals(plain(OID.date, 'text', others))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('integers are written digit by digit as String writes them', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const out = new ByteWriter(1);
      out.writeDecimal(value);
      expect(Buffer.from(out.finish()).toString()).toBe(String(value));
    }),
  );
});
