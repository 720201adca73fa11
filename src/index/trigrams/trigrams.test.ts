/** Trigrams of a head, stored, loaded and merged, against looking at every text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vectorOf } from '../../types/column/vector.ts';
import type { Structure } from '../structure.ts';
import { TRIGRAMS } from './trigrams.ts';

const OPTIONS = { dimension: 0, options: {} };
const text = fc
  .array(fc.constantFrom('a', 'b', 'C', 'é', '漢', ' ', '😀'), { maxLength: 12 })
  .map((all) => all.join(''));
const texts = fc.array(fc.option(text), { maxLength: 40 });
const SIZE_MIN = 3;

function headOf(values: readonly (string | null)[]): Structure {
  const head = TRIGRAMS.head(OPTIONS);
  const half = values.length >> 1;
  head.append({ kind: 'trigrams', values: vectorOf('text', values.slice(0, half)) });
  head.append({ kind: 'trigrams', values: vectorOf('text', values.slice(half)) });
  return head;
}

const stored = (structure: Structure): Structure =>
  TRIGRAMS.load(OPTIONS, structure.sections(), structure.rowCount);

/** Every row that contains the piece is found. */
function check(structure: Structure, values: readonly (string | null)[], piece: string): void {
  const found = structure.containing?.([{ text: piece, anyCase: false }]) ?? null;
  if (Buffer.byteLength(piece) < SIZE_MIN) {
    expect(found).toBeNull();
    return;
  }
  const wanted = [...values.keys()].filter((row) => values[row]?.includes(piece));
  const rows = Array.from(found as Uint32Array);
  expect(rows).toEqual([...rows].sort((a, b) => a - b));
  expect(rows).toEqual(expect.arrayContaining(wanted));
}

describe('trigrams', () => {
  it('find every row with a text, in the head, stored and loaded', () => {
    fc.assert(
      fc.property(texts, text, (values, piece) => {
        const head = headOf(values);
        check(head, values, piece);
        check(stored(head), values, piece);
      }),
    );
  });

  it('find them after a merge without the rows that are gone', () => {
    fc.assert(
      fc.property(texts, texts, text, (first, second, piece) => {
        const all = [...first, ...second];
        let next = 0;
        const rowMaps = [first, second].map((values) =>
          Int32Array.from(values, (_, row) => (row % 3 === 2 ? -1 : next++)),
        );
        const kept = [first, second].flatMap((values) => values.filter((_, row) => row % 3 !== 2));
        const unread = TRIGRAMS.ofColumn?.(OPTIONS, {
          rowCount: second.length,
          isNull: (row) => second[row] === null,
          value: (row) => second[row] as string,
        }) as Structure;
        const merged = TRIGRAMS.merge(
          OPTIONS,
          [
            { structure: stored(headOf(first)), rowMap: rowMaps[0] as Int32Array },
            { structure: unread, rowMap: rowMaps[1] as Int32Array },
          ],
          next,
        );
        expect(kept.length).toBeLessThanOrEqual(all.length);
        check(stored(merged), kept, piece);
      }),
    );
  });
});
