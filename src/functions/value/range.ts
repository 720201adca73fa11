/** Ranges: constructors, their bounds, how they stand to each other, union, intersection and difference. */
import { SqlError } from '../../errors.ts';
import type { Datum, RangeDatum } from '../../types/datum.ts';
import {
  type Bound,
  compareBounds,
  emptyRange,
  lowerBound,
  makeRange,
  meet,
  RANGE_TYPES,
  upperBound,
} from '../../types/composite/range.ts';

import { typeByOid } from '../../types/registry.ts';
import type { Operator, ScalarFunction } from '../function.ts';

const FLAGS: ReadonlySet<string> = new Set(['[]', '[)', '(]', '()']);

/** @param flags brackets of the bounds. @throws SqlError 22000, 42601. */
function construct(type: number, lower: Datum, upper: Datum, flags: string | null): RangeDatum {
  if (flags === null) {
    throw new SqlError('data_exception', 'range constructor flags argument must not be null');
  }
  if (!FLAGS.has(flags)) {
    throw new SqlError('syntax_error', 'invalid range bound flags', {
      hint: 'Valid values are "[]", "[)", "(]", and "()".',
    });
  }
  return makeRange(
    type,
    { value: lower, inclusive: flags[0] === '[', side: 'lower' },
    { value: upper, inclusive: flags[1] === ']', side: 'upper' },
  );
}

/** Two values of each subtype, and their range as text. */
const SAMPLES: Readonly<Record<string, readonly [string, string, string]>> = {
  int4range: ['1', '5', '[1,5)'],
  int8range: ['1', '5', '[1,5)'],
  numrange: ['1.5', '2', '[1.5,2)'],
  daterange: ["'2024-01-01'", "'2024-02-01'", '[2024-01-01,2024-02-01)'],
  tsrange: ["'2024-01-01'", 'NULL', '["2024-01-01 00:00:00",)'],
  tstzrange: ["'2024-01-01 00:00+00'", 'NULL', '["2024-01-01 00:00:00+00",)'],
};

const CONSTRUCTORS = RANGE_TYPES.map(({ oid, name, subtypeOid = 0 }): ScalarFunction => {
  const subtype = typeByOid(subtypeOid).name;
  const [from, to, shown] = SAMPLES[name] as readonly [string, string, string];
  return {
    name,
    args: [subtype, subtype, 'text'],
    returns: name,
    defaults: ["'[)'"],
    strict: false,
    summary: 'A range of two bounds, NULL for none; the last argument says which of them are included.',
    example: [`SELECT ${name}(${from}, ${to})`, shown],
    evaluate: (lower: Datum, upper: Datum, flags: string | null) => construct(oid, lower, upper, flags),
  };
});

type Test = (range: RangeDatum) => boolean;

const property = (
  name: string,
  summary: string,
  test: Test,
  sample: readonly [string, string],
): ScalarFunction => ({
  name,
  args: ['anyrange'],
  returns: 'bool',
  summary,
  example: [`SELECT ${name}('${sample[0]}'::int4range)`, sample[1]],
  evaluate: test,
});

export const RANGE_FUNCTIONS: readonly ScalarFunction[] = [
  ...CONSTRUCTORS,
  {
    name: 'lower',
    args: ['anyrange'],
    returns: 'anyelement',
    summary: "A range's lower bound; NULL for none.",
    example: ["SELECT lower('[1,5)'::int4range)", '1'],
    evaluate: (range: RangeDatum) => range.lower,
  },
  {
    name: 'upper',
    args: ['anyrange'],
    returns: 'anyelement',
    summary: "A range's upper bound; NULL for none.",
    example: ["SELECT upper('[1,5)'::int4range)", '5'],
    evaluate: (range: RangeDatum) => range.upper,
  },
  property('isempty', 'Whether a range holds nothing.', ({ isEmpty }) => isEmpty, ['[1,1)', 't']),
  property('lower_inc', 'Whether the lower bound is included.', (range) => range.lowerInclusive, [
    '(1,5)',
    't',
  ]),
  property('upper_inc', 'Whether the upper bound is included.', (range) => range.upperInclusive, [
    '[1,5]',
    'f',
  ]),
  property(
    'lower_inf',
    'Whether there is no lower bound.',
    (range) => !range.isEmpty && range.lower === null,
    ['(,5)', 't'],
  ),
  property(
    'upper_inf',
    'Whether there is no upper bound.',
    (range) => !range.isEmpty && range.upper === null,
    ['[1,)', 't'],
  ),
  {
    name: 'range_merge',
    args: ['anyrange', 'anyrange'],
    returns: 'anyrange',
    summary: 'The smallest range that holds both.',
    example: ["SELECT range_merge('[1,2)'::int4range, '[4,5)'::int4range)", '[1,5)'],
    evaluate: merge,
  },
];

const first = (type: number, a: Bound, b: Bound): Bound => (compareBounds(type, a, b) <= 0 ? a : b);
const last = (type: number, a: Bound, b: Bound): Bound => (compareBounds(type, a, b) >= 0 ? a : b);

/** From the first lower bound to the last upper one. */
function merge(a: RangeDatum, b: RangeDatum): RangeDatum {
  if (a.isEmpty) return b;
  if (b.isEmpty) return a;
  const type = a.rangeType;
  return makeRange(type, first(type, lowerBound(a), lowerBound(b)), last(type, upperBound(a), upperBound(b)));
}

/** Every one of `bounds` is at or below the next. */
const ascend = (type: number, ...[a, b, c]: readonly [Bound, Bound, Bound]): boolean =>
  compareBounds(type, a, b) <= 0 && compareBounds(type, b, c) <= 0;

function overlap(a: RangeDatum, b: RangeDatum): boolean {
  if (a.isEmpty || b.isEmpty) return false;
  const type = a.rangeType;
  return (
    ascend(type, lowerBound(b), lowerBound(a), upperBound(b)) ||
    ascend(type, lowerBound(a), lowerBound(b), upperBound(a))
  );
}

function contains(whole: RangeDatum, part: RangeDatum): boolean {
  if (part.isEmpty || whole.isEmpty) return part.isEmpty;
  const type = whole.rangeType;
  return (
    compareBounds(type, lowerBound(whole), lowerBound(part)) <= 0 &&
    compareBounds(type, upperBound(whole), upperBound(part)) >= 0
  );
}

function containsValue(range: RangeDatum, value: Datum): boolean {
  if (range.isEmpty) return false;
  const type = range.rangeType;
  return (
    compareBounds(type, lowerBound(range), { value, inclusive: true, side: 'lower' }) <= 0 &&
    compareBounds(type, upperBound(range), { value, inclusive: true, side: 'upper' }) >= 0
  );
}

/** One that holds nothing stands nowhere. */
const placed =
  (test: (a: RangeDatum, b: RangeDatum, type: number) => boolean) =>
  (a: RangeDatum, b: RangeDatum): boolean =>
    !a.isEmpty && !b.isEmpty && test(a, b, a.rangeType);

const isBefore = placed((a, b, type) => compareBounds(type, upperBound(a), lowerBound(b)) < 0);
const endsWithin = placed((a, b, type) => compareBounds(type, upperBound(a), upperBound(b)) <= 0);
const beginsWithin = placed((a, b, type) => compareBounds(type, lowerBound(a), lowerBound(b)) >= 0);
const adjoin = placed(
  (a, b, type) => meet(type, upperBound(a), lowerBound(b)) || meet(type, upperBound(b), lowerBound(a)),
);

const notContiguous = (what: string): SqlError =>
  new SqlError('data_exception', `result of range ${what} would not be contiguous`);

/** @throws SqlError 22000 for ranges apart. */
function unite(a: RangeDatum, b: RangeDatum): RangeDatum {
  if (!a.isEmpty && !b.isEmpty && !overlap(a, b) && !adjoin(a, b)) throw notContiguous('union');
  return merge(a, b);
}

function intersect(a: RangeDatum, b: RangeDatum): RangeDatum {
  const type = a.rangeType;
  if (!overlap(a, b)) return emptyRange(type);
  return makeRange(type, last(type, lowerBound(a), lowerBound(b)), first(type, upperBound(a), upperBound(b)));
}

/** The other side of a bound: what stops where it begins. */
const opposite = ({ value, inclusive, side }: Bound): Bound => ({
  value,
  inclusive: !inclusive,
  side: side === 'lower' ? 'upper' : 'lower',
});

/** @throws SqlError 22000 when `b` leaves two parts of `a`. */
function subtract(a: RangeDatum, b: RangeDatum): RangeDatum {
  if (!overlap(a, b)) return a;
  const type = a.rangeType;
  const before = compareBounds(type, lowerBound(a), lowerBound(b)) < 0;
  const after = compareBounds(type, upperBound(a), upperBound(b)) > 0;
  if (before && after) throw notContiguous('difference');
  if (before) return makeRange(type, lowerBound(a), opposite(lowerBound(b)));
  if (after) return makeRange(type, opposite(upperBound(b)), upperBound(a));
  return emptyRange(type);
}

interface Comparison {
  readonly name: string;
  readonly summary: string;
  readonly evaluate: (a: RangeDatum, b: RangeDatum) => Datum;
  /** Two ranges of integers and the result. */
  readonly sample: readonly [string, string, string];
  readonly commutator?: string;
  readonly returns?: string;
}

const operator = ({
  name,
  summary,
  evaluate,
  sample,
  commutator,
  returns = 'bool',
}: Comparison): Operator => ({
  name,
  left: 'anyrange',
  right: 'anyrange',
  returns,
  summary,
  example: [`SELECT '${sample[0]}'::int4range ${name} '${sample[1]}'::int4range`, sample[2]],
  evaluate,
  ...(commutator !== undefined && { commutator }),
});

export const RANGE_OPERATORS: readonly Operator[] = [
  operator({
    name: '@>',
    summary: 'Whether the left range holds all of the right one.',
    evaluate: contains,
    sample: ['[1,5)', '[2,3)', 't'],
    commutator: '<@',
  }),
  operator({
    name: '<@',
    summary: 'Whether the right range holds all of the left one.',
    evaluate: (a: RangeDatum, b: RangeDatum) => contains(b, a),
    sample: ['[2,3)', '[1,5)', 't'],
    commutator: '@>',
  }),
  {
    name: '@>',
    left: 'anyrange',
    right: 'anyelement',
    returns: 'bool',
    summary: 'Whether a range holds a value.',
    example: ["SELECT '[1,5)'::int4range @> 3", 't'],
    commutator: '<@',
    evaluate: containsValue,
  },
  {
    name: '<@',
    left: 'anyelement',
    right: 'anyrange',
    returns: 'bool',
    summary: 'Whether a range holds a value.',
    example: ["SELECT 3 <@ '[1,5)'::int4range", 't'],
    commutator: '@>',
    evaluate: (value: Datum, range: RangeDatum) => containsValue(range, value),
  },
  operator({
    name: '&&',
    summary: 'Whether two ranges have a value in common.',
    evaluate: overlap,
    sample: ['[1,5)', '[4,9)', 't'],
    commutator: '&&',
  }),
  operator({
    name: '<<',
    summary: 'Whether the left range ends before the right one begins.',
    evaluate: isBefore,
    sample: ['[1,5)', '[5,9)', 't'],
    commutator: '>>',
  }),
  operator({
    name: '>>',
    summary: 'Whether the left range begins after the right one ends.',
    evaluate: (a: RangeDatum, b: RangeDatum) => isBefore(b, a),
    sample: ['[5,9)', '[1,5)', 't'],
    commutator: '<<',
  }),
  operator({
    name: '&<',
    summary: 'Whether the left range does not end after the right one.',
    evaluate: endsWithin,
    sample: ['[1,5)', '[3,9)', 't'],
  }),
  operator({
    name: '&>',
    summary: 'Whether the left range does not begin before the right one.',
    evaluate: beginsWithin,
    sample: ['[3,9)', '[1,5)', 't'],
  }),
  operator({
    name: '-|-',
    summary: 'Whether one range begins exactly where the other ends.',
    evaluate: adjoin,
    sample: ['[1,5)', '[5,9)', 't'],
    commutator: '-|-',
  }),
  operator({
    name: '+',
    summary: 'The union of two ranges, which must touch.',
    evaluate: unite,
    sample: ['[1,5)', '[4,9)', '[1,9)'],
    commutator: '+',
    returns: 'anyrange',
  }),
  operator({
    name: '*',
    summary: 'What two ranges have in common.',
    evaluate: intersect,
    sample: ['[1,5)', '[4,9)', '[4,5)'],
    commutator: '*',
    returns: 'anyrange',
  }),
  operator({
    name: '-',
    summary: 'The left range without the right one, which must not leave two parts.',
    evaluate: subtract,
    sample: ['[1,5)', '[4,9)', '[1,4)'],
    returns: 'anyrange',
  }),
];
