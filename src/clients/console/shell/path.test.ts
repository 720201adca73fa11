/** Names of every kind within addresses. */
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { nameOfPart, pathOf, pathPart } from './path.ts';

const ODD = [
  '',
  '.',
  '..',
  '~',
  '~.',
  '~~..',
  '...',
  '%2F',
  '%252F',
  '%',
  'a/b',
  '?',
  '#',
  '+',
  '\u202e',
  '🙂',
  ',',
  ' ',
];

it.each(ODD)('%j stands between slashes', (name) => {
  const { pathname } = new URL(pathOf('a', name, 'z'), 'http://localhost/');
  expect(pathname.split('/').slice(1).map(nameOfPart)).toEqual(['a', name, 'z']);
});

it('any name does', () => {
  const names = fc.array(
    fc.string({ unit: 'binary' }).filter((name) => name.isWellFormed()),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(names, (given) => {
      const { pathname } = new URL(pathOf(...given), 'http://localhost/');
      expect(pathname.split('/').slice(1).map(nameOfPart)).toEqual(given);
    }),
  );
});

it('what is no encoding is taken as it is', () => {
  expect(nameOfPart('%ff')).toBe('%ff');
  expect(pathPart('films')).toBe('films');
});
