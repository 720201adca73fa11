/**
 * Function and operator resolution: PostgreSQL 18, chapter 10 (func_select_candidate and its callers).
 * Candidates come from the registry; unknown literals have type `unknown` (705).
 */
import { SqlError } from '../errors.ts';
import { OID } from '../types/oids.ts';
import { arrayOf, findTypeByOid, formatType, typeRef } from '../types/registry.ts';
import type { TypeCategory, TypeRef } from '../types/type.ts';
import { bindPolymorphic } from './polymorphic.ts';
import { functionNames, functionsNamed, operatorsNamed } from './registry.ts';
import { RANKING_FUNCTIONS } from './search/ranking-functions.ts';
import { canCoerce, isPolymorphic } from './resolve-casts.ts';
import type { FunctionKind, OperatorSignature, Signature } from './signature.ts';
import { nearestName } from './suggest.ts';

export { commonType, resolveCast } from './resolve-casts.ts';

export interface Resolution {
  readonly kind: FunctionKind;
  readonly id: string;
  readonly argTypes: readonly TypeRef[];
  /** Position of each declared argument among the given ones, -1 for a default. */
  readonly argOrder: readonly number[];
  /** SQL literals of the arguments that were left out, in declared order. */
  readonly defaults: readonly string[];
  /** First given argument that is collected into an array (a record for `any`), or -1. */
  readonly variadicFrom: number;
  /** VARIADIC with a function of arguments of any type: the last one, an array, is given as a record. */
  readonly spread: boolean;
  readonly returns: TypeRef;
  readonly setColumns?: readonly { readonly name: string; readonly type: TypeRef }[];
}

export interface GivenArgument {
  readonly type: number;
  readonly name: string | null;
}

interface CallOptions {
  readonly at?: number;
  readonly variadic?: boolean;
  readonly star?: boolean;
  /** Functions to choose from; those of the registry by default. */
  readonly candidates?: readonly Signature[];
  /** The name in errors, when it is not `name`. */
  readonly written?: string;
}

/** A signature laid over the given arguments: `types[i]` is what given argument i must become. */
interface Candidate {
  readonly signature: Signature;
  readonly types: readonly number[];
  readonly order: readonly number[];
  readonly variadicFrom: number;
}

/** @throws SqlError 42883, 42725, 42804. */
export function resolveFunction(
  name: string,
  args: readonly GivenArgument[],
  options: CallOptions = {},
): Resolution {
  const given = args.map((arg) => arg.type);
  const candidates = options.candidates ?? functionsNamed(name);
  const laid = candidates.flatMap((signature) => {
    const candidate = layOver(signature, args, options);
    return candidate === undefined ? [] : [candidate];
  });
  const position = options.at;
  const exact = laid.filter(({ types }) => types.every((type, i) => type === given[i]));
  const best = exact.length > 0 ? exact : selectDefinite(laid, given);
  const chosen = best.find(({ variadicFrom }) => variadicFrom === -1) ?? best[0];
  const shown = `${options.written ?? name}(${options.star ? '*' : args.map(showArgument).join(', ')})`;
  if (chosen === undefined) throw undefinedFunction({ name, shown, candidates }, position);
  if (best.filter(({ variadicFrom }) => variadicFrom === chosen.variadicFrom).length > 1) {
    throw new SqlError('ambiguous_function', `function ${shown} is not unique`, {
      hint: 'Could not choose a best candidate function. You might need to add explicit type casts.',
      position,
    });
  }
  return resolution(chosen, given, position);
}

function showArgument({ name, type }: GivenArgument): string {
  const shown = formatType(typeRef(type));
  return name === null ? shown : `${name} => ${shown}`;
}

interface Called {
  readonly name: string;
  readonly shown: string;
  readonly candidates: readonly Signature[];
}

/** Also of Quern's own functions, which are found without their schema. */
function* callableNames(): Generator<string> {
  for (const name of functionNames()) yield name.startsWith(OWN) ? name.slice(OWN.length) : name;
  for (const { name } of RANKING_FUNCTIONS) yield name;
}

const OWN = 'quern.';

/** How Quern's own function is called; undefined: it is PostgreSQL's, which says nothing of that. */
function ownCalls(candidates: readonly Signature[]): string | undefined {
  const first = candidates.find(({ id, argNames }) => id.startsWith(OWN) && argNames.length > 0);
  if (first === undefined) return undefined;
  const { name, args, argNames, defaults } = first;
  const shown = args.map((type, i) => `${argNames[i] ?? ''} ${formatType(typeRef(type))}`.trim());
  const required = args.length - defaults.length;
  const optional = shown.slice(required).map((arg, i) => (required + i === 0 ? `[${arg}]` : ` [, ${arg}]`));
  return `It is ${name}(${shown.slice(0, required).join(', ')}${optional.join('')}); arguments may be given by name.`;
}

/** A name that is known says that the arguments are wrong: no other name is proposed then. */
function undefinedFunction({ name, shown, candidates }: Called, position: number | undefined): SqlError {
  const isKnown = candidates.length > 0;
  const near = isKnown ? undefined : nearestName(name, callableNames(), { changesMin: 2, ignoreCase: false });
  const own = ownCalls(candidates);
  const hint =
    own ??
    'No function matches the given name and argument types. You might need to add explicit type casts.';
  return new SqlError('undefined_function', `function ${shown} does not exist`, {
    hint: near === undefined ? hint : `${hint} Perhaps you meant "${near}".`,
    position,
  });
}

function layOver(
  signature: Signature,
  given: readonly GivenArgument[],
  options: CallOptions,
): Candidate | undefined {
  const { args, variadic } = signature;
  if (options.star === true) {
    const takesNone = signature.kind === 'aggregate' && args.length === 0;
    return takesNone ? { signature, types: [], order: [], variadicFrom: -1 } : undefined;
  }
  if (signature.kind === 'aggregate' && args.length === 0) return undefined;
  const fixed = variadic ? args.length - 1 : args.length;
  if (!variadic) return layFixed(signature, given);
  if (options.variadic === true && signature.argsMax > ANY_TYPED_MAX) return layArray(signature, given);
  const collected = given.length >= fixed ? layVariadic(signature, given, fixed) : undefined;
  return collected ?? (signature.defaults.length > 0 ? layArray(signature, given) : undefined);
}

/** With this many arguments at most, `...any` stands for so many of any type: VARIADIC says nothing of them. */
const ANY_TYPED_MAX = 2;

function layVariadic(
  signature: Signature,
  given: readonly GivenArgument[],
  fixed: number,
): Candidate | undefined {
  const takesNone = signature.args[fixed] === OID.any && signature.argsMax === Number.POSITIVE_INFINITY;
  const count = given.length - fixed;
  if (count > signature.argsMax || (count === 0 && !takesNone)) return undefined;
  if (given.some(({ name }) => name !== null)) return undefined;
  const last = signature.args[fixed] ?? OID.any;
  const types = given.map((_, i) => (i < fixed ? (signature.args[i] ?? last) : last));
  return { signature, types, order: signature.args.map((_, i) => i), variadicFrom: fixed };
}

/** VARIADIC array: the last argument is the array itself, or its default. */
function layArray(signature: Signature, given: readonly GivenArgument[]): Candidate | undefined {
  const args = signature.args.map((type, i) => (i === signature.args.length - 1 ? arrayForm(type) : type));
  return layFixed({ ...signature, args }, given);
}

function arrayForm(type: number): number {
  if (type === OID.any) return OID.any;
  if (type === OID.anyelement) return OID.anyarray;
  if (type === OID.anycompatible) return OID.anycompatiblearray;
  return arrayOf(type)?.oid ?? OID.anyarray;
}

/** Positional arguments first, then named ones; what is left has a default. */
function layFixed(signature: Signature, given: readonly GivenArgument[]): Candidate | undefined {
  const { args, argNames, defaults } = signature;
  if (given.length > args.length || given.length < args.length - defaults.length) return undefined;
  const order = new Array<number>(args.length).fill(-1);
  const types: number[] = [];
  for (const [i, { name }] of given.entries()) {
    const at = name === null ? i : argNames.indexOf(name);
    if (at === -1 || order[at] !== -1) return undefined;
    order[at] = i;
    types.push(args[at] as number);
  }
  const required = args.length - defaults.length;
  return order.slice(0, required).includes(-1) ? undefined : { signature, types, order, variadicFrom: -1 };
}

function resolution(candidate: Candidate, given: readonly number[], position?: number): Resolution {
  const { signature, types, order, variadicFrom } = candidate;
  const columnTypes = signature.columns.map(({ type }) => type);
  const bound = bindPolymorphic({
    declared: types,
    given,
    results: [signature.returns, ...columnTypes],
    position,
  });
  const declaredType = (declared: number, i: number): number => {
    if (variadicFrom === i) return variadicType(declared, bound.args[i]);
    const from = order[i] ?? -1;
    return from === -1 ? declared : (bound.args[from] ?? declared);
  };
  const missing = order.flatMap((from, i) => (from === -1 ? [i] : []));
  const required = signature.args.length - signature.defaults.length;
  return {
    kind: signature.kind,
    id: signature.id,
    argTypes: signature.args.map((declared, i) => typeRef(declaredType(declared, i))),
    argOrder: order,
    defaults: missing.map((i) => signature.defaults[i - required] ?? 'null'),
    variadicFrom,
    spread: signature.variadic && variadicFrom === -1 && signature.args.at(-1) === OID.any,
    returns: typeRef(bound.results[0] as number),
    ...(signature.columns.length > 0 && {
      setColumns: signature.columns.map(({ name }, i) => {
        return { name, type: typeRef(bound.results[i + 1] as number) };
      }),
    }),
  };
}

function variadicType(declared: number, element: number | undefined): number {
  if (declared === OID.any || declared === OID.anyenum) return OID.record;
  return arrayOf(element ?? declared)?.oid ?? OID.anyarray;
}

// ───────────────────────────── operators ─────────────────────────────

export interface OperatorResolution {
  readonly id: string;
  readonly left: TypeRef | null;
  readonly right: TypeRef;
  readonly returns: TypeRef;
  /** How the operands become `left` and `right`. */
  readonly context: 'implicit' | 'assignment';
}

interface OperatorCandidate {
  readonly signature: OperatorSignature;
  readonly types: readonly number[];
}

/** @param left null for a prefix operator. @throws SqlError 42883, 42725. */
export function resolveOperator(
  name: string,
  left: number | null,
  right: number,
  at?: number,
): OperatorResolution {
  const given = left === null ? [right] : [left, right];
  const named = operatorsNamed(name === '!=' ? '<>' : name);
  const exact = exactOperator(named, given);
  const best = exact === undefined ? select(operatorCandidates(named, left === null), given) : [exact];
  const [chosen] = best;
  const shown = (): string => [...(left === null ? [] : [show(left)]), name, show(right)].join(' ');
  if (chosen === undefined) throw undefinedOperator(shown(), at);
  if (best.length > 1) {
    throw new SqlError('ambiguous_function', `operator is not unique: ${shown()}`, {
      hint: 'Could not choose a best candidate operator. You might need to add explicit type casts.',
      position: at,
    });
  }
  if (chosen.signature.asText) {
    const text = typeRef(OID.text);
    return { id: chosen.signature.id, left: text, right: text, returns: text, context: 'assignment' };
  }
  const bound = bindPolymorphic({
    declared: chosen.types,
    given,
    results: [chosen.signature.returns],
    position: at,
  });
  return {
    id: chosen.signature.id,
    left: left === null ? null : typeRef(bound.args[0] as number),
    right: typeRef(bound.args.at(-1) as number),
    returns: typeRef(bound.results[0] as number),
    context: 'implicit',
  };
}

function undefinedOperator(shown: string, position: number | undefined): SqlError {
  return new SqlError('undefined_function', `operator does not exist: ${shown}`, {
    hint: 'No operator matches the given name and argument types. You might need to add explicit type casts.',
    position,
  });
}

const show = (oid: number): string => formatType(typeRef(oid));

/** Exact types; one unknown side is taken to have the other's type. */
function exactOperator(
  named: readonly OperatorSignature[],
  given: readonly number[],
): OperatorCandidate | undefined {
  const known = given.find((oid) => oid !== OID.unknown);
  const assumed =
    given.length === 2 && known !== undefined
      ? given.map((oid) => (oid === OID.unknown ? known : oid))
      : given;
  const [left, right] = assumed.length === 2 ? assumed : [null, assumed[0]];
  let found: OperatorSignature | undefined;
  for (const signature of named) {
    if (signature.left !== left || signature.right !== right) continue;
    if (found !== undefined) return undefined;
    found = signature;
  }
  return found && candidateOf(found);
}

const candidateOf = (signature: OperatorSignature): OperatorCandidate => ({
  signature,
  types: signature.left === null ? [signature.right] : [signature.left, signature.right],
});

const operatorCandidates = (
  named: readonly OperatorSignature[],
  isPrefix: boolean,
): readonly OperatorCandidate[] => named.filter(({ left }) => (left === null) === isPrefix).map(candidateOf);

// ───────────────────────────── the best candidate ─────────────────────────────

interface Typed {
  readonly types: readonly number[];
}

/** Selects among candidates; one that takes anything is taken where nothing else fits. */
function selectDefinite(candidates: readonly Candidate[], given: readonly number[]): readonly Candidate[] {
  const definite = candidates.filter(({ types }) => types.some((type) => type !== OID.any));
  const found = select(definite, given);
  return found.length > 0 ? found : select(candidates, given);
}

/** The rules of chapter 10 one after the other, until one candidate is left or none helps. */
function select<T extends Typed>(candidates: readonly T[], given: readonly number[]): readonly T[] {
  let left: readonly T[] = candidates.filter(({ types }) => accepts(types, given));
  if (left.length <= 1) return left;
  left = most(left, ({ types }) => count(given, (oid, i) => oid !== OID.unknown && types[i] === oid));
  if (left.length <= 1) return left;
  left = most(left, ({ types }) =>
    count(given, (oid, i) => {
      return oid !== OID.unknown && (types[i] === oid || isPreferred(types[i] as number, categoryOf(oid)));
    }),
  );
  if (left.length <= 1 || !given.includes(OID.unknown)) return left;
  left = byCategory(left, given);
  return left.length <= 1 ? left : byKnownType(left, given);
}

function accepts(types: readonly number[], given: readonly number[]): boolean {
  const plain = types.every((type, i) => isPolymorphic(type) || canCoerce(given[i] as number, type));
  if (!plain || !types.some(isPolymorphic)) return plain;
  try {
    bindPolymorphic({ declared: types, given, results: [], position: undefined });
    return true;
  } catch (error) {
    if (error instanceof SqlError) return false;
    throw error;
  }
}

const count = <T>(items: readonly T[], test: (item: T, i: number) => boolean): number =>
  items.reduce((sum, item, i) => sum + (test(item, i) ? 1 : 0), 0);

function most<T>(items: readonly T[], score: (item: T) => number): readonly T[] {
  const scores = items.map(score);
  const top = Math.max(...scores);
  return items.filter((_, i) => scores[i] === top);
}

const categoryOf = (oid: number): TypeCategory | undefined =>
  isPolymorphic(oid) ? 'P' : findTypeByOid(oid)?.category;

const isPreferred = (oid: number, category: TypeCategory | undefined): boolean => {
  const type = findTypeByOid(oid);
  return type?.preferred === true && type.category === category;
};

/** Unknown arguments: the string category when a candidate takes it, else the one category all take. */
function byCategory<T extends Typed>(candidates: readonly T[], given: readonly number[]): readonly T[] {
  let left = candidates;
  for (const [i, oid] of given.entries()) {
    if (oid !== OID.unknown) continue;
    const categories = candidates.map(({ types }) => categoryOf(types[i] as number));
    const category = categories.includes('S') ? 'S' : categories[0];
    if (category !== 'S' && categories.some((other) => other !== category)) return candidates;
    const inCategory = left.filter(({ types }) => categoryOf(types[i] as number) === category);
    const preferred = inCategory.filter(({ types }) => isPreferred(types[i] as number, category));
    left = preferred.length > 0 ? preferred : inCategory;
  }
  return left.length > 0 ? left : candidates;
}

/** All known arguments of one type: unknown ones are taken to have it too. */
function byKnownType<T extends Typed>(candidates: readonly T[], given: readonly number[]): readonly T[] {
  const known = new Set(given.filter((oid) => oid !== OID.unknown));
  const [only] = known;
  if (known.size !== 1 || only === undefined) return candidates;
  const assumed = given.map(() => only);
  const left = candidates.filter(({ types }) => accepts(types, assumed));
  return left.length === 1 ? left : candidates;
}
