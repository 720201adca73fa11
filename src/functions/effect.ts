/**
 * Leave for what functions do beside giving a value. The registry puts each of its rows through here, so that whoever
 * calls a function that writes, or reaches beyond its session, has asked the session first.
 */
import type { Effect, FunctionContext, ScalarFunction, SetFunction } from './function.ts';

type Row = Pick<ScalarFunction | SetFunction, 'effect' | 'volatility'>;
type Implementation = (context: FunctionContext, ...args: never[]) => unknown;

export const effectOf = ({ effect, volatility }: Row): Effect =>
  effect ?? (volatility === 'volatile' ? 'data' : 'none');

const needsLeave = (row: Row): boolean => ['kept', 'server', 'data'].includes(effectOf(row));

function asking<Call extends Implementation>(row: Row & { readonly name: string }, call: Call): Call {
  const effect = effectOf(row);
  const what = `${row.name}()`;
  const asked: Implementation = (context, ...args) => {
    context.allow(effect, what);
    return call(context, ...args);
  };
  return asked as Call;
}

export function withLeave(row: ScalarFunction): ScalarFunction {
  if (!needsLeave(row)) return row;
  const { evaluateIn, evaluateLater, evaluateAllLater } = row;
  return {
    ...row,
    ...(evaluateIn && { evaluateIn: asking(row, evaluateIn) }),
    ...(evaluateLater && { evaluateLater: asking(row, evaluateLater) }),
    ...(evaluateAllLater && { evaluateAllLater: asking(row, evaluateAllLater) }),
  };
}

export const setWithLeave = (row: SetFunction): SetFunction =>
  needsLeave(row) ? { ...row, rows: asking(row, row.rows) } : row;
