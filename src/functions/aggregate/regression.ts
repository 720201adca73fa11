/**
 * Statistics of pairs: corr, covar_*, regr_*. Sums are kept as Youngs and Cramer do, so that the last digits
 * agree with PostgreSQL's float8_regr_accum. Pairs with a NULL are left out. Source: PostgreSQL 18, 9.21.
 */
import type { Datum } from '../../types/datum.ts';
import { floatOverflow } from '../number/arithmetic-kernels.ts';
import type { AggregateFunction } from '../function.ts';

interface Sums {
  n: number;
  sx: number;
  sxx: number;
  sy: number;
  syy: number;
  sxy: number;
}

function add(sums: Sums, y: number, x: number): Sums {
  const before = { sx: sums.sx, sy: sums.sy };
  sums.n++;
  sums.sx += x;
  sums.sy += y;
  if (sums.n === 1) {
    if (!Number.isFinite(x)) sums.sxx = sums.sxy = Number.NaN;
    if (!Number.isFinite(y)) sums.syy = sums.sxy = Number.NaN;
    return sums;
  }
  // An infinity that follows from an infinite value is no overflow.
  const [freeX, freeY] = [isInfinite(before.sx) || isInfinite(x), isInfinite(before.sy) || isInfinite(y)];
  if ((!freeX && isInfinite(sums.sx)) || (!freeY && isInfinite(sums.sy))) throw floatOverflow();
  const dx = x * sums.n - sums.sx;
  const dy = y * sums.n - sums.sy;
  const scale = 1 / (sums.n * (sums.n - 1));
  sums.sxx = told(sums.sxx + dx * dx * scale, freeX);
  sums.syy = told(sums.syy + dy * dy * scale, freeY);
  sums.sxy = told(sums.sxy + dx * dy * scale, freeX || freeY);
  return sums;
}

const isInfinite = (value: number): boolean => Math.abs(value) === Number.POSITIVE_INFINITY;

/** An infinite value leaves nothing to be told of differences from it; finite ones may not become so large. */
function told(value: number, infinite: boolean): number {
  if (Number.isFinite(value)) return value;
  if (isInfinite(value) && !infinite) throw floatOverflow();
  return Number.NaN;
}

type Final = (sums: Sums) => Datum;
const divided = (value: number, by: number): Datum => (by === 0 ? null : value / by);

const ROWS: readonly (readonly [name: string, result: string, summary: string, final: Final])[] = [
  [
    'corr',
    '1',
    'The correlation coefficient.',
    ({ sxx, syy, sxy }) => (sxx === 0 || syy === 0 ? null : sxy / Math.sqrt(sxx * syy)),
  ],
  ['covar_pop', '2', 'The covariance of the population.', ({ n, sxy }) => sxy / n],
  ['covar_samp', '4', 'The covariance of the sample.', ({ n, sxy }) => (n < 2 ? null : sxy / (n - 1))],
  ['regr_avgx', '2', 'The mean of the independent variable.', ({ n, sx }) => sx / n],
  ['regr_avgy', '3', 'The mean of the dependent variable.', ({ n, sy }) => sy / n],
  ['regr_sxx', '2', 'The sum of squares of the independent variable.', ({ sxx }) => sxx],
  ['regr_syy', '8', 'The sum of squares of the dependent variable.', ({ syy }) => syy],
  ['regr_sxy', '4', 'The sum of products of both variables.', ({ sxy }) => sxy],
  ['regr_slope', '2', 'The slope of the least-squares line.', ({ sxx, sxy }) => divided(sxy, sxx)],
  [
    'regr_intercept',
    '-1',
    'Where the least-squares line meets the y axis.',
    ({ n, sx, sy, sxx, sxy }) => (sxx === 0 ? null : (sy - (sx * sxy) / sxx) / n),
  ],
  [
    'regr_r2',
    '1',
    'The square of the correlation coefficient.',
    ({ sxx, syy, sxy }) => (sxx === 0 ? null : syy === 0 ? 1 : (sxy * sxy) / (sxx * syy)),
  ],
];

const row = (
  name: string,
  returns: string,
  rest: Pick<AggregateFunction, 'summary' | 'example' | 'final'>,
): AggregateFunction => ({
  name,
  args: ['float8', 'float8'],
  returns,
  init: (): Sums => ({ n: 0, sx: 0, sxx: 0, sy: 0, syy: 0, sxy: 0 }),
  step: add,
  ...rest,
});

const PAIRS = '(VALUES (1, 1), (5, 3)) AS t(y, x)';

export const REGRESSION_AGGREGATES: readonly AggregateFunction[] = [
  ...ROWS.map(([name, result, summary, final]) =>
    row(name, 'float8', {
      summary,
      example: [`SELECT ${name}(y, x) FROM ${PAIRS}`, result],
      final: (sums: Sums) => (sums.n === 0 ? null : final(sums)),
    }),
  ),
  row('regr_count', 'int8', {
    summary: 'The number of pairs without NULL.',
    example: [`SELECT regr_count(y, x) FROM ${PAIRS}`, '2'],
    final: ({ n }: Sums) => BigInt(n),
  }),
];
