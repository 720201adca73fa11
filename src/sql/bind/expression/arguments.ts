/**
 * Which function a call means, and its arguments in declared order, with defaults and variadic ones collected.
 * Follows PostgreSQL's parse_func.c.
 */
import { SqlError } from '../../../errors.ts';
import { functionById } from '../../../functions/registry.ts';
import { type Resolution, resolveFunction } from '../../../functions/resolve.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Argument, FunctionCall, Located } from '../../ast.ts';
import { parseExpression } from '../../parse/parse.ts';
import { bindExpression } from '../context.ts';
import { type Expression, literal, UNKNOWN } from '../draft.ts';
import { type Level, newLevel } from '../level.ts';
import { namedType } from '../names.ts';
import { isInAName } from '../../../functions/registry.ts';
import { definerName } from './asked-of.ts';
import { inStored, refuseInDefiner } from '../rights.ts';
import { type State, typeOnly } from '../state.ts';
import { candidates } from './candidates.ts';
import { coerce, settleUnknown } from './coerce.ts';

export type Call = FunctionCall & Located;

/** A call of the registry's function or operator. */
export function scalarCall(id: string, args: readonly Expression[], type: TypeRef, at: number): Expression {
  const given = functionById(id).emptyForNull ? args.map(emptyForNull) : args;
  return { kind: 'call', function: id, args: given, type, at };
}

function emptyForNull(arg: Expression): Expression {
  const element = findTypeByOid(arg.type.oid)?.elementOid;
  if (!element) return arg;
  return { kind: 'coalesce', args: [arg, literal(arrayDatum(element, []), arg.type)], type: arg.type };
}

/** A scalar function of the registry by name, for what the binder itself needs. */
export function callFunction(
  level: Level,
  call: { readonly name: string; readonly args: readonly Expression[]; readonly at: number },
): Expression {
  const given = call.args.map((arg) => ({ type: arg.type.oid, name: null }));
  const resolution = resolveFunction(call.name, given, { at: call.at });
  const definer = definerName(level.state, resolution.id);
  if (definer !== null) return definer;
  refuseInDefiner(level.state, resolution.id, isInAName(resolution.id));
  const args = declaredArguments(level, resolution, call.args, call.at);
  return { kind: 'call', function: resolution.id, args, type: resolution.returns, at: call.at };
}

export function bindArguments(level: Level, args: readonly Argument[]): Expression[] {
  return args.map((arg) => bindExpression(level, arg.value));
}

/** The call without parameters of type void: so JDBC marks the result of `{? = call f(?)}`. */
export function withoutVoid<T extends { readonly args: readonly Argument[] }>(level: Level, call: T): T {
  const { context } = level.state;
  const isVoid = ({ value }: Argument): boolean =>
    value.kind === 'parameter' && context.parameterTypes[value.number - 1] === OID.void;
  return call.args.some(isVoid) ? { ...call, args: call.args.filter((arg) => !isVoid(arg)) } : call;
}

/**
 * `type(x)` is a cast when no function of that name fits.
 * @throws SqlError 42883, 42725, 3F000.
 */
export function resolveCall(
  level: Level,
  call: Call,
  args: readonly Expression[],
): Resolution | { readonly cast: number } {
  const found = candidates(level.state.context, call);
  const given = args.map((arg, i) => ({ type: arg.type.oid, name: call.args[i]?.name ?? null }));
  try {
    const written = call.schema === null ? call.name : `${call.schema}.${call.name}`;
    const options = {
      at: call.at,
      variadic: call.variadic,
      star: call.star,
      candidates: found,
      written,
    };
    return resolveFunction(call.name, given, options);
  } catch (error) {
    const { context } = level.state;
    const type = args.length === 1 && !call.star ? namedType(context, call.schema, call.name) : undefined;
    if (error instanceof SqlError && error.condition === 'undefined_function' && type)
      return { cast: type.oid };
    throw error;
  }
}

/** The arguments as the function declares them. */
export function declaredArguments(
  level: Level,
  resolution: Resolution,
  args: readonly Expression[],
  at: number,
): readonly Expression[] {
  const state = level.state;
  const { argTypes, argOrder, defaults, variadicFrom } = resolution;
  const fixed = variadicFrom === -1 ? argTypes.length : variadicFrom;
  let defaulted = 0;
  const declared: Expression[] = [];
  for (let i = 0; i < fixed; i++) {
    const type = argTypes[i] ?? UNKNOWN;
    const from = argOrder[i] ?? i;
    const given = from === -1 ? undefined : args[from];
    if (given) {
      declared.push(coerce(state, given, { type, context: 'implicit' }));
      continue;
    }
    const text = defaults[defaulted++] ?? 'null';
    const value = resolution.kind === 'sql' ? bindDefault(state, text) : defaultLiteral(text, at);
    declared.push(coerce(state, value, { type, context: 'assignment' }));
  }
  if (variadicFrom === -1) return resolution.spread ? spreadLast(level, declared) : declared;
  const arrayType = argTypes[variadicFrom] ?? UNKNOWN;
  if (arrayType.oid === OID.record) {
    // pg_typeof alone is asked about literals as they stand: their type is unknown until something wants one.
    const asked = resolution.id.startsWith('pg_typeof(');
    const fields = args
      .slice(variadicFrom)
      .map((arg) => (asked && arg.kind === 'literal' ? arg : settleUnknown(state, arg)));
    return [...declared, { kind: 'row', fields, type: arrayType, at }];
  }
  const element = findTypeByOid(arrayType.oid)?.elementOid;
  const rest = args.slice(variadicFrom);
  const elements = element
    ? rest.map((arg) => coerce(state, arg, { type: typeOnly(element), context: 'implicit' }))
    : rest;
  declared.push({ kind: 'array', elements, type: arrayType, at });
  return declared;
}

/** VARIADIC array as the arguments that its elements are. @throws SqlError 42804 for what is no array. */
function spreadLast(level: Level, args: readonly Expression[]): readonly Expression[] {
  const last = args.at(-1);
  const position = last?.at;
  if (!last || !findTypeByOid(last.type.oid)?.elementOid) {
    throw new SqlError('datatype_mismatch', 'VARIADIC argument must be an array', { position });
  }
  return [
    ...args.slice(0, -1),
    callFunction(level, { name: 'array_fields', args: [last], at: position ?? 0 }),
  ];
}

/** The default of an argument of a user's function: any expression without columns. */
function bindDefault(state: State, text: string): Expression {
  const level = newLevel(state, null, null);
  level.clause = 'DEFAULT expressions';
  return inStored(state, () => bindExpression(level, parseExpression(text)));
}

/** A default of the registry: a SQL literal of the argument's type, as text. */
function defaultLiteral(text: string, at: number): Expression {
  if (text.toLowerCase() === 'null') return literal(null, UNKNOWN, at);
  const quoted = /^'((?:[^']|'')*)'$/.exec(text);
  return literal(quoted ? (quoted[1] ?? '').replaceAll("''", "'") : text, UNKNOWN, at);
}
