/**
 * Values that are the same for every row, as datums instead of columns: literals, parameters, facts of the session, and
 * casts of these. A row that is found by its key is compared with them, where a column of one row would cost most.
 */
import { functionById } from '../../functions/registry.ts';
import type { Call, Cast, Expression } from '../../plan/expression.ts';
import type { Datum } from '../../types/datum.ts';
import { implementationOf, rowCall } from './callee.ts';
import { type Evaluator, kindOf, ONE_ROW, type Value } from './compiled.ts';

/** Longer texts are cast with an eye on time (`row-calls.ts`). */
const TEXT_UNITS_MAX = 1024;

/** @param slow the expression's evaluator. @returns null for what is to be computed as a column. */
export function compileValue(expression: Expression, slow: Evaluator): Value | null {
  switch (expression.kind) {
    case 'literal':
      return () => expression.value;
    case 'parameter':
      return ({ parameters }) => parameters[expression.index] ?? null;
    case 'call':
      return compileFact(expression);
    case 'cast':
      return compileCastValue(expression, slow);
    default:
      return null;
  }
}

/** The value of one row. */
export const oneValue =
  (evaluate: Evaluator): Value =>
  (frame) =>
    evaluate(ONE_ROW, frame).get(0);

function compileFact({ function: id, args }: Call): Value | null {
  const callable = functionById(id);
  if (!('isFact' in callable)) return null;
  const given: Datum[] = [];
  for (const arg of args) {
    if (arg.kind !== 'literal' || arg.value === null) return null;
    given.push(arg.value);
  }
  const call = rowCall(callable);
  return ({ functions }) => call(functions, ...given);
}

function compileCastValue({ input, method, type, explicit }: Cast, slow: Evaluator): Value | null {
  if (method !== 'text' && !(method === 'none' && kindOf(type) === kindOf(input.type))) return null;
  const value = input.kind === 'call' ? compileFact(input) : null;
  if (value === null) return null;
  const convert = implementationOf({ kind: 'cast', method, from: input.type, to: type, explicit });
  return (frame) => {
    const given = value(frame);
    if (given === null) return null;
    if (typeof given === 'string' && given.length > TEXT_UNITS_MAX) return oneValue(slow)(frame);
    return convert(frame.functions, given);
  };
}
