/** Whether an expression may give another value each time: random(), clock_timestamp(), nextval(). */
import { functionById } from '../../../functions/registry.ts';
import type { Expression } from '../../../plan/expression.ts';

export function isVolatile(expression: Expression): boolean {
  return hasVolatileCall(expression);
}

function hasVolatileCall(draft: unknown): boolean {
  if (typeof draft !== 'object' || draft === null) return false;
  if (Array.isArray(draft)) return draft.some(hasVolatileCall);
  const node = draft as Partial<Expression>;
  if (node.kind === 'literal') return false;
  if (node.kind === 'call' && node.function && functionById(node.function).volatility === 'volatile')
    return true;
  return Object.entries(draft).some(([field, value]) => field !== 'type' && hasVolatileCall(value));
}
