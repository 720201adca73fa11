/** Values cut into pieces, cloned as between processes, and put together again. */
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { DatumAssembly, type Piece, piecesOf } from './datum-pieces.ts';

function crossed(datum: Datum): { value: Datum; largest: number } {
  const assembly = new DatumAssembly();
  let largest = 0;
  for (const piece of piecesOf(datum)) {
    const bytes = serialize(piece);
    largest = Math.max(largest, bytes.length);
    assembly.add(deserialize(bytes) as Piece);
  }
  return { value: assembly.finish(), largest };
}

const array = (elements: readonly Datum[]): Datum => ({
  datum: 'array',
  elementType: OID.text,
  dimensions: [{ length: elements.length, lowerBound: 1 }],
  elements,
});
const long = (count: number): string => 'aé'.repeat(count);

describe('pieces of a value', () => {
  it.each<[string, Datum]>([
    ['null', null],
    ['a long text', long(3_000_000)],
    ['a text of pairs that a cut may part', '𝒳'.repeat(1_500_001)],
    ['bytes', new Uint8Array(5_000_000).fill(7)],
    ['a view of a larger buffer', new Float32Array(4_000_000).subarray(5, 9)],
    ['many elements', array(Array.from({ length: 300_000 }, (_, i) => (i % 9 === 0 ? null : `e${i}`)))],
    ['elements of all sizes', array(['a', long(2_000_000), null, 'b', long(10), long(900_000)])],
    ['a record', { datum: 'record', types: [25, 20], names: ['a', 'b'], fields: [long(2_000_000), 7n] }],
    ['a large number', { datum: 'numeric', digits: 7n ** 150_000n, scale: 3 }],
  ])('are of a size that can be sent: %s', (_, datum) => {
    const { value, largest } = crossed(datum);
    expect(value).toEqual(datum);
    expect(largest).toBeLessThan(8 * 1024 * 1024);
  });

  it('give any value back', () => {
    const { datum } = fc.letrec<{ datum: Datum }>((tie) => ({
      datum: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.bigInt(),
        fc.string(),
        fc.uint8Array(),
        fc.integer({ min: 1, max: 700_000 }).map(long),
        fc.array(tie('datum'), { maxLength: 5 }).map(array),
        fc
          .array(tie('datum'), { maxLength: 5 })
          .map((fields): Datum => ({ datum: 'record', types: [], fields })),
      ),
    }));
    fc.assert(
      fc.property(datum, (given) => {
        expect(crossed(given).value).toEqual(given);
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});
