/** Expressions that give the same for all rows of a statement, and functions that give the same to everybody. */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import { visitExpression } from '../../plan/walk.ts';

/** A function's fact (`isFact`), also converted to another type. */
export function isFact(expression: Expression): boolean {
  let has = false;
  let isOnly = true;
  visitExpression(expression, (part) => {
    if (part.kind === 'call' && 'isFact' in functionById(part.function)) has = true;
    else if (part.kind !== 'literal' && part.kind !== 'cast') isOnly = false;
  });
  return has && isOnly;
}

/** True when the function gives the same for the same arguments, whoever asks and when. */
export function isImmutable(id: string): boolean {
  const { volatility = 'immutable', ...callable } = functionById(id);
  return volatility === 'immutable' && callable.evaluateIn === undefined;
}
