/**
 * Calls with values whose type is known only when they are read: undeclared columns whose documents differ in type, and
 * paths into jsonb. Where no function takes jsonb, they are read as numbers, texts, booleans or times, the first of
 * these that fits all of them; a value of another class is NULL, as in comparisons (`undeclared.ts`).
 */
import { SqlError } from '../../../errors.ts';
import type { Resolution } from '../../../functions/resolve.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { Expression } from '../draft.ts';
import type { Level } from '../level.ts';
import { typeOnly } from '../state.ts';
import { type Call, callFunction, resolveCall } from './arguments.ts';
import { isUnknown, settleUnknown } from './coerce.ts';
import { isMixed, readAsClass, VALUE_CLASSES, valueClass, wantedElement } from './undeclared.ts';

interface Resolved {
  readonly resolution: Resolution | { readonly cast: number };
  readonly args: readonly Expression[];
}

/** @throws SqlError 42883, 42725, 3F000. */
export function resolveByClass(level: Level, call: Call, given: readonly Expression[]): Resolved {
  const args = call.name === 'contains' ? containsArguments(level, given) : given;
  const isExtreme = (call.name === 'min' || call.name === 'max') && args[0] && isMixed(level, args[0]);
  if (isExtreme)
    return { resolution: resolveCall(level, { ...call, name: `undeclared_${call.name}` }, args), args };
  try {
    return { resolution: resolveCall(level, call, args), args };
  } catch (error) {
    const found =
      isUnresolved(error) && args.some((arg) => isMixed(level, arg)) && inSomeClass(level, call, args);
    if (found) return found;
    throw error;
  }
}

const isUnresolved = (error: unknown): boolean =>
  error instanceof SqlError && /^(?:undefined|ambiguous)_function$/.test(error.condition);

function inSomeClass(level: Level, call: Call, args: readonly Expression[]): Resolved | null {
  for (const one of VALUE_CLASSES) {
    const read = args.map((arg) => (isMixed(level, arg) ? readAsClass(level, arg, one) : arg));
    try {
      return { resolution: resolveCall(level, call, read), args: read };
    } catch (error) {
      if (!isUnresolved(error)) throw error;
    }
  }
  return null;
}

/** Reads what is looked for as what the list or text has. */
function containsArguments(level: Level, args: readonly Expression[]): readonly Expression[] {
  const [list, wanted] = args;
  if (list === undefined || wanted === undefined) return args;
  const element = findTypeByOid(list.type.oid)?.elementOid;
  const held = isUnknown(list) ? 'text' : valueClass(typeOnly(element || list.type.oid));
  if (wanted.type.oid !== OID.jsonb || held === 'json' || held === 'other') {
    return [list, wantedElement(level, list, wanted), ...args.slice(2)];
  }
  return [settleUnknown(level.state, list), readAsClass(level, wanted, held), ...args.slice(2)];
}

/** For COALESCE, CASE and their kin: all as jsonb where one of them may be of any type. */
export function alikeWithMixed(
  level: Level,
  expressions: readonly Expression[],
  at: number,
): readonly Expression[] {
  if (!expressions.some((expression) => isMixed(level, expression))) return expressions;
  return expressions.map((expression) => {
    if (expression.type.oid === OID.jsonb || isNothing(expression)) return expression;
    return callFunction(level, {
      name: 'undeclared_json',
      args: [settleUnknown(level.state, expression)],
      at,
    });
  });
}

const isNothing = (expression: Expression): boolean =>
  expression.kind === 'literal' && expression.value === null;
