/**
 * Bounds of a ranking expression over rows that nobody has looked at: from the bounds of the columns and scores
 * it reads, by interval arithmetic. What is not understood can be anything.
 */
import { functionById } from '../../functions/registry.ts';
import type { Call, Cast, Expression } from '../../plan/expression.ts';
import { expressionChildren } from '../../plan/walk.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { numericToNumber } from '../../types/number/numeric.ts';
import { OID } from '../../types/oids.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { isConstant } from '../../plan/columns-read.ts';
import {
  ALWAYS_NULL,
  ANYTHING,
  applied,
  hull,
  type Interval,
  isEmpty,
  point,
  TRUTH,
  widened,
} from './interval.ts';
import type { Run } from '../state.ts';

const WHOLE: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const NUMBERS: ReadonlySet<number> = new Set([...WHOLE, OID.float4, OID.float8, OID.numeric]);
/** Their values are days and microseconds, which rise with them. */
const MOMENTS: ReadonlySet<number> = new Set([OID.date, OID.timestamp, OID.timestamptz]);

/** Room for a conversion or a computation that rounds: float4 has 24 bits. */
const ROUNDING = 2 ** -23;

/** The bounds of an expression, given those of the columns it reads by output position. */
export type Bounds = (column: (position: number) => Interval) => Interval;

/** Evaluates what is constant, once. */
export function* scoreBounds(expression: Expression, run: Run): Task<Bounds> {
  const constants = new Map<Expression, Interval>();
  yield* collectConstants(expression, run, constants);
  return (column) => boundsOf(expression, constants, column);
}

function* collectConstants(
  expression: Expression,
  run: Run,
  constants: Map<Expression, Interval>,
): Task<void> {
  if (isConstant(expression)) {
    const value = yield* wait(evaluateConstant(expression, run));
    constants.set(expression, value === null ? ALWAYS_NULL : pointOf(value));
    return;
  }
  for (const child of expressionChildren(expression)) yield* collectConstants(child, run, constants);
}

function pointOf(value: Datum): Interval {
  const number = numberOf(value);
  if (number === null || Number.isNaN(number)) return ANYTHING;
  return typeof value === 'number' || typeof value === 'boolean' ? point(number) : widened(point(number));
}

/** Null for values that are no numbers, and for NULL. */
export function numberOf(value: Datum): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'numeric') {
    return numericToNumber(value);
  }
  return null;
}

function boundsOf(
  expression: Expression,
  constants: ReadonlyMap<Expression, Interval>,
  column: (position: number) => Interval,
): Interval {
  const known = constants.get(expression);
  if (known !== undefined) return known;
  const inner = (part: Expression): Interval => boundsOf(part, constants, column);
  switch (expression.kind) {
    case 'column':
      return column(expression.index);
    case 'call':
      return callBounds(expression, inner);
    case 'cast':
      return castBounds(expression, inner);
    case 'coalesce':
      return coalesced(expression.args.map(inner));
    case 'case': {
      const results = expression.branches.map(({ then }) => inner(then));
      return hull([...results, expression.otherwise === null ? ALWAYS_NULL : inner(expression.otherwise)]);
    }
    case 'and':
    case 'or':
    case 'not':
    case 'is':
    case 'in':
    case 'quantified':
      return TRUTH;
    default:
      return ANYTHING;
  }
}

/** The first that is not NULL: a later one counts only where all before it can be. */
function coalesced(args: readonly Interval[]): Interval {
  const end = args.findIndex(({ nullable }) => !nullable);
  const reached = end < 0 ? args : args.slice(0, end + 1);
  return { ...hull(reached), nullable: end < 0 };
}

function callBounds(call: Call, inner: (part: Expression) => Interval): Interval {
  if (call.type.oid === OID.bool) return TRUTH;
  const { name } = functionById(call.function);
  const [first, second] = call.args;
  if (first === undefined) return ANYTHING;
  if (name === 'boost') return second === undefined ? ANYTHING : hull([point(1), inner(second)]);
  if (name === 'greatest_of' || name === 'least_of') return extremeBounds(name, first, inner);
  if (name === 'elapsed') return elapsedBounds(call, inner);
  if (!NUMBERS.has(call.type.oid) || !call.args.every(({ type }) => NUMBERS.has(type.oid))) return ANYTHING;
  const result = applied(name, call.args.map(inner), WHOLE.has(call.type.oid));
  return call.type.oid === OID.float8 || WHOLE.has(call.type.oid) ? result : widened(result, ROUNDING);
}

/** NULLs among the arguments are passed over. */
function extremeBounds(name: string, array: Expression, inner: (part: Expression) => Interval): Interval {
  if (array.kind !== 'array' || !array.elements.every(({ type }) => NUMBERS.has(type.oid))) return ANYTHING;
  const elements = array.elements.map(inner).filter((element) => !isEmpty(element));
  if (elements.length === 0) return ALWAYS_NULL;
  const { low, high } = hull(elements);
  const sure = elements.filter(({ nullable }) => !nullable);
  const nullable = sure.length === 0;
  if (name === 'greatest_of') return { low: Math.max(low, ...sure.map((one) => one.low)), high, nullable };
  return { low, high: Math.min(high, ...sure.map((one) => one.high)), nullable };
}

/** Falls with the start and rises with the end, whatever the unit. */
function elapsedBounds({ args }: Call, inner: (part: Expression) => Interval): Interval {
  const [start, end] = args;
  if (start === undefined || end === undefined) return ANYTHING;
  const [from, to] = [inner(start), inner(end)];
  if (isEmpty(from) || isEmpty(to)) return ALWAYS_NULL;
  return { ...ANYTHING, low: to.low >= from.high ? 0 : ANYTHING.low, nullable: from.nullable || to.nullable };
}

function castBounds({ input, type }: Cast, inner: (part: Expression) => Interval): Interval {
  const same = input.type.oid === type.oid;
  const moments = MOMENTS.has(input.type.oid) && same;
  if (!moments && !(NUMBERS.has(input.type.oid) && NUMBERS.has(type.oid))) return ANYTHING;
  const bounds = inner(input);
  if (isEmpty(bounds)) return ALWAYS_NULL;
  if (WHOLE.has(type.oid)) {
    return { ...bounds, low: Math.floor(bounds.low), high: Math.ceil(bounds.high) };
  }
  const exact = WHOLE.has(input.type.oid) && input.type.oid !== OID.int8;
  const toDouble = type.oid === OID.float8 && (exact || input.type.oid === OID.float4 || same);
  return toDouble ? bounds : widened(bounds, ROUNDING);
}
