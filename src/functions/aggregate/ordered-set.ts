/**
 * Ordered-set aggregates, `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)`: rows come in the order asked for,
 * with the direct arguments first and the sorted value last. Source: PostgreSQL 18, section 9.21.
 */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum, IntervalDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { multiplyInterval } from '../time/interval.ts';
import type { AggregateFunction } from '../function.ts';

interface Sorted<F> {
  fraction: F | null;
  readonly values: Datum[];
}

/** @throws SqlError 22003 */
function checkFraction(fraction: number): number {
  if (fraction >= 0 && fraction <= 1) return fraction;
  throw new SqlError('numeric_value_out_of_range', `percentile value ${fraction} is not between 0 and 1`);
}

type Between<T> = (low: T, high: T, share: number) => Datum;

function continuous<T>(values: readonly T[], fraction: number, between: Between<T>): Datum {
  const place = checkFraction(fraction) * (values.length - 1);
  const [low, high] = [Math.floor(place), Math.ceil(place)];
  return between(values[low] as T, values[high] as T, place - low);
}

const discrete = (values: readonly Datum[], fraction: number): Datum =>
  values[Math.max(0, Math.ceil(checkFraction(fraction) * values.length) - 1)] ?? null;

const betweenNumbers: Between<number> = (low, high, share) => low + (high - low) * share;
const betweenIntervals: Between<IntervalDatum> = (low, high, share) => {
  const gap = multiplyInterval(
    {
      datum: 'interval',
      months: high.months - low.months,
      days: high.days - low.days,
      micros: high.micros - low.micros,
    },
    share,
  );
  return {
    datum: 'interval',
    months: low.months + gap.months,
    days: low.days + gap.days,
    micros: low.micros + gap.micros,
  };
};

type Head = Pick<AggregateFunction, 'name' | 'args' | 'returns' | 'summary' | 'example'>;

/** @param final of at least one value; `F` is what the direct argument is. */
function orderedSet<F>(
  head: Head,
  final: (values: readonly Datum[], fraction: F) => Datum,
): AggregateFunction {
  return {
    ...head,
    ordered: true,
    init: (): Sorted<F> => ({ fraction: null, values: [] }),
    step: (state: Sorted<F>, fraction: F, value: Datum) => {
      state.fraction = fraction;
      state.values.push(value);
      return state;
    },
    final: ({ fraction, values }: Sorted<F>) => (fraction === null ? null : final(values, fraction)),
  };
}

const NUMBERS = '(VALUES (1), (2), (4)) AS t(x)';
const within = (call: string, from: string): string =>
  `SELECT ${call} WITHIN GROUP (ORDER BY x) FROM ${from}`;

function eachFraction(fractions: ArrayDatum, element: number, of: (fraction: number) => Datum): ArrayDatum {
  const found = fractions.elements.map((fraction) => (fraction === null ? null : of(Number(fraction))));
  return { ...arrayDatum(element, found), dimensions: fractions.dimensions };
}

interface Continuous {
  readonly type: string;
  readonly element: number;
  readonly between: Between<never>;
  readonly from: string;
  readonly shown: readonly [string, string];
}

const CONTINUOUS: readonly Continuous[] = [
  { type: 'float8', element: OID.float8, between: betweenNumbers, from: NUMBERS, shown: ['2', '{1,3}'] },
  {
    type: 'interval',
    element: OID.interval,
    between: betweenIntervals,
    from: "(VALUES (interval '1 day'), (interval '3 days')) AS t(x)",
    shown: ['2 days', '{"1 day","2 days 12:00:00"}'],
  },
];

export const ORDERED_SET_AGGREGATES: readonly AggregateFunction[] = [
  ...CONTINUOUS.flatMap(({ type, element, between, from, shown }) => [
    orderedSet(
      {
        name: 'percentile_cont',
        args: ['float8', type],
        returns: type,
        summary: 'The value at a fraction of the order, between two neighbours where it must.',
        example: [within('percentile_cont(0.5)', from), shown[0]],
      },
      (values, fraction: number) => continuous(values as never[], fraction, between),
    ),
    orderedSet(
      {
        name: 'percentile_cont',
        args: ['_float8', type],
        returns: `_${type}`,
        summary: 'The values at several fractions of the order.',
        example: [within("percentile_cont('{0,0.75}'::float8[])", from), shown[1]],
      },
      (values, fractions: ArrayDatum) =>
        eachFraction(fractions, element, (fraction) => continuous(values as never[], fraction, between)),
    ),
  ]),
  orderedSet(
    {
      name: 'percentile_disc',
      args: ['float8', 'anyelement'],
      returns: 'anyelement',
      summary: 'The first value whose place in the order is at or after a fraction.',
      example: [within('percentile_disc(0.5)', NUMBERS), '2'],
    },
    discrete,
  ),
  {
    name: 'mode',
    args: ['anyelement'],
    returns: 'anyelement',
    ordered: true,
    summary: 'The most frequent value, the first of them in the order.',
    example: [within('mode()', '(VALUES (1), (2), (2)) AS t(x)'), '2'],
    gathers: true,
    init: (): { rows: Datum[] } => ({ rows: [] }),
    step: (state: { rows: Datum[] }, value: Datum) => {
      state.rows.push(value);
      return state;
    },
    final: ({ rows }: { rows: Datum[] }) => mostFrequent(rows),
  },
];

/** @param values sorted, so that equal ones are neighbours. */
function mostFrequent(values: readonly Datum[]): Datum {
  let best: Datum = null;
  let bestCount = 0;
  let count = 0;
  let last: string | null = null;
  for (const value of values) {
    const key = typeof value === 'object' ? textOf(value) : `${typeof value}${String(value)}`;
    count = key === last ? count + 1 : 1;
    last = key;
    if (count > bestCount) [best, bestCount] = [value, count];
  }
  return best;
}

const textOf = (value: Datum): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item));
