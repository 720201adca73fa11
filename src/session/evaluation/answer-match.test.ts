/** Which facts give which answers. */
import { expect, it } from 'vitest';
import { answerPlace, foldedAnswer, hasResult, hasWords } from './answer-match.ts';

it.each([
  ['Net sales: $177,866 million in 2017.', '177,866'],
  ['Net sales: 177866', '$177,866'],
  ['It grew by 30.8 %.', '30.8'],
  ['The “Whale” sings.', 'the whale'],
  ['Umsatz über 5 Mio.', 'ÜBER'],
  ['costs fell in 2019.', '2019'],
])('"%s" gives "%s"', (fact, answer) => {
  expect(hasWords(fact, answer)).toBe(true);
});

it.each([
  ['Net sales: 15', '5'],
  ['Net sales: 1.5', '5'],
  ['Net sales: 5.1', '5'],
  ['Net sales: 2015', '201'],
  ['whales', 'whale'],
  ['anything', '—'],
  ['anything', ''],
])('"%s" does not give "%s"', (fact, answer) => {
  expect(hasWords(fact, answer)).toBe(false);
});

const COMPUTED =
  'Percentage change (computed): (177,866 − 135,987) / 135,987 = 30.8 %; from Net sales: 177,866';

it.each([
  [COMPUTED, '30.8', true],
  [COMPUTED, '30.8%', true],
  [COMPUTED, '30.9', false],
  ['Difference (computed): 1 − 3 = −2; from', '-2', true],
  ['Difference (computed): 1 − 3 = −2; from', '2', false],
  ['Sum (computed): 1 + 1,999 = 2,000; from', '2000.5', true],
  ['Sum (computed): 1 + 1,999 = 2,000; from', '2002', false],
  ['no result: 30.8', '30.8', false],
  [COMPUTED, 'thirty', false],
])('the result of "%s" is %s: %s', (fact, answer, isRight) => {
  expect(hasResult(fact, answer)).toBe(isRight);
});

it('any of the answers counts, in the first fact that has one', () => {
  expect(answerPlace(['nothing', 'about 7', 'about 8'], ['8', '7'])).toBe(2);
  expect(answerPlace(['nothing', COMPUTED], ['30.80'])).toBe(2);
  expect(answerPlace(['nothing'], ['8'])).toBeNull();
  expect(answerPlace([], ['8'])).toBeNull();
  expect(foldedAnswer('“—”')).toBe('');
});
