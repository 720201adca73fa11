/** Function calls as PostgreSQL prints them: some have a syntax of their own. */
import { functionById } from '../../functions/registry.ts';
import { OID } from '../../types/oids.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { Expr } from '../ast.ts';
import { sortNodes } from './sort-nodes.ts';
import type { Node, SyntaxPart } from './node.ts';
import { bindNode, type Printer } from './printer.ts';

type Call = Extract<Expr, { kind: 'function' }>;

/** The standard's syntax by function name, given what stands between the brackets. */
const SYNTAX: Readonly<Record<string, (call: Call, args: readonly Node[]) => readonly SyntaxPart[] | null>> =
  {
    extract: ({ args: [field] }, [, value]) =>
      field?.value.kind === 'string' && value ? ['EXTRACT(', field.value.value, ' FROM ', value, ')'] : null,
    timezone: (_, [zone, value]) =>
      zone && value ? ['(', { operand: value }, ' AT TIME ZONE ', { operand: zone }, ')'] : null,
    position: (_, [text, part]) => (text && part ? ['POSITION((', part, ') IN (', text, '))'] : null),
    overlay: (_, [text, placing, from, count]) =>
      text && placing && from
        ? ['OVERLAY(', text, ' PLACING ', placing, ' FROM ', from, ...(count ? [' FOR ', count] : []), ')']
        : null,
    substring: (_, [text, from, count]) =>
      text && from ? ['SUBSTRING(', text, ' FROM ', from, ...(count ? [' FOR ', count] : []), ')'] : null,
    btrim: (_, args) => trim('BOTH', args),
    ltrim: (_, args) => trim('LEADING', args),
    rtrim: (_, args) => trim('TRAILING', args),
    overlaps: (_, [a, b, c, d]) =>
      a && b && c && d ? ['((', a, ', ', b, ') OVERLAPS (', c, ', ', d, '))'] : null,
  };

function trim(side: string, [text, characters]: readonly Node[]): readonly SyntaxPart[] | null {
  if (!text) return null;
  return [`TRIM(${side}`, ...(characters ? [' ', characters] : []), ' FROM ', text, ')'];
}

export function callNode(printer: Printer, call: Call): Node {
  const loose = anyFrom(printer, call);
  const args = call.args.map(({ value }, i) => {
    return i >= loose && value.kind === 'string' ? untyped(value.value) : bindNode(printer, value);
  });
  const parts = call.sqlSyntax && Object.hasOwn(SYNTAX, call.name) ? SYNTAX[call.name]?.(call, args) : null;
  if (parts) return { node: 'syntax', parts };
  const order = sortNodes(printer, call.order);
  const collected = collectedFrom(printer, call);
  return {
    node: 'call',
    name: nameOf(call),
    distinct: call.distinct,
    star: call.star,
    names: call.args.map(({ name }) => name),
    args: collected === -1 ? args : [...args.slice(0, collected), arrayNode(args.slice(collected))],
    variadic: call.variadic || collected !== -1,
    order: call.withinGroup ? [] : order,
    withinGroup: call.withinGroup ? order : [],
    filter: call.filter && bindNode(printer, call.filter),
    over: call.over,
  };
}

const untyped = (value: string): Node => ({
  node: 'constant',
  value,
  type: { oid: OID.unknown, modifier: -1 },
});

const arrayNode = (items: readonly Node[]): Node => ({ node: 'list', open: 'ARRAY[', items, close: ']' });

function nameOf({ schema, name }: Call): string {
  const own = quoteIdentifier(name);
  return schema === null || schema === 'pg_catalog' ? own : `${quoteIdentifier(schema)}.${own}`;
}

/** The first argument that PostgreSQL collects into an array; -1 for none. */
function collectedFrom(printer: Printer, call: Call): number {
  const from = variadicFrom(printer, call);
  return from === anyFrom(printer, call) || call.variadic ? -1 : from;
}

/** The first argument that may be of any type: a string stays of none. Infinity where there is none. */
function anyFrom(printer: Printer, call: Call): number {
  const bound = printer.trace.bound.get(call);
  const last = bound?.kind === 'call' ? bound.args.at(-1) : undefined;
  const from = variadicFrom(printer, call);
  return from !== -1 && last?.type.oid === OID.record ? from : Number.POSITIVE_INFINITY;
}

/** Where a function's variadic arguments begin; -1 where it has none. */
function variadicFrom(printer: Printer, call: Call): number {
  const bound = printer.trace.bound.get(call);
  if (bound?.kind !== 'call') return -1;
  const row = functionById(bound.function);
  const declared = 'args' in row ? row.args : [];
  return declared.at(-1)?.startsWith('...') ? declared.length - 1 : -1;
}
