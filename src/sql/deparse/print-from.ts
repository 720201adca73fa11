/** FROM as text: get_from_clause of ruleutils.c. */
import { unreachable } from '../../assert.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { Alias, FromItem, QualifiedName } from '../ast.ts';
import { findStored, isSystemSchema, typeOf, writtenName } from '../bind/names.ts';
import { INDENT, INDENT_FIELD, INDENT_JOIN } from './layout.ts';
import { hasColumn } from './node-of.ts';
import { callNode } from './node-of-call.ts';
import { bindNode, OWN_NAMES, type Printer, printExpression, printQuery, typeText } from './printer.ts';

/** Entries of PostgreSQL's range table: every relation and every join. */
export function relationCount(items: readonly FromItem[]): number {
  return items.reduce((sum, item) => {
    return sum + (item.kind === 'join' ? 1 + relationCount([item.left, item.right]) : 1);
  }, 0);
}

/** Names of the relations whose rows FOR UPDATE takes. */
export function relationAliases(item: FromItem): readonly string[] {
  if (item.kind === 'join') return [item.left, item.right].flatMap(relationAliases);
  return item.kind === 'relation' ? allAliases(item) : [];
}

/** Names of all entries, those of joins included. */
export function allAliases(item: FromItem): readonly string[] {
  switch (item.kind) {
    case 'relation':
      return [item.alias?.name ?? writtenName(item.relation)];
    case 'query':
      return [item.alias?.name ?? UNNAMED];
    case 'function':
      return [item.alias?.name ?? item.calls[0]?.name ?? ''];
    case 'join': {
      const inner = [item.left, item.right].flatMap(allAliases);
      const own = [item.usingAlias ?? [], item.alias?.name ?? []].flat();
      return [...inner, ...own];
    }
    default:
      return unreachable(item);
  }
}

const UNNAMED = 'unnamed_subquery';

export function printFrom(printer: Printer, items: readonly FromItem[]): void {
  const { layout } = printer;
  for (const [i, item] of items.entries()) {
    if (i === 0) {
      layout.clause(' FROM ', 2);
      printItem(printer, item);
      continue;
    }
    layout.put(', ');
    const text = layout.apart(() => printItem(printer, item));
    if (text.startsWith('\n')) layout.trimSpaces();
    else if (layout.overflows(text)) {
      layout.keyword('', { before: -INDENT, after: INDENT, plus: INDENT_FIELD });
    }
    layout.put(text);
  }
}

type Of<K extends FromItem['kind']> = Extract<FromItem, { kind: K }>;

function printItem(printer: Printer, item: FromItem): void {
  const { layout } = printer;
  switch (item.kind) {
    case 'relation':
      layout.put(relationName(printer, item.relation));
      printAlias(printer, relationAlias(printer, item));
      return;
    case 'query':
      if (item.lateral) layout.put('LATERAL ');
      layout.put('(');
      printQuery({ ...printer, nested: true }, item.query, OWN_NAMES);
      layout.put(')');
      printAlias(printer, {
        name: item.alias?.name ?? UNNAMED,
        columns: item.alias && item.alias.columns.length > 0 ? columnNames(printer, item) : [],
      });
      return;
    case 'function':
      printFunction(printer, item);
      return;
    case 'join':
      printJoin(printer, item);
      return;
    default:
      unreachable(item);
  }
}

/** An alias of its own, or one that the queries around it make necessary. */
function relationAlias(printer: Printer, item: Of<'relation'>): Alias | null {
  const name = writtenName(item.relation);
  const shown = printer.own.get(item.alias?.name ?? name) ?? name;
  if (!item.alias && shown === name) return null;
  const renamed = item.alias && item.alias.columns.length > 0;
  return { name: item.alias?.name ?? name, columns: renamed ? columnNames(printer, item) : [] };
}

const columnNames = ({ trace }: Printer, item: FromItem): readonly string[] => trace.columns.get(item) ?? [];

/** With its schema where the name alone would not find it. */
function relationName(printer: Printer, name: QualifiedName): string {
  const { context, tables } = printer;
  const own = quoteIdentifier(writtenName(name));
  if (name.schema === null && tables.has(name.name)) return own;
  const relation = findStored(printer.resolving, name);
  if (!relation) {
    const hidden = name.schema === null || name.schema === 'pg_catalog';
    return hidden && !isShadowed(printer, name)
      ? own
      : `${quoteIdentifier(name.schema ?? 'pg_catalog')}.${own}`;
  }
  const found = findStored(context, { ...name, schema: null });
  if (found?.oid === relation.oid && !tables.has(name.name)) return own;
  return `${quoteIdentifier(namespaceName(context.catalog, relation.namespace) ?? '')}.${own}`;
}

const isShadowed = ({ tables }: Printer, { name, schema }: QualifiedName): boolean =>
  tables.has(name) && isSystemSchema(schema);

function printAlias({ layout, own }: Printer, alias: Alias | null): void {
  if (!alias) return;
  layout.put(` ${quoteIdentifier(own.get(alias.name) ?? alias.name)}`);
  if (alias.columns.length > 0) layout.put(`(${alias.columns.map(quoteIdentifier).join(', ')})`);
}

/** A function's columns are always named, so that nothing depends on how they would be called. */
function printFunction(printer: Printer, item: Of<'function'>): void {
  const { layout } = printer;
  const { calls, definitions } = item;
  const [call] = calls;
  if (!call) return;
  const hasColumns = calls.some(({ args }) => args.some(({ value }) => hasColumn(printer, value)));
  if (item.lateral || hasColumns) layout.put('LATERAL ');
  const isOne = calls.length === 1;
  if (isOne) printExpression(printer, callNode(printer, call), true);
  else printRowsFrom(printer, item);
  if (item.ordinality) layout.put(' WITH ORDINALITY');
  const name = item.alias?.name ?? call.name;
  const own = definitions[0] ?? [];
  if (isOne && own.length > 0) layout.put(` ${quoteIdentifier(name)}(${columnTypes(printer, own)})`);
  else printAlias(printer, { name, columns: columnNames(printer, item) });
}

function printRowsFrom(printer: Printer, { calls, definitions }: Of<'function'>): void {
  const { layout } = printer;
  layout.put('ROWS FROM(');
  for (const [i, call] of calls.entries()) {
    if (i > 0) layout.put(', ');
    printExpression(printer, callNode(printer, call), true);
    const own = definitions[i] ?? [];
    if (own.length > 0) layout.put(` AS (${columnTypes(printer, own)})`);
  }
  layout.put(')');
}

const columnTypes = (printer: Printer, columns: Of<'function'>['definitions'][number]): string =>
  columns
    .map(({ name, type }) => `${quoteIdentifier(name)} ${typeText(printer, typeOf(printer.resolving, type))}`)
    .join(', ');

const JOIN_WORDS = {
  inner: ' JOIN ',
  left: ' LEFT JOIN ',
  right: ' RIGHT JOIN ',
  full: ' FULL JOIN ',
  cross: ' CROSS JOIN ',
} as const;

function printJoin(printer: Printer, item: Of<'join'>): void {
  const { layout } = printer;
  const using = item.natural ? (printer.trace.natural.get(item) ?? []) : item.using;
  const brackets = !layout.pretty || item.alias !== null;
  const conditional = item.on !== null || (using !== null && using.length > 0);
  const word = item.join === 'inner' && !conditional ? 'cross' : item.join;
  const apart = layout.pretty && item.right.kind === 'join' && item.right.alias === null;
  if (brackets) layout.put('(');
  printItem(printer, item.left);
  layout.keyword(JOIN_WORDS[word], { before: -INDENT, after: INDENT, plus: INDENT_JOIN });
  if (apart) layout.put('(');
  printItem(printer, item.right);
  if (apart) layout.put(')');
  if (using && using.length > 0) {
    layout.put(` USING (${using.map(quoteIdentifier).join(', ')})`);
    if (item.usingAlias !== null) layout.put(` AS ${quoteIdentifier(item.usingAlias)}`);
  } else if (item.on) printOn(printer, item.on);
  else if (word !== 'cross') layout.put(' ON TRUE');
  if (brackets) layout.put(')');
  printAlias(printer, item.alias);
}

function printOn(printer: Printer, on: NonNullable<Of<'join'>['on']>): void {
  const { layout } = printer;
  layout.put(layout.pretty ? ' ON ' : ' ON (');
  printExpression(printer, bindNode(printer, on), false);
  if (!layout.pretty) layout.put(')');
}
