/** Written numbers, each alone: what is taken apart, and what it amounts to where nothing around it tells. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeApart, cellValue } from './cell-number.ts';
import { addsUp, plainDecimal } from './decimal.ts';
import { Evidence } from './separators.ts';

const alone = {
  column: new Evidence(),
  table: new Evidence(),
  document: new Evidence(),
  groupMark: () => null,
};

/** Number, currency, unit, power; or what it is instead. */
function read(text: string, language: string | null = null): unknown {
  const cell = takeApart(text, () => language);
  if (cell.kind !== 'number') return cell.kind;
  const value = cellValue(cell, alone);
  return [value.kind === 'value' ? value.decimal : value.why, cell.currency, cell.unit, cell.power];
}

it.each([
  ['12.300,5', ['12300.5', null, null, null]],
  ['$ (1,577.0)', ['-1577.0', '$', null, null]],
  ['($1,577.0)', ['-1577.0', '$', null, null]],
  ['(12.5)%', ['-12.5', null, '%', -2]],
  ['−5 %', ['-5', null, '%', -2]],
  ['50 bps', ['50', null, 'bp', -4]],
  ['2 Prozentpunkte', ['2', null, 'pp', -2]],
  ['1.2bn', ['1.2', null, null, 9]],
  ['12 Mio.', ['12', null, null, 6]],
  ['3 mil millones', ['3', null, null, 9]],
  ['5 crore', ['5', null, null, 7]],
  ['12万', ['12', null, null, 4]],
  ['TEUR 5', ['5', 'EUR', null, 3]],
  ['€ 1.234,5', ['1234.5', 'EUR', null, null]],
  ['Rs. 15,77,300', ['1577300', 'INR', null, null]],
  ["CHF 1'577.50", ['1577.50', 'CHF', null, null]],
  ['US$ 3.4 billion', ['3.4', 'USD', null, 9]],
  ['$1.2m', ['1.2', '$', null, 6]],
  ['1\u202f234,5', ['1234.5', null, null, null]],
  ['٣٬٥٧٧٫٥', ['3577.5', null, null, null]],
  ['१२,३४,५६७', ['1234567', null, null, null]],
  ['１，５７７．３', ['1577.3', null, null, null]],
  ['1,577,300 (1)', ['1577300', null, null, null]],
  ['1,577,300(a)', ['1577300', null, null, null]],
  ['1,577,300*', ['1577300', null, null, null]],
  ['1,577,300-', ['-1577300', null, null, null]],
  ['2.5x', ['2.5', null, 'x', null]],
  ['3.5 years', ['3.5', null, 'years', null]],
  ['–', 'nothing'],
  ['$ —', 'nothing'],
  ['n/a', 'nothing'],
  ['k. A.', 'nothing'],
  ['(1,577', 'doubt'],
  ['5 m', 'text'],
  ['12.05.2023', 'text'],
  ['Note 5', 'text'],
  ['', 'text'],
])('%s', (text, wanted) => {
  expect(read(text)).toEqual(wanted);
});

it('takes words by their language where languages differ', () => {
  expect([read('5 billions', 'french'), read('5 billions', 'english'), read('5 billions')]).toEqual([
    ['5', null, null, 12],
    ['5', null, null, 9],
    ['5', null, null, 9],
  ]);
});

describe('any text', () => {
  it('is read, and as nothing but digits, sign and point', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."0123456789.,\u00a0'()-%$€ ab"), maxLength: 30 }),
        (text) => {
          const cell = takeApart(text, () => null);
          if (cell.kind !== 'number') return;
          const value = cellValue(cell, alone);
          expect(value.kind === 'doubt' || /^-?\d+(?:\.\d+)?$/.test(value.decimal)).toBe(true);
        },
      ),
    );
  });

  it('of great length is read at once', () => {
    for (const text of ['9'.repeat(100_000), '1,'.repeat(80), `(${'('.repeat(150)}`, `${'- '.repeat(70)}1`]) {
      expect(['text', 'doubt', 'nothing']).toContain(takeApart(text, () => null).kind);
    }
  });
});

it('decimals of programs are written out', () => {
  expect(['1E-3', '1.5e+2', '-0.25', '1e400', '45000', 'x', '5e-7'].map(plainDecimal)).toEqual([
    '0.001',
    '150',
    '-0.25',
    `1${'0'.repeat(400)}`,
    '45000',
    null,
    '0.0000005',
  ]);
});

it('sums are exact but for rounding', () => {
  expect([
    addsUp(['0.1', '0.2'], '0.3'),
    addsUp(['1577', '300'], '1877'),
    addsUp(['1.577', '300'], '1.877'),
    addsUp(['33.3', '33.3', '33.3'], '100.0'),
    addsUp(['33.3', '33.3', '33.3'], '100.1'),
  ]).toEqual([true, true, false, true, false]);
});
