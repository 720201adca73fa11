/**
 * Conditions on a text column that name something the text must contain: what an ngram index can answer. The
 * optimizer, the executor and EXPLAIN ask here, so that they agree.
 */
import { functionById } from '../functions/registry.ts';
import { OID } from '../types/oids.ts';
import { isValue } from './column-condition.ts';
import type { Expression } from './expression.ts';

export interface TextCondition {
  /** Position in the scan's output. */
  readonly column: number;
  /** How `wanted` says it: pattern of LIKE, regular expression, or the text itself. */
  readonly form: 'like' | 'regexp' | 'text';
  readonly anyCase: boolean;
  /** The same for every row. */
  readonly wanted: Expression;
}

const OPERATORS: Readonly<Record<string, Pick<TextCondition, 'form' | 'anyCase'>>> = {
  '~~': { form: 'like', anyCase: false },
  '~~*': { form: 'like', anyCase: true },
  '~': { form: 'regexp', anyCase: false },
  '~*': { form: 'regexp', anyCase: true },
  starts_with: { form: 'text', anyCase: false },
  contains: { form: 'text', anyCase: false },
};

/** Null for conditions of another shape. */
export function textCondition(condition: Expression): TextCondition | null {
  if (condition.kind !== 'call') return null;
  const { name } = functionById(condition.function);
  const [left, right] = condition.args;
  if (left === undefined || right === undefined) return null;
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) return name === '>' && isZero(right) ? placeCondition(left) : null;
  return conditionOn(left, right, operator);
}

/** `strpos(column, text)`, `position(text in column)`. */
function placeCondition(call: Expression): TextCondition | null {
  if (call.kind !== 'call') return null;
  const { name } = functionById(call.function);
  const [text, wanted] = call.args;
  if (text === undefined || wanted === undefined || !PLACES.has(name)) return null;
  return conditionOn(text, wanted, { form: 'text', anyCase: false });
}

const PLACES: ReadonlySet<string> = new Set(['strpos', 'position']);

function conditionOn(
  text: Expression,
  wanted: Expression,
  how: Pick<TextCondition, 'form' | 'anyCase'>,
): TextCondition | null {
  const column = text.kind === 'cast' && text.type.oid === OID.text ? text.input : text;
  const { oid } = column.type;
  if (column.kind !== 'column' || (oid !== OID.text && oid !== OID.varchar) || !isValue(wanted)) return null;
  return { column: column.index, wanted, ...how };
}

const isZero = (expression: Expression): boolean =>
  expression.kind === 'literal' && (expression.value === 0 || expression.value === 0n);
