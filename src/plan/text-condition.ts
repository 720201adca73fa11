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
  /** How `wanted` says it: pattern of LIKE, regular expression, the text itself, or one that is like it. */
  readonly form: 'like' | 'regexp' | 'text' | 'alike';
  readonly anyCase: boolean;
  /** Setting that says how much alike texts must be. */
  readonly threshold?: string;
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

const SIMILARITY = 'pg_trgm.similarity_threshold';
const WORD_SIMILARITY = 'pg_trgm.word_similarity_threshold';
const STRICT_WORD_SIMILARITY = 'pg_trgm.strict_word_similarity_threshold';

/** pg_trgm's operators: which of its sides may be the column, and the setting that they ask. */
const ALIKE: Readonly<
  Record<string, { readonly column: 'left' | 'right' | 'either'; readonly threshold: string }>
> = {
  '%': { column: 'either', threshold: SIMILARITY },
  '<%': { column: 'right', threshold: WORD_SIMILARITY },
  '%>': { column: 'left', threshold: WORD_SIMILARITY },
  '<<%': { column: 'right', threshold: STRICT_WORD_SIMILARITY },
  '%>>': { column: 'left', threshold: STRICT_WORD_SIMILARITY },
};

/** Null for conditions of another shape. */
export function textCondition(condition: Expression): TextCondition | null {
  if (condition.kind !== 'call') return null;
  const { name } = functionById(condition.function);
  const [left, right] = condition.args;
  if (left === undefined || right === undefined) return null;
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (Object.hasOwn(ALIKE, name)) return alikeCondition(name, left, right);
  if (operator === undefined) return name === '>' && isZero(right) ? placeCondition(left) : null;
  return conditionOn(left, right, operator);
}

function alikeCondition(name: string, left: Expression, right: Expression): TextCondition | null {
  const { column, threshold } = ALIKE[name] as (typeof ALIKE)[string];
  const how = { form: 'alike', anyCase: true, threshold } as const;
  const found = column === 'right' ? null : conditionOn(left, right, how);
  return found ?? (column === 'left' ? null : conditionOn(right, left, how));
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
  how: Pick<TextCondition, 'form' | 'anyCase' | 'threshold'>,
): TextCondition | null {
  const column = text.kind === 'cast' && text.type.oid === OID.text ? text.input : text;
  const { oid } = column.type;
  if (column.kind !== 'column' || (oid !== OID.text && oid !== OID.varchar) || !isValue(wanted)) return null;
  return { column: column.index, wanted, ...how };
}

const isZero = (expression: Expression): boolean =>
  expression.kind === 'literal' && (expression.value === 0 || expression.value === 0n);
