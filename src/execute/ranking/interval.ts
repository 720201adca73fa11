/**
 * Interval arithmetic: the numbers a value can be, for the operators and functions that rankings are made of.
 * IEEE addition, subtraction, multiplication and division round monotonically, so their bounds need no room for
 * rounding; other functions get some. Source: Moore, "Interval Analysis" (1966).
 */

/** Every value v of an expression has low <= v <= high or, when `nullable`, is NULL. Empty (low > high): NULL only. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly nullable: boolean;
}

export const ANYTHING: Interval = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  nullable: true,
};
export const ALWAYS_NULL: Interval = {
  low: Number.POSITIVE_INFINITY,
  high: Number.NEGATIVE_INFINITY,
  nullable: true,
};
export const TRUTH: Interval = { low: 0, high: 1, nullable: true };

/** A function of the arguments' intervals; an argument that is not there counts as anything. */
type Rule = (...args: Interval[]) => Interval;

/** How far the library's exp, ln and pow may be from the right value, relative. */
const LIBRARY_ERROR = 1e-15;

export const point = (value: number): Interval => ({ low: value, high: value, nullable: false });

export const isEmpty = ({ low, high }: Interval): boolean => low > high;

/** The smallest interval that holds all of them. */
export function hull(intervals: readonly Interval[]): Interval {
  return {
    low: Math.min(...intervals.map(({ low }) => low)),
    high: Math.max(...intervals.map(({ high }) => high)),
    nullable: intervals.some(({ nullable }) => nullable),
  };
}

/** The interval around values in any order; not a number (∞ − ∞, 0 × ∞) says nothing. */
function of(values: readonly number[]): Interval {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return Number.isNaN(low) || Number.isNaN(high) ? ANYTHING : { low, high, nullable: false };
}

/** Room for values that were rounded. */
export function widened({ low, high, nullable }: Interval, by = LIBRARY_ERROR): Interval {
  const room = (value: number): number => (Number.isFinite(value) ? Math.abs(value) * by : 0);
  return { low: low - room(low), high: high + room(high), nullable };
}

const rising =
  (evaluate: (value: number) => number): Rule =>
  ({ low, high }) =>
    widened(of([evaluate(low), evaluate(high)]));

/** Rising, and not defined below `least`: rows there raise an error, whoever computes them. */
const risingFrom =
  (least: number, evaluate: (value: number) => number): Rule =>
  ({ low, high }) =>
    high < least ? ANYTHING : widened(of([evaluate(Math.max(low, least)), evaluate(high)]));

function multiply(a: Interval, b: Interval): Interval {
  return of([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]);
}

function divide(a: Interval, b: Interval): Interval {
  if (b.low <= 0 && b.high >= 0) return ANYTHING;
  return of([a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high]);
}

function absolute({ low, high }: Interval): Interval {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return {
    low: low <= 0 && high >= 0 ? 0 : Math.min(Math.abs(low), Math.abs(high)),
    high: most,
    nullable: false,
  };
}

/** Powers of bases that are not negative; a power is monotone in each argument there. */
function power(base: Interval, exponent: Interval): Interval {
  if (base.low < 0) return ANYTHING;
  const corners = [base.low, base.high].flatMap((x) => [x ** exponent.low, x ** exponent.high]);
  // Where base and exponent pass 1 and 0 the power passes 1.
  const passes = base.low < 1 && base.high > 1 && exponent.low < 0 && exponent.high > 0;
  return widened(of(passes ? [...corners, 1] : corners));
}

/** x^e / (x^e + m^e): between 0 and 1, and monotone in x. */
const saturate = (falls: boolean): Rule => {
  return (x, midpoint, exponent) => {
    const fixed = midpoint.low === midpoint.high && exponent.low === exponent.high;
    if (x.low < 0 || midpoint.low <= 0) return ANYTHING;
    if (!fixed) return { low: 0, high: 1, nullable: false };
    const share = (value: number): number => {
      if (value === Number.POSITIVE_INFINITY) return exponent.low > 0 === falls ? 0 : 1;
      const [a, b] = [value ** exponent.low, midpoint.low ** exponent.low];
      return (falls ? b : a) / (a + b);
    };
    return widened(of([share(x.low), share(x.high)]), 4 * LIBRARY_ERROR);
  };
};

const RULES: Readonly<Record<string, Rule>> = {
  abs: absolute,
  ceil: ({ low, high }) => of([Math.ceil(low), Math.ceil(high)]),
  ceiling: ({ low, high }) => of([Math.ceil(low), Math.ceil(high)]),
  floor: ({ low, high }) => of([Math.floor(low), Math.floor(high)]),
  round: ({ low, high }, digits) => (digits ? ANYTHING : of([Math.floor(low), Math.ceil(high)])),
  exp: rising(Math.exp),
  ln: risingFrom(0, Math.log),
  sqrt: risingFrom(0, Math.sqrt),
  cbrt: rising(Math.cbrt),
  square: (x) => {
    const { low, high } = absolute(x);
    return of([low * low, high * high]);
  },
  power,
  pow: power,
  '^': power,
  saturate: saturate(false),
  decay: saturate(true),
};

const ARITHMETIC: Readonly<Record<string, Rule>> = {
  '+': (a, b) => of([a.low + b.low, a.high + b.high]),
  '-': (a, b) => of([a.low - b.high, a.high - b.low]),
  '*': multiply,
};

/**
 * Bounds of a strict function or operator of numbers; anything for those that are not known here.
 *
 * @param whole true for integers, whose division cuts the remainder off.
 */
export function applied(name: string, args: readonly Interval[], whole: boolean): Interval {
  if (args.some(isEmpty)) return ALWAYS_NULL;
  const nullable = args.some((arg) => arg.nullable);
  const [first, second] = args;
  if (first === undefined) return ANYTHING;
  if (second === undefined && (name === '-' || name === '+')) {
    return name === '+' ? first : { low: -first.high, high: -first.low, nullable };
  }
  const rule = ARITHMETIC[name] ?? (name === '/' && !whole ? divide : RULES[name]);
  return rule === undefined ? ANYTHING : { ...rule(...args), nullable };
}
