/** Functions and operators of numbers on ordinary values, on the edges of types, and on NaN and the infinities. */
import type { Random } from '../faults/mutations.ts';
import { pick } from './choose.ts';

const VALUES = [
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    '0',
    '1',
    '-1',
    '2',
    '-2',
    '3',
    '-7',
    '10',
    '0.5',
    '-0.5',
    '1.5',
    '-1.5',
  ],
  ...['7.25', '0.000', '1.00', '-1.00', '1e-20', '-1e-20', '1e20', '-1e20', '99999999999999999999'],
  ...['2147483647', '2147483648', '-2147483649', '9223372036854775808', '1e-30', '123456.789'],
];
/** Far from one a power, an exponential takes long, and is not what is asked here. */
const SMALL_VALUES = VALUES.filter(
  (value) => !(Math.abs(Number(value)) > 1e3 && Number.isFinite(Number(value))),
);

const TYPES = ['numeric', 'numeric', 'numeric', 'float8', 'float4'];
const ONE = [
  ...['exp', 'ln', 'log', 'log10', 'sqrt', 'abs', 'sign', 'ceil', 'floor', 'round', 'trunc', '-', '+'],
  ...['scale', 'min_scale', 'trim_scale'],
];
const TWO = ['power', '^', 'mod', '%', 'div', '/', 'log', 'gcd', 'lcm', '+', '-', '*', '<', '=', '>='];
const CASTS = [
  'int2',
  'int4',
  'int8',
  'float4',
  'float8',
  'numeric(10,2)',
  'numeric(3,5)',
  'numeric(5,-2)',
  'text',
];
const AGGREGATES = ['sum', 'avg', 'min', 'max', 'stddev', 'var_pop', 'variance', 'stddev_pop'];
const SLOW = new Set(['power', '^', 'exp']);

const call = (name: string, args: readonly string[]): string => {
  if (/^\w+$/.test(name)) return `${name}(${args.join(', ')})`;
  return args.length === 1 ? `${name} ${args[0]}` : `${args[0]} ${name} ${args[1]}`;
};

export function numberQuery(random: Random): string {
  const type = pick(random, TYPES);
  const value = (of: readonly string[] = VALUES): string => `'${pick(random, of)}'::${type}`;
  const called = (names: readonly string[], count: number): string => {
    const name = pick(random, names);
    const of = SLOW.has(name) ? SMALL_VALUES : VALUES;
    return `SELECT ${call(
      name,
      Array.from({ length: count }, () => value(of)),
    )}`;
  };
  const rows = (): string =>
    `(VALUES (1, ${value()}), (2, ${value()}), (3, ${value()}), (4, ${value()})) v (i, x)`;
  const frame = 'OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)';
  const kinds = [
    () => called(ONE, 1),
    () => called(TWO, 2),
    () => called(TWO, 2),
    () => `SELECT ${pick(random, ['round', 'trunc'])}(${value()}, ${pick(random, ['0', '2', '-2', '30'])})`,
    () => `SELECT ${value()}::${pick(random, CASTS)}`,
    () => `SELECT width_bucket(${value()}, ${value()}, ${value()}, 5)`,
    () => `SELECT ${pick(random, AGGREGATES)}(x) FROM ${rows()}`,
    () => `SELECT ${pick(random, AGGREGATES)}(x) ${frame} FROM ${rows()}`,
    () => `SELECT x FROM ${rows()} ORDER BY x DESC, i`,
  ];
  return pick(random, kinds)();
}
