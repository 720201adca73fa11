/**
 * More shapes of statements that have been answered wrongly once, about values: floats at the ends of their range,
 * types whose values cannot be equal, equal values that look different, one column as several keys.
 */
import { chance, pick, times } from './choose.ts';
import { PLANLESS } from './compare.ts';
import type { Shape } from './shapes.ts';
import { TABLES } from './tables.ts';

const EXTREMES = {
  float8: [
    '1e308',
    '-1e308',
    '1e-308',
    '1e200',
    '-1e200',
    '1e-200',
    '1',
    '0',
    '-0',
    '2.5',
    'inf',
    '-inf',
    'nan',
  ],
  float4: ['3e38', '-3e38', '1e-38', '1e20', '1e-20', '16777216', '1', '0', '-0', 'inf', 'nan'],
} as const;

/** Digits of what is not exact in every C library are not shown. */
const RANGE_FORMS = [
  'x + y',
  'x - y',
  'x * y',
  'x / y',
  '- x',
  'abs(x)',
  'x + y::float8',
  'power(x, y) > 1',
  'power(x, 2) > 1',
  'power(x, 0.5) > 1',
  'exp(x) > 1',
  'ln(x) > 1',
  'log(x) > 1',
  'sqrt(x) > 1',
  'cbrt(x) > 1',
  'sinh(x) > 1',
  'cosh(x) > 1',
  'tanh(x) > 0.5',
  'degrees(x) > 1',
  'radians(x) > 1',
  'x::float8::float4',
  'x::numeric::float4',
  'x::int4',
  'x::int8',
  'x::float8::numeric > 0',
  'sign(x)',
  'ceil(x)',
  'width_bucket(x, y, 10, 4)',
  'greatest(x, y)',
  'x < y',
];
const RANGE_AGGREGATES = [
  'sum(x)',
  'avg(x)',
  'sum(x) + 1',
  'min(x)',
  'max(x)',
  'var_pop(x) > 1',
  'stddev(x) > 1',
  'regr_sxx(x, y) > 1',
  'regr_avgx(x, y) > 1',
  'covar_pop(x, y) > 1',
  'corr(x, y) > 0',
  'sum(x * 2)',
  'avg(x) FILTER (WHERE i > 1)',
];

const floatRange: Shape = ({ random }) => {
  const type = pick(random, ['float8', 'float8', 'float4'] as const);
  const row = (i: number): string =>
    `(${i + 1}, '${pick(random, EXTREMES[type])}'::${type}, '${pick(random, EXTREMES[type])}'::${type})`;
  if (chance(random, 50))
    return `SELECT ${PLANLESS} ${pick(random, RANGE_FORMS)} AS v FROM (VALUES ${row(0)}) t(i, x, y)`;
  const from = `(VALUES ${times(2 + random(3), row).join(', ')}) t(i, x, y)`;
  return `SELECT ${PLANLESS} ${pick(random, [
    `${pick(random, RANGE_AGGREGATES)} AS v FROM ${from}`,
    `${pick(random, RANGE_AGGREGATES)} AS v FROM ${from} WHERE i > 1`,
    `i % 2, ${pick(random, RANGE_AGGREGATES)} AS v FROM ${from} WHERE i > 1 GROUP BY 1`,
    `i, ${pick(random, ['sum', 'avg', 'min', 'max'])}(x) OVER (ORDER BY i ROWS 1 PRECEDING) AS v FROM ${from}`,
  ])}`;
};

const UNEQUAL = [
  "'{}'::json",
  'ARRAY[to_json(p.id)]',
  "'$.a'::jsonpath",
  'to_json(p.a)',
  'to_jsonb(p.id)',
  'p.id::text',
];

const unequal: Shape = ({ random }) => {
  const { name } = pick(random, TABLES);
  const value = pick(random, UNEQUAL);
  return pick(random, [
    `SELECT DISTINCT ${value} AS v FROM ${name} p`,
    `SELECT ${value} AS v FROM ${name} p GROUP BY 1`,
    `SELECT ${value} AS v FROM ${name} p GROUP BY GROUPING SETS ((1), (p.id))`,
    `SELECT DISTINCT ON (v) * FROM (SELECT ${value} AS v FROM ${name} p) q`,
    `SELECT ${value} AS v FROM ${name} p ${pick(random, ['UNION', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL', 'UNION ALL'])} SELECT ${value} FROM ${name} p`,
    `SELECT count(DISTINCT ${value}) FROM ${name} p`,
    `SELECT count(*) OVER (PARTITION BY ${value}) FROM ${name} p`,
    `SELECT greatest(${value}, ${value}) FROM ${name} p`,
    `SELECT ${value} AS v FROM ${name} p ORDER BY 1`,
    `WITH RECURSIVE r(v) AS (SELECT ${value} FROM ${name} p UNION SELECT v FROM r) SELECT * FROM r`,
  ]);
};

const SAME = [
  '(1.0), (1.00), (2.0), (2)',
  "(interval '1 month'), ('30 days'), ('720:00')",
  "('-0'::float8), (0), ('-0')",
];

const equalValues: Shape = ({ random }) => {
  const from = `(SELECT x, row_number() OVER () AS i FROM (VALUES ${pick(random, SAME)}) v(x)) t`;
  return pick(random, [
    `SELECT max(x), min(x) FROM ${from}`,
    `SELECT i % 2, max(x), min(x) FROM ${from} GROUP BY 1`,
    `SELECT i, max(x) OVER (ORDER BY i ROWS 1 PRECEDING), min(x) OVER (ORDER BY i) FROM ${from}`,
    `SELECT greatest(x, y), least(x, y) FROM ${from} JOIN (VALUES ${pick(random, SAME)}) u(y) ON x::text = y::text`,
    `SELECT array_agg(x ORDER BY i) FROM ${from}`,
  ]);
};

const alikeKeys: Shape = ({ random }) => {
  const key = pick(random, ['p.a', 'p.a % 3', 'p.id % 2']);
  const sets = pick(random, [
    'GROUPING SETS ((u), (w))',
    'GROUPING SETS ((u), (w), ())',
    'GROUPING SETS ((1), (2), (1, 2))',
    'ROLLUP (u, w)',
    'CUBE (w, u)',
    'u, w',
    'u, ROLLUP (w)',
    `GROUPING SETS ((w), (${key}))`,
  ]);
  return `SELECT ${key} AS u, ${key} AS w, count(*), sum(p.id) FROM ${pick(random, TABLES).name} p GROUP BY ${sets}`;
};

export const VALUE_SHAPES: readonly Shape[] = [floatRange, floatRange, unequal, equalValues, alikeKeys];
