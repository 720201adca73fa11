/** COPY's own readers read as the types' input functions do. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { copyColumn } from './columns.ts';

/** The value, or the error's message. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as Error).message;
  }
}

function copied(oid: number, text: string): unknown {
  const column = copyColumn({ oid, modifier: -1 }, DEFAULT_SETTINGS);
  const bytes = Buffer.from(`x${text}y`);
  return attempt(() => {
    column.addText(bytes, 1, bytes.length - 1);
    return column.take(1).get(0);
  });
}

const parsed = (oid: number, text: string): unknown =>
  attempt(() => typeByOid(oid).parse(text, -1, DEFAULT_SETTINGS));

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.double().map(String),
  fc.stringMatching(/^[-+0-9.eE ]{0,12}$/),
);
const field = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
const timeText = fc
  .tuple(
    fc.integer({ min: 1700, max: 2300 }),
    field(13),
    field(32),
    field(24),
    field(60),
    field(60),
    field(16),
  )
  .chain(([year, month, day, hour, minute, second, zone]) =>
    fc
      .tuple(fc.stringMatching(/^(\.[0-9-]{0,7})?$/), fc.constantFrom('+', '-', ''))
      .map(([part, sign]) => `${year}-${month}-${day} ${hour}:${minute}:${second}${part}${sign}${zone}`),
  );

describe('columns of COPY', () => {
  it.each([OID.varchar, OID.bpchar])('cut and pad as type %i with a length does', (oid) => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '𐍈', ' '), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 6 }), (texts, length) => {
        const type = { oid, modifier: length + 4 };
        const read = texts.map((one) =>
          attempt(() => typeByOid(oid).parse(one, type.modifier, DEFAULT_SETTINGS)),
        );
        const column = copyColumn(type, DEFAULT_SETTINGS);
        const errors = texts.map((one) => {
          const bytes = Buffer.from(`x${one}y`);
          return attempt(() => column.addText(bytes, 1, bytes.length - 1));
        });
        const kept = read.filter((_, i) => errors[i] === undefined);
        const vector = column.take(kept.length);
        expect(kept.map((_, i) => vector.get(i))).toEqual(kept);
        expect(errors.filter((error) => error !== undefined)).toEqual(
          read.filter((_, i) => errors[i] !== undefined),
        );
      }),
    );
  });

  it.each([OID.int2, OID.int4, OID.int8, OID.float8])('read numbers of type %i', (oid) => {
    fc.assert(
      fc.property(numberText, (text) => {
        expect(copied(oid, text)).toEqual(parsed(oid, text));
      }),
      { numRuns: 500 },
    );
  });

  it('read dates', () => {
    const year = fc.oneof(
      field(40),
      fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0')),
    );
    const dateText = fc.tuple(year, field(13), field(32)).map((parts) => parts.join('-'));
    fc.assert(
      fc.property(dateText, (text) => {
        expect(copied(OID.date, text)).toEqual(parsed(OID.date, text));
      }),
      { numRuns: 1000 },
    );
  });

  it('read timestamps with a zone', () => {
    fc.assert(
      fc.property(timeText, (text) => {
        expect(copied(OID.timestamptz, text)).toEqual(parsed(OID.timestamptz, text));
      }),
      { numRuns: 300 },
    );
  });
});
