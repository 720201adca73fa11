/** Walks over JSON that is longer than what a pattern can match. */
import { expect, it } from 'vitest';
import { jsonItems, jsonMembers, memberText } from './text.ts';

const LONG = 'a'.repeat(20_000_000);

it('strings of any length, by themselves and within containers', () => {
  expect(memberText(`{"k": "${LONG}", "l": 1}`, 'l')).toBe('1');
  expect([...jsonItems(`[["${LONG}"], 2]`)].at(-1)).toBe('2');
});

it('escapes, quotes and brackets within strings', () => {
  expect([...jsonItems('["a\\"]", {"x": "}\\\\"}, [1, "["]]')]).toEqual([
    '"a\\"]"',
    '{"x": "}\\\\"}',
    '[1, "["]',
  ]);
  expect([...jsonMembers('{"a\\"b": 1, "c": "\\\\"}')]).toEqual([
    { key: 'a"b', text: '1' },
    { key: 'c', text: '"\\\\"' },
  ]);
});
