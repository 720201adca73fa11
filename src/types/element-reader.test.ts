/** Decimals read digit by digit are the doubles that Number gives, or left to it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ElementReader } from './element-reader.ts';

const digits = fc.stringMatching(/^\d{0,17}$/);

it('reads a decimal as Number does', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '-', '+'), digits, digits, (sign, whole, fraction) => {
      const text = `${sign}${whole}.${fraction}`;
      const reader = new ElementReader(` ${text} ,`, 0);
      const value = reader.decimal();
      if (Number.isNaN(value)) expect(reader.token()).toBe(text);
      else expect(value).toBe(Number(text));
      expect(reader.separator()).toBe(',');
    }),
  );
});

it.each(['1e3', 'nan', '1.2.3', '.', '--1', '0x1'])('leaves %s to others', (text) => {
  const reader = new ElementReader(`${text}]`, 0);
  expect(reader.decimal()).toBeNaN();
  expect(reader.token()).toBe(text);
  expect(reader.separator()).toBe(']');
});
