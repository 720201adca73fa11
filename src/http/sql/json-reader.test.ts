/** JSON that is read in turns is what JSON.parse makes of it, and nothing else is JSON. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inTurns } from '../../../sql-tests/faults/turn-watch.ts';
import { readJsonText } from './json-reader.ts';

const BLANKS = ' \n'.repeat(4_200);
const CHARACTERS = 4 * 1024 * 1024;

/** Long enough to be read in turns, by its number. */
const long = (text: string): string => `[12345678901234567890, ${BLANKS}${text}]`;
/** Longer turns are a collection of garbage, now and then. */
const TURN_MS_MAX = 60;

/** Whatever stands behind its number. */
const restOf = async (read: () => unknown): Promise<unknown> => {
  try {
    return ((await read()) as unknown[]).slice(1);
  } catch {
    return 'no JSON';
  }
};

describe('a large text', () => {
  it('is what JSON.parse makes of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 1, 2), async (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(await restOf(() => readJsonText(long(text)))).toEqual([JSON.parse(text)]);
      }),
      { numRuns: 200 },
    );
  });

  it('that is changed anywhere is JSON where JSON.parse says so', async () => {
    const whole = '{"a\\n": [1, -2.5e+3, "é\\"\\\\", true, null, {"__proto__": {}, "": [[]]}], "b": false}';
    const change = fc.tuple(fc.nat(whole.length - 1), fc.constantFrom(...'{}[]",:\\01-.eE+tfn \u0001'));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
        const characters = [...whole];
        for (const [at, character] of changes) characters[at] = character;
        const text = characters.join('');
        expect(await restOf(() => readJsonText(long(text)))).toEqual(
          await restOf(() => JSON.parse(long(text))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the digits of numbers that no double holds', async () => {
    const text = `[12345678901234567890.5, 1.50, ${'9'.repeat(40)}, 1e400]${BLANKS}`;
    expect(JSON.stringify(await readJsonText(text))).toBe(
      `[12345678901234567890.5,1.5,${'9'.repeat(40)},1e400]`,
    );
  });

  it.each<[string, string, string, string]>([
    ['small numbers', '[', '1,', '1.2345678901234567]'],
    ['long numbers', '[', '0.12345678901234567,', '1]'],
    ['small objects', '[', '{"a":1},', '1.2345678901234567]'],
    ['fields', '{', '"":1,', '"a":1.2345678901234567}'],
    ['quotes', '["', '\\"', '"]'],
    ['a deep list', '', '[', ''],
    ['blanks', '', ' ', '1'],
  ])('of %s keeps nobody waiting', async (_, first, piece, last) => {
    const text = first + piece.repeat(CHARACTERS / piece.length) + last;
    await inTurns(TURN_MS_MAX, () => readJsonText(text).catch(() => null));
  });
});
