/** Requests of a session's statements (`documents/`), by the signals of these. */
import { setFunctionById } from '../../functions/registry.ts';
import type { Plan } from '../../plan/plan.ts';
import { planExpressions } from '../../plan/walk.ts';
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

/** True when a plan is a request's function and nothing else. */
function isRequest(plan: Plan | null): boolean {
  if (plan?.kind === 'project') {
    return planExpressions(plan).every(({ kind }) => kind === 'column') && isRequest(plan.input);
  }
  return plan?.kind === 'function' && setFunctionById(plan.function).commits === true;
}
