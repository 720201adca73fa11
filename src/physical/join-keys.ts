/** Pairs of expressions that a join equates: hashed where equal values have equal keys, else a condition. */
import type { Expression } from '../plan/expression.ts';
import type { Join } from '../plan/plan.ts';
import { shiftColumns } from '../plan/free-references.ts';
import { OID } from '../types/oids.ts';
import { typeByOid } from '../types/registry.ts';

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8]);

/** Keys that may be hashed; the others become part of the condition. */
export function hashableKeys(plan: Join): {
  readonly keys: Join['keys'];
  readonly condition: Expression | null;
} {
  const keys = plan.keys.filter((key) => isHashable(key.left.type.oid, key.right.type.oid));
  const rest = plan.keys.filter((key) => !keys.includes(key));
  if (rest.length === 0) return { keys, condition: plan.condition };
  return { keys, condition: keysAsCondition(rest, plan) };
}

function isHashable(left: number, right: number): boolean {
  const both = (types: ReadonlySet<number>): boolean => types.has(left) && types.has(right);
  if (both(INTEGERS) || both(TEXTS) || both(FLOATS)) return true;
  return left === right && typeByOid(left).hashKey !== undefined;
}

/** Equal pairs as calls over the joined row, and-ed with the plan's own condition. */
export function keysAsCondition(keys: Join['keys'], plan: Join): Expression | null {
  const boolean = { oid: OID.bool, modifier: -1 };
  const width = plan.left.output.length;
  const args: Expression[] = keys.map((key) => ({
    kind: 'call',
    function: key.equals,
    args: [key.left, shiftColumns(key.right, width)],
    type: boolean,
  }));
  if (plan.condition !== null) args.push(plan.condition);
  const [only, second] = args;
  if (only === undefined || second === undefined) return only ?? null;
  return { kind: 'and', args, type: boolean };
}
