/**
 * Parts of an expression whose values are there before it is computed, subqueries and calls that wait: each is one
 * more column at the end of the batch, made by `subquery.ts` and `later-call.ts`.
 */
import { notSupported } from '../../errors.ts';
import { waits } from '../../functions/function.ts';
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import { expressionChildren } from '../../plan/walk.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { type Compiler, type Deferred, type Evaluator, kindOf } from './compiled.ts';

/** @param conditional inside of CASE or COALESCE, where a call may not be wanted. @throws SqlError 0A000. */
export function collectDeferred(expression: Expression, conditional: boolean, found: Deferred[]): void {
  if (expression.kind === 'subquery') {
    found.push(expression);
    return;
  }
  if (expression.kind === 'call') {
    const callable = functionById(expression.function);
    if (waits(callable)) {
      if (conditional) throw notSupported(`${callable.name} within CASE or COALESCE`);
      found.push(expression);
      return;
    }
  }
  const chooses = expression.kind === 'case' || expression.kind === 'coalesce';
  for (const [i, child] of expressionChildren(expression).entries()) {
    collectDeferred(child, conditional || (chooses && i > 0), found);
  }
}

/** A deferred part's value that could not be computed: raised where, and only where, it is used. */
export class FailedValue {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

export function compileDeferred(expression: Deferred, compiler: Compiler): Evaluator {
  const kind = kindOf(expression.type);
  const fromEnd = compiler.deferred.length - compiler.deferred.indexOf(expression);
  return (batch) => {
    const column = batch.columns[batch.columns.length - fromEnd] as Vector;
    const values = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const value = column.get(row) as unknown;
      if (value instanceof FailedValue) throw value.error;
      values[row] = value as Datum;
    }
    return vectorOf(kind, values);
  };
}
