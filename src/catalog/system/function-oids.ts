/**
 * OIDs of functions, operators and casts: made of their registry id, but for the few functions of PostgreSQL
 * whose OIDs clients know by heart.
 */
import {
  allAggregates,
  allFunctions,
  allSetFunctions,
  allWindowFunctions,
} from '../../functions/registry.ts';
import { findType } from '../../types/registry.ts';
import { generatedOid } from '../oids.ts';

/** pg_type's input and output functions: PostgreSQL names them after the type. */
export const ARRAY_IO = { input: 750, output: 751, receive: 2400, send: 2401, subscript: 6179 } as const;

const KNOWN: Readonly<Record<string, number>> = {
  array_in: ARRAY_IO.input,
  array_out: ARRAY_IO.output,
  array_recv: ARRAY_IO.receive,
  array_send: ARRAY_IO.send,
  array_subscript_handler: ARRAY_IO.subscript,
};

export interface FunctionEntry {
  readonly oid: number;
  readonly name: string;
  /** pg_type.typname of each argument, a variadic one with its dots removed. */
  readonly args: readonly string[];
  readonly argNames: readonly string[] | null;
  readonly variadic: boolean;
  readonly defaults: number;
  readonly returns: string;
  readonly kind: 'f' | 'a' | 'w';
  readonly set: boolean;
  readonly strict: boolean;
  readonly volatility: 'i' | 's' | 'v';
  readonly summary: string;
}

interface Described {
  readonly name: string;
  readonly args: readonly string[];
  readonly returns: string;
  readonly summary: string;
  readonly volatility?: 'immutable' | 'stable' | 'volatile';
  readonly defaults?: readonly string[];
  readonly argNames?: readonly string[];
  readonly strict?: boolean;
}

function entryOf(described: Described, kind: 'f' | 'a' | 'w', set: boolean): FunctionEntry {
  const args = described.args.map((arg) => arg.replace(/^\.\.\./, ''));
  return {
    oid: functionOid(described.name, args),
    name: described.name,
    args,
    argNames: described.argNames ?? null,
    variadic: described.args.at(-1)?.startsWith('...') ?? false,
    defaults: described.defaults?.length ?? 0,
    returns: described.returns,
    kind,
    set,
    strict: kind === 'f' && described.strict !== false,
    volatility: (described.volatility ?? 'immutable')[0] as 'i' | 's' | 'v',
    summary: described.summary,
  };
}

function functionOid(name: string, args: readonly string[]): number {
  return KNOWN[name] ?? generatedOid(`function ${name}(${args.join(',')})`);
}

/** All functions, aggregates and set-returning functions of the registry. */
export const FUNCTION_ENTRIES: readonly FunctionEntry[] = [
  ...allFunctions().map((row) => entryOf(row, 'f', false)),
  ...allAggregates().map((row) => entryOf(row, 'a', false)),
  ...allSetFunctions().map((row) => entryOf(row, 'f', true)),
  ...allWindowFunctions().map((row) => entryOf(row, 'w', false)),
];

const displayType = (name: string): string => findType(name)?.displayName ?? name;

/** `lower(text)`, as regprocedure shows it. */
const signature = (entry: FunctionEntry): string => `${entry.name}(${entry.args.map(displayType).join(',')})`;

/** By name (the first of that name) or by name and argument types. */
export function functionOidByName(written: string): number | null {
  const known = KNOWN[written];
  if (known !== undefined) return known;
  const open = written.indexOf('(');
  if (open < 0) return FUNCTION_ENTRIES.find((entry) => entry.name === written)?.oid ?? null;
  const name = written.slice(0, open).trim();
  const inside = written.slice(open + 1).replace(/\)\s*$/, '');
  const types = inside.trim() === '' ? [] : inside.split(',').map((type) => findType(type.trim())?.oid);
  const found = FUNCTION_ENTRIES.find(
    (entry) =>
      entry.name === name &&
      entry.args.length === types.length &&
      entry.args.every((arg, i) => findType(arg)?.oid === types[i]),
  );
  return found?.oid ?? null;
}

/** `lower(text)`; null when there is no such function. */
export function functionNameByOid(oid: number): string | null {
  const entry = FUNCTION_ENTRIES.find((candidate) => candidate.oid === oid);
  if (entry !== undefined) return signature(entry);
  const known = Object.entries(KNOWN).find(([, value]) => value === oid);
  return known === undefined ? null : `${known[0]}()`;
}

/** `string text, from integer`: what `\df` shows. */
export function functionArgumentsByOid(oid: number): string | null {
  const entry = FUNCTION_ENTRIES.find((candidate) => candidate.oid === oid);
  if (entry === undefined) return null;
  return entry.args
    .map((arg, i) => {
      const variadic = entry.variadic && i === entry.args.length - 1 ? 'VARIADIC ' : '';
      const name = entry.argNames?.[i];
      return `${variadic}${name === undefined ? '' : `${name} `}${displayType(arg)}`;
    })
    .join(', ');
}

export function functionResultByOid(oid: number): string | null {
  const entry = FUNCTION_ENTRIES.find((candidate) => candidate.oid === oid);
  if (entry === undefined) return null;
  return `${entry.set ? 'SETOF ' : ''}${displayType(entry.returns)}`;
}

export function functionSummary(oid: number): string | null {
  return FUNCTION_ENTRIES.find((candidate) => candidate.oid === oid)?.summary ?? null;
}
