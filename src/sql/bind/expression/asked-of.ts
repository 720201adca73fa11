/**
 * `current_user`, and what asks for its privileges, in the body of a SECURITY DEFINER function: its owner is meant there, who is
 * written into the plan, as the body becomes part of the plan of whoever calls it.
 */
import { OID } from '../../../types/oids.ts';
import { type Expression, literal } from '../draft.ts';
import { definerOf } from '../rights.ts';
import type { State } from '../state.ts';

const NAMES: ReadonlySet<string> = new Set(['current_user()', 'current_role()', 'user()']);

/** Null for other functions, and outside of such a body. */
export function definerName(state: State, id: string): Expression | null {
  const definer = NAMES.has(id) ? definerOf(state) : null;
  return definer && literal(definer.name, { oid: OID.name, modifier: -1 });
}

const ASKS_PRIVILEGES = /^(has_\w+_privilege|pg_has_role)$/;

/** Arguments with the role that is meant where none is named. */
export function askedOfDefiner(state: State, name: string, args: Expression[]): Expression[] {
  const definer = ASKS_PRIVILEGES.test(name) ? definerOf(state) : null;
  const count = name === 'has_column_privilege' ? 3 : 2;
  if (definer === null || args.length !== count) return args;
  return [literal(definer.oid, { oid: OID.oid, modifier: -1 }), ...args];
}
