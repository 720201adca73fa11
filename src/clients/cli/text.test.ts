/** Texts in columns: nothing is lost, nothing is wider than there is room, letters that take two columns included. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutTo, hanging, shortened, visible, widthOf, wrapped } from './text.ts';

const words = fc
  .array(fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('資本支出', '🦆🦆', 'é', 'a'.repeat(50))), {
    maxLength: 20,
  })
  .map((all) => visible(all.join(' ')));

it('breaks lines between words, and loses none', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 8, max: 100 }), (text, columns) => {
      const lines = wrapped(text, columns);
      expect(lines.every((line) => widthOf(line) <= columns)).toBe(true);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});

it('sets further lines below where the first begins', () => {
  expect(hanging('• ', 'one two three four', 10)).toBe('• one two\n  three\n  four');
  expect(hanging('• ', 'one\ntwo', Number.POSITIVE_INFINITY)).toBe('• one\n  two');
  expect(hanging('[1] ', 'anextraordinarilylongword', 12)).toBe(
    '[1] anextrao\n    rdinaril\n    ylongwor\n    d',
  );
});

it('cuts by columns, whole letters', () => {
  expect(cutTo('資本支出', 5)).toBe('資本');
  expect(cutTo('plain', 3)).toBe('pla');
  expect(shortened('🦆🦆🦆', 2)).toBe('🦆🦆 …');
});

it('shows what would move the cursor, or turn the text round', () => {
  expect(visible('a\x1b[2Jb\nc\u202ed\u0007')).toBe('a�[2Jb↵c�d�');
});
