/** OIDs of functions, made of their registry id, and what is asked by them. */
import {
  allAggregates,
  allFunctions,
  allSetFunctions,
  allWindowFunctions,
} from '../../functions/registry.ts';
import { RANKING_FUNCTIONS } from '../../functions/search/ranking-functions.ts';
import { findType } from '../../types/registry.ts';
import { generatedOid } from '../oids.ts';
import { INTERNAL_FUNCTIONS, type InternalFunction } from './internal-functions.ts';

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
    oid: functionOid(described),
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

export function functionOid({ name, args: written }: Pick<Described, 'name' | 'args'>): number {
  const args = written.map((arg) => arg.replace(/^\.\.\./, ''));
  return generatedOid(`function ${name}(${args.join(',')})`);
}

/** All functions, aggregates and set-returning functions of the registry. */
export const FUNCTION_ENTRIES: readonly FunctionEntry[] = [
  ...allFunctions().map((row) => entryOf(row, 'f', false)),
  ...allAggregates().map((row) => entryOf(row, 'a', false)),
  ...allSetFunctions().map((row) => entryOf(row, 'f', true)),
  ...allWindowFunctions().map((row) => entryOf(row, 'w', false)),
  ...RANKING_FUNCTIONS.map(rankingEntry),
];

function rankingEntry({ args, optional, ...row }: (typeof RANKING_FUNCTIONS)[number]): FunctionEntry {
  const parts = args.map((arg) => arg.split(' '));
  const described = {
    ...row,
    args: parts.map(([, type = '']) => type),
    argNames: parts.map(([name = '']) => name),
    defaults: Array.from({ length: optional }, () => 'NULL'),
    volatility: 'stable',
    strict: false,
  } as const;
  return entryOf(described, 'f', row.set);
}

/** A function's schema and its name there: those of Quern's own are called with their schema. */
export function placeOf({ name }: FunctionEntry): {
  readonly schema: 'pg_catalog' | 'quern';
  readonly name: string;
} {
  return name.startsWith('quern.')
    ? { schema: 'quern', name: name.slice('quern.'.length) }
    : { schema: 'pg_catalog', name };
}

const ENTRY_BY_OID: ReadonlyMap<number, FunctionEntry> = new Map(
  FUNCTION_ENTRIES.map((entry) => [entry.oid, entry]),
);
const INTERNAL_BY_OID: ReadonlyMap<number, InternalFunction> = new Map(
  INTERNAL_FUNCTIONS.map((entry) => [entry.oid, entry]),
);

const ALL_ENTRIES: readonly (InternalFunction | FunctionEntry)[] = [
  ...FUNCTION_ENTRIES,
  ...INTERNAL_FUNCTIONS,
];

const displayType = (name: string): string => findType(name)?.displayName ?? name;

/** `lower(text)`, as regprocedure shows it. */
const signature = (entry: InternalFunction | FunctionEntry): string =>
  `${entry.name}(${entry.args.map(displayType).join(',')})`;

/** By name (the first of that name) or by name and argument types. */
export function functionOidByName(written: string): number | null {
  const open = written.indexOf('(');
  if (open < 0) return ALL_ENTRIES.find((entry) => entry.name === written)?.oid ?? null;
  const name = written.slice(0, open).trim();
  const inside = written.slice(open + 1).replace(/\)\s*$/, '');
  const types = inside.trim() === '' ? [] : inside.split(',').map((type) => findType(type.trim())?.oid);
  const found = ALL_ENTRIES.find(
    (entry) =>
      entry.name === name &&
      entry.args.length === types.length &&
      entry.args.every((arg, i) => findType(arg)?.oid === types[i]),
  );
  return found?.oid ?? null;
}

/** `lower(text)`; null when there is no such function. */
export function functionNameByOid(oid: number): string | null {
  const entry = ENTRY_BY_OID.get(oid) ?? INTERNAL_BY_OID.get(oid);
  return entry === undefined ? null : signature(entry);
}

/** `string text, from integer`: what `\df` shows. */
export function functionArgumentsByOid(oid: number): string | null {
  const entry = ENTRY_BY_OID.get(oid);
  if (entry === undefined) return INTERNAL_BY_OID.get(oid)?.args.map(displayType).join(', ') ?? null;
  return entry.args
    .map((arg, i) => {
      const variadic = entry.variadic && i === entry.args.length - 1 ? 'VARIADIC ' : '';
      const name = entry.argNames?.[i];
      return `${variadic}${name === undefined ? '' : `${name} `}${displayType(arg)}`;
    })
    .join(', ');
}

export function functionResultByOid(oid: number): string | null {
  const internal = INTERNAL_BY_OID.get(oid);
  if (internal !== undefined) return displayType(internal.returns);
  const entry = ENTRY_BY_OID.get(oid);
  if (entry === undefined) return null;
  return `${entry.set ? 'SETOF ' : ''}${displayType(entry.returns)}`;
}

export function functionSummary(oid: number): string | null {
  return ENTRY_BY_OID.get(oid)?.summary ?? null;
}
