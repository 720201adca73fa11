/** Volatility: an expression, or a row of a plan, may give another value each time: random(), clock_timestamp(), nextval(). */
import { functionById } from '../functions/registry.ts';
import type { Expression, PlanForm } from './expression.ts';

/** Also within its subqueries, and before its columns are settled. */
export function isVolatile(part: Expression<PlanForm> | PlanForm['plan']): boolean {
  return hasVolatileCall(part);
}

function hasVolatileCall(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return false;
  if (Array.isArray(part)) return part.some(hasVolatileCall);
  const node = part as Partial<Expression>;
  if (node.kind === 'literal') return false;
  if (node.kind === 'call' && node.function && functionById(node.function).volatility === 'volatile')
    return true;
  return Object.entries(part).some(([field, value]) => field !== 'type' && hasVolatileCall(value));
}
