/**
 * Paths into jsonb columns that an index may be over: `meta ->> 'title'`, `meta -> 'a' ->> 'b'`, `meta #>> '{a,b}'`,
 * `meta['a']['b']`. However they are written, equal paths are one.
 */
import { functionById } from '../../../functions/registry.ts';
import type { Datum } from '../../../types/datum.ts';
import { pathIndex } from '../../../types/json/text.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import { OID } from '../../../types/oids.ts';
import { quoteLiteral } from '../../../types/text/quote.ts';
import type { Expression } from '../draft.ts';

type ColumnReference = Extract<Expression, { kind: 'column' }>;

interface ColumnPath {
  readonly column: ColumnReference;
  readonly path: TextPath;
}

/** Null for what is not a constant path of a jsonb column. */
export function columnPath(expression: Expression): ColumnPath | null {
  const walked = walk(expression);
  return walked !== null && walked.path.length > 0 ? walked : null;
}

function walk(expression: Expression): ColumnPath | null {
  if (expression.kind === 'column') {
    return expression.type.oid === OID.jsonb ? { column: expression, path: [] } : null;
  }
  if (expression.kind !== 'call') return null;
  const [input, key] = expression.args;
  const steps = key && stepsOf(functionById(expression.function).name, key);
  const base = input && steps && walk(input);
  return base ? { column: base.column, path: [...base.path, ...steps] } : null;
}

/** A key that reads as a number is a key to `->` alone, and a place in an array to `#>>`: only the latter is told. */
function stepsOf(operator: string, key: Expression): TextPath | null {
  const value = constant(key);
  if (operator === '->' || operator === '->>') {
    if (typeof value === 'number') return [value];
    return typeof value === 'string' && pathIndex(value) === undefined ? [value] : null;
  }
  if ((operator !== '#>' && operator !== '#>>') || !Array.isArray(value)) return null;
  return value.every((step) => typeof step === 'string') ? value : null;
}

function constant(key: Expression): Datum | readonly Datum[] {
  if (key.kind === 'array') {
    const elements = key.elements.map(constant);
    return elements.every((element) => !Array.isArray(element)) ? (elements as Datum[]) : null;
  }
  if (key.kind !== 'literal') return null;
  const { value } = key;
  return typeof value === 'object' && value !== null && 'elements' in value ? value.elements : value;
}

export const samePath = (one: TextPath | undefined, other: TextPath | undefined): boolean =>
  JSON.stringify(one ?? []) === JSON.stringify(other ?? []);

/** `meta #>> '{a,b}'` as one writes it most simply. */
export function pathText(column: string, path: TextPath): string {
  const steps = path.map((step) => (typeof step === 'number' ? String(step) : quoteLiteral(step)));
  return [column, ...steps]
    .map((step, i) => (i === 0 ? step : `${i === path.length ? '->>' : '->'}${step}`))
    .join('');
}
