/** SECURITY, LEAKPROOF, PARALLEL, COST and ROWS of a function, checked as functioncmds.c of PostgreSQL 18 does. */
import { type FunctionPromises, type SqlFunction, USUAL_COST, USUAL_ROWS } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { FunctionTraits } from '../../ast.ts';

const wrong = (message: string): SqlError => new SqlError('invalid_parameter_value', message);

/**
 * Promises as said, over those there were; only what is not usual is kept.
 * @throws SqlError 22023, 42601.
 */
export function promises(
  traits: FunctionTraits,
  { set, promises: before = {} }: Pick<SqlFunction, 'set' | 'promises'>,
): { readonly promises?: FunctionPromises } {
  checkNumbers(traits, set);
  const parallel = parallelOf(traits.parallel) ?? before.parallel ?? 'unsafe';
  const cost = traits.cost ?? before.cost ?? USUAL_COST;
  const rows = traits.rows ?? before.rows ?? USUAL_ROWS;
  const said: FunctionPromises = {
    ...((traits.securityDefiner ?? before.securityDefiner) && { securityDefiner: true }),
    ...((traits.leakproof ?? before.leakproof) && { leakproof: true }),
    ...(parallel !== 'unsafe' && { parallel }),
    ...(cost !== USUAL_COST && { cost }),
    ...(rows !== USUAL_ROWS && { rows }),
  };
  return { promises: said };
}

function checkNumbers({ cost, rows }: FunctionTraits, set: boolean): void {
  if (cost !== null && !(cost > 0)) throw wrong('COST must be positive');
  if (rows === null) return;
  if (!(rows > 0)) throw wrong('ROWS must be positive');
  if (!set) throw wrong('ROWS is not applicable when function does not return a set');
}

function parallelOf(word: string | null): 'safe' | 'restricted' | 'unsafe' | null {
  if (word === null || word === 'safe' || word === 'restricted' || word === 'unsafe') return word;
  throw new SqlError('syntax_error', 'parameter "parallel" must be SAFE, RESTRICTED, or UNSAFE');
}
