/** LIKE and regular expressions: hard patterns end soon; LIKE agrees with a regular expression. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threadMs } from '../../../sql-tests/faults/turn-watch.ts';
import { like } from './like.ts';
import { regularExpression } from './pattern.ts';

describe('regular expressions that backtrack', () => {
  it.each(['(a|a)*$', '(a+)+$', '(a*)*b', '(a?){40}a{40}$', '(\\w+\\s?)+$', 'a*a*a*a*a*a*c'])(
    '%s ends within a second of processor time',
    (pattern) => {
      const start = threadMs();
      const text = `${'a'.repeat(5_000)}!`;
      try {
        regularExpression(`^${pattern}`).test(text);
      } catch (error) {
        expect(error).toMatchObject({ condition: 'statement_too_complex' });
      }
      expect(threadMs() - start).toBeLessThan(1_000);
    },
  );

  it.each([
    ['(^|> )(total )?(net |operating )*(revenues?|sales)$', false],
    ['(?:ab|cd|ef)+x', false],
    ['(?:ab|a)+x', true],
    ['(?:ab|Ac)+x', true],
    ['(?:ab|)+x', true],
    ['(?:ab|c+)+x', true],
    ['(?:ab|.)+x', true],
    ['(?:ab|c(?:d|e))+x', true],
  ])('%s has to be watched: %s', (pattern, watched) => {
    expect(regularExpression(pattern, 'i').mayTakeLong(60)).toBe(watched);
  });

  it('answers where there is no such text', () => {
    expect(regularExpression('^(\\w+\\s?)+$').test('hello wide world')).toBe(true);
  });
});

describe('LIKE', () => {
  const character = fc.constantFrom('a', 'b', '😀', '%', '_');
  const text = fc.array(character).map((all) => all.join(''));

  it('agrees with a regular expression', () => {
    fc.assert(
      fc.property(text, text, (given, pattern) => {
        const source = pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]');
        expect(like(given, pattern)).toBe(new RegExp(`^${source}$`, 'u').test(given));
      }),
    );
  });

  it('takes linear time for many %', () => {
    const start = threadMs();
    expect(like('a'.repeat(100_000), `${'%a'.repeat(1_000)}%b`)).toBe(false);
    expect(threadMs() - start).toBeLessThan(1_000);
  });
});
