/** Rows of the function tables written as signatures: `name(type, …) result`, `left op right result`. */
import type { Operator, ScalarFunction } from './function.ts';

type Rest = Omit<ScalarFunction, 'name' | 'args' | 'returns'>;

/** @param signature `name(type, …) result`. */
export function scalar(signature: string, rest: Rest): ScalarFunction {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  return { name, args: args === '' ? [] : args.split(', '), returns, ...rest };
}

/** @param signature `left op right result`, or `op right result` for a prefix operator. */
export function infix(
  signature: string,
  rest: Omit<Operator, 'name' | 'left' | 'right' | 'returns'>,
): Operator {
  const parts = signature.split(' ');
  const [left, name = '', right = '', returns = ''] = parts.length === 4 ? parts : [undefined, ...parts];
  return { name, ...(left !== undefined && { left }), right, returns, ...rest };
}
