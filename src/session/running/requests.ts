/** Requests of a session's statements (`documents/`), by the signals of these. */
import { setFunctionById } from '../../functions/registry.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Expression } from '../../plan/expression.ts';
import { isVolatile } from '../../plan/volatile.ts';
import { visitExpression } from '../../plan/walk.ts';
import type { Datum } from '../../types/datum.ts';

export class Requests {
  readonly #alone = new WeakSet<AbortSignal>();
  /** Rows that they are about to write. */
  readonly rows = new WeakMap<AbortSignal, readonly (readonly Datum[])[]>();

  /** Begins a statement that is a transaction of its own. */
  begin(plan: Plan | null, signal: AbortSignal): void {
    if (isRequest(plan)) this.#alone.add(signal);
  }

  /** True when it may end its transaction, which it does once. */
  end(signal: AbortSignal): boolean {
    return this.#alone.delete(signal);
  }
}

/** True when a plan is a request's function and nothing else that would be asked of the database. */
function isRequest(plan: Plan | null): boolean {
  if (plan?.kind === 'function') return isRequestFunction(plan.function);
  if (plan?.kind !== 'project' || !plan.expressions.every(isPlain)) return false;
  const [set, ...more] = plan.sets;
  if (set === undefined) return isRequest(plan.input);
  const isOneRow = plan.input.kind === 'values' && plan.input.rows.length === 1;
  return isOneRow && more.length === 0 && set.args.every(isPlain) && isRequestFunction(set.function);
}

const isRequestFunction = (id: string): boolean => setFunctionById(id).commits === true;

function isPlain(expression: Expression): boolean {
  if (isVolatile(expression)) return false;
  let asks = false;
  visitExpression(expression, ({ kind }) => {
    asks ||= kind === 'subquery';
  });
  return !asks;
}
