/** Templates against what PostgreSQL 18 answered. */
import { describe, expect, it } from 'vitest';
import { parseNumeric } from '../../types/number/numeric.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { parseTimestamp } from '../../types/time/datetime.ts';
import { timestampToChar } from './datetime-to-char.ts';
import { numberToChar } from '../number/number-template.ts';

describe('to_char of numbers', () => {
  it.each([
    ['-0.1', 'FM9.99', '-.1'],
    ['0', 'FM9.9', '0.'],
    ['12', '9990999.9', '    0012.0'],
    ['148.5', 'FM999.990', '148.500'],
    ['-485', '999PR', '<485>'],
    ['485', 'RN', '        CDLXXXV'],
    ['482', '999th', ' 482nd'],
    ['485.8', '"Pre:"999" Post:" .999', 'Pre: 485 Post: .800'],
    ['12.45', '99V9', ' 125'],
    ['0.0004859', '9.99EEEE', ' 4.86e-04'],
    ['1234', '99', ' ##'],
    ['-1234.56', 'L9,999.99', ' -1,234.56'],
  ])('%s by %s', (value, template, shown) => {
    expect(numberToChar(parseNumeric(value), template)).toBe(shown);
  });
});

describe('to_char of timestamps', () => {
  it.each([
    ['2002-04-20 17:31:12.66', 'Day DY Month mon', 'Saturday  SAT April     apr'],
    ['2002-04-20 17:31:12.66', 'FMDay, FMDDth HH12:MI:SS.MS AM', 'Saturday, 20th 05:31:12.660 PM'],
    ['2002-04-20 17:31:12.66', 'DDD IDDD D ID WW IW CC J Q', '110 111 7 6 16 16 21 2452385 2'],
    ['0044-03-15 BC', 'YYYY-MM-DD BC', '0044-03-15 BC'],
  ])('%s by %s', (value, template, shown) => {
    expect(timestampToChar(parseTimestamp(value, DEFAULT_SETTINGS), null, template)).toBe(shown);
  });
});
