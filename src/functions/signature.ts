/**
 * Signatures: what resolution needs to know of a registry row, with types as OIDs. A row that names a type
 * the type registry lacks has no signature, so it cannot be called.
 */
import { OID } from '../types/oids.ts';
import { findType } from '../types/registry.ts';
import type { AggregateFunction, Operator, ScalarFunction, SetFunction } from './function.ts';

/** `sql`: a user's function, of which the binder knows the body. */
export type FunctionKind = 'scalar' | 'aggregate' | 'set' | 'window' | 'sql';

export interface Signature {
  readonly id: string;
  readonly name: string;
  readonly kind: FunctionKind;
  readonly args: readonly number[];
  readonly variadic: boolean;
  /** Most arguments a variadic `any` takes; Infinity when there is no bound. */
  readonly argsMax: number;
  readonly defaults: readonly string[];
  readonly argNames: readonly string[];
  readonly returns: number;
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

export interface OperatorSignature {
  readonly id: string;
  readonly name: string;
  readonly left: number | null;
  readonly right: number;
  readonly returns: number;
  readonly asText: boolean;
}

const PSEUDO: ReadonlySet<string> = new Set([
  'any',
  'anyelement',
  'anyarray',
  'anynonarray',
  'anyenum',
  'anyrange',
  'anycompatible',
  'anycompatiblearray',
  'record',
  'void',
  'trigger',
  'internal',
  'cstring',
]);

/** OID of a typname or pseudo-type; undefined when the type registry lacks it. */
export function oidOf(name: string): number | undefined {
  if (PSEUDO.has(name)) return OID[name as keyof typeof OID];
  return findType(name)?.oid;
}

type Callable = ScalarFunction | AggregateFunction | SetFunction;

/** `lower(text)`; a variadic argument keeps its dots, so that it differs from an array one. */
export function functionId(row: Callable | WindowRow): string {
  return `${row.name}(${row.args.join(',')})`;
}

/** The part of a window function's row that resolution reads (`aggregate/window.ts`). */
export type WindowRow = Pick<Callable, 'name' | 'args' | 'returns' | 'defaults' | 'argNames' | 'argsMax'>;

/** `+(int4,int4)`, prefix `-(,int4)`. */
export function operatorId(row: Pick<Operator, 'name' | 'left' | 'right'>): string {
  return `${row.name}(${row.left ?? ''},${row.right})`;
}

/** @returns undefined when a type is missing. */
export function signatureOf(row: Callable | WindowRow, kind: FunctionKind): Signature | undefined {
  const args = row.args.map((name) => oidOf(name.replace(/^\.\.\./, '')));
  const returns = oidOf(row.returns);
  const columns = ('columns' in row ? (row.columns ?? []) : []).map((column) => ({
    name: column.name,
    type: oidOf(column.type),
  }));
  const known = [...args, returns, ...columns.map((column) => column.type)];
  if (known.includes(undefined)) return undefined;
  return {
    id: functionId(row),
    name: row.name,
    kind,
    args: args as number[],
    variadic: row.args.at(-1)?.startsWith('...') ?? false,
    argsMax: row.argsMax ?? Number.POSITIVE_INFINITY,
    defaults: row.defaults ?? [],
    argNames: row.argNames ?? [],
    returns: returns as number,
    columns: columns as { name: string; type: number }[],
  };
}

/** @returns undefined when a type is missing. */
export function operatorSignature(row: Operator): OperatorSignature | undefined {
  const left = row.left === undefined ? null : oidOf(row.left);
  const right = oidOf(row.right);
  const returns = oidOf(row.returns);
  if (left === undefined || right === undefined || returns === undefined) return undefined;
  return { id: operatorId(row), name: row.name, left, right, returns, asText: row.asText === true };
}
