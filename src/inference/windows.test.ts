/**
 * Passages: at most 254 tokens, evenly long, ended at sentences, never inside a word; spans in UTF-16 units.
 */
import { describe, expect, it } from 'vitest';
import { cutWindows, spansOf } from './windows.ts';

const words = (count: number): string[] => Array.from({ length: count }, () => 'word');
const sizes = (cuts: readonly number[]): number[] => cuts.slice(1).map((cut, i) => cut - (cuts[i] as number));

describe('windows', () => {
  it.each([
    [0, []],
    [1, [1]],
    [254, [254]],
    [255, [128, 127]],
    [508, [254, 254]],
    [509, [170, 170, 169]],
  ])('of %i tokens are %j', (count, expected) => expect(sizes(cutWindows(words(count)))).toEqual(expected));

  it('end with a sentence where one is near', () => {
    const tokens = words(300);
    tokens[139] = '.';
    expect(sizes(cutWindows(tokens))).toEqual([140, 160]);
  });

  it('never end inside a word', () => {
    const tokens = words(300);
    for (let i = 145; i < 155; i++) tokens[i] = '##s';
    expect(sizes(cutWindows(tokens, (token) => token.startsWith('##')))).toEqual([144, 156]);
  });

  it('stay within the limit whatever the text', () => {
    for (const text of [new Array<string>(1000).fill('##x'), new Array<string>(1000).fill('.')]) {
      const cuts = cutWindows(text, (token) => token.startsWith('##'));
      expect(Math.max(...sizes(cuts))).toBeLessThanOrEqual(254);
      expect(cuts.at(-1)).toBe(1000);
    }
  });
});

it('spans count UTF-16 units where offsets count code points', () => {
  const text = '\u{1F600}\u{1F600} ab cd';
  const offsets = [
    [0, 2],
    [3, 5],
    [6, 8],
  ];
  expect([...spansOf(text, offsets, [0, 1, 3])]).toEqual([0, 4, 5, 10]);
});
