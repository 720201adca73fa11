/** Queries as text: get_query_def and get_setop_query of ruleutils.c. */
import { unreachable } from '../../assert.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { listedRows } from '../map/constant-rows.ts';
import type { Expr, GroupItem, OrderItem, Query, Select, SetQuery, ValuesQuery, With } from '../ast.ts';
import { setSides } from '../tree.ts';
import { INDENT, INDENT_FIELD } from './layout.ts';
import { allAliases, printFrom, relationAliases, relationCount } from './print-from.ts';
import { boundColumn } from './node-of.ts';
import { direction } from './sort-nodes.ts';
import type { Node, SortNode } from './node.ts';
import { printOrder, printSortValue, printWindow } from './print-call.ts';
import {
  bindNode,
  OWN_NAMES,
  type Printer,
  printExpression,
  printQuery,
  type QueryNames,
} from './printer.ts';
import type { SelectTarget } from '../bind/level.ts';

const NO_NAMES: QueryNames = { columns: null, visible: false };
export function printAnyQuery(outer: Printer, query: Query, names: QueryNames): void {
  const { layout } = outer;
  const level = layout.level;
  const printer = scopeOf(outer, query);
  if (query.with) printWith(printer, query.with);
  if (query.kind === 'set') printSet(printer, query, names);
  else printBody(printer, query, names);
  printTail(printer, query);
  layout.level = level;
}

/** Printer inside the query: its common tables, and whether names need their table's. */
function scopeOf(outer: Printer, query: Query): Printer {
  const tables = new Set([...outer.tables, ...(query.with?.tables.map(({ name }) => name) ?? [])]);
  const qualified = outer.nested || (query.kind === 'select' && relationCount(query.from) !== 1);
  if (query.kind !== 'select') return { ...outer, tables, qualified, nested: true, select: null };
  const level = outer.trace.levels.get(query);
  const own = uniqueAliases(query.from.flatMap(allAliases), outer.reserved);
  const aliases = new Map(outer.aliases);
  if (level) aliases.set(level, own);
  const reserved = new Set([...outer.reserved, ...own.values()]);
  return { ...outer, tables, qualified, nested: true, select: query, aliases, reserved, own };
}

/** Names that differ from those of the queries around, which PostgreSQL numbers where they do not. */
function uniqueAliases(names: readonly string[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const taken = new Set(reserved);
  return new Map(
    names.map((name) => {
      let unique = name;
      for (let i = 1; taken.has(unique); i++) unique = `${name}_${i}`;
      taken.add(unique);
      return [name, unique];
    }),
  );
}

function printWith(printer: Printer, clause: With): void {
  const { layout } = printer;
  layout.level += INDENT;
  layout.put(' ');
  const newLine = (): void => layout.keyword('', { before: 0, after: 0, plus: 0 });
  for (const [i, table] of clause.tables.entries()) {
    layout.put(i > 0 ? ', ' : clause.recursive ? 'WITH RECURSIVE ' : 'WITH ');
    layout.put(quoteIdentifier(table.name));
    if (table.columns.length > 0) layout.put(`(${table.columns.map(quoteIdentifier).join(', ')})`);
    layout.put(' AS ');
    if (table.materialized !== null) layout.put(`${table.materialized ? '' : 'NOT '}MATERIALIZED `);
    layout.put('(');
    newLine();
    printQuery(printer, table.query as Query, OWN_NAMES);
    newLine();
    layout.put(')');
  }
  layout.level -= INDENT;
  newLine();
}

// ───────────────────────────── set operations ─────────────────────────────

function printSet(printer: Printer, query: SetQuery, names: QueryNames): void {
  const { layout } = printer;
  const { left, query: right, operation, all } = setSides(query);
  const before = left.kind === 'set' ? left.rest.at(-1) : undefined;
  const same = before?.operation === operation && before.all === all;
  printSide(printer, left, { names, brackets: !same, closing: ') ' });
  if (!layout.text.endsWith(') ')) layout.keyword('', HERE);
  layout.put(`${operation.toUpperCase()} ${all ? 'ALL ' : ''}`);
  if (right.kind !== 'set' || hasTail(right)) layout.keyword('', HERE);
  printSide(printer, right, { names: { ...names, visible: false }, brackets: true, closing: ')' });
}

const HERE = { before: 0, after: 0, plus: 0 };

/** One side: a set operation of its own goes in brackets, in lines further in. */
function printSide(
  printer: Printer,
  side: Query,
  how: { readonly names: QueryNames; readonly brackets: boolean; readonly closing: string },
): void {
  const { layout } = printer;
  if (side.kind === 'set' && !hasTail(side)) {
    if (!how.brackets) {
      printSet(printer, side, how.names);
      return;
    }
    layout.put('(');
    layout.keyword('', { ...HERE, before: INDENT });
    printSet(printer, side, how.names);
    layout.keyword(how.closing, { ...HERE, before: -INDENT });
    return;
  }
  const brackets = hasTail(side);
  if (brackets) layout.put('(');
  printQuery(printer, side, how.names);
  if (brackets) layout.put(')');
}

function hasTail(query: Query): boolean {
  return Boolean(
    query.with || query.order.length > 0 || query.limit || query.offset || query.locking.length > 0,
  );
}

// ───────────────────────────── SELECT and VALUES ─────────────────────────────

function printBody(printer: Printer, query: Select | ValuesQuery, names: QueryNames): void {
  const { layout } = printer;
  layout.level += INDENT;
  layout.put(' ');
  if (query.kind === 'values') {
    printValues(printer, listedRows(query.rows));
    return;
  }
  layout.put('SELECT');
  printDistinct(printer, query);
  printTargets(printer, query, names);
  printFrom(printer, query.from);
  if (query.where) {
    layout.clause(' WHERE ', 1);
    printExpression(printer, bindNode(printer, query.where), false);
  }
  if (query.group.length > 0) {
    layout.clause(' GROUP BY ', 1);
    if (query.groupDistinct) layout.put('DISTINCT ');
    printGroups(printer, query.group);
  }
  if (query.having) {
    layout.clause(' HAVING ', 0);
    printExpression(printer, bindNode(printer, query.having), false);
  }
  for (const [i, { name, definition }] of query.windows.entries()) {
    if (i === 0) layout.clause(' WINDOW ', 1);
    else layout.put(', ');
    layout.put(`${quoteIdentifier(name)} AS `);
    printWindow(printer, definition);
  }
}

function printValues(printer: Printer, rows: readonly (readonly Expr[])[]): void {
  const { layout } = printer;
  layout.put('VALUES ');
  for (const [i, row] of rows.entries()) {
    layout.put(i > 0 ? ', (' : '(');
    for (const [j, value] of row.entries()) {
      if (j > 0) layout.put(',');
      printExpression(printer, bindNode(printer, value), false);
    }
    layout.put(')');
  }
}

function printDistinct(printer: Printer, { distinct }: Select): void {
  const { layout } = printer;
  if (distinct === 'distinct') layout.put(' DISTINCT');
  if (typeof distinct === 'string') return;
  layout.put(' DISTINCT ON (');
  for (const [i, expr] of distinct.on.entries()) {
    if (i > 0) layout.put(', ');
    printSortValue(printer, namedNode(printer, expr));
  }
  layout.put(')');
}

interface TargetNode {
  readonly node: Node;
  readonly name: string;
}

/** The select list with its stars spread out. */
function targetNodes(printer: Printer, select: Select): readonly TargetNode[] {
  return select.items.flatMap((item) => {
    const targets = printer.trace.targets.get(item) ?? [];
    const { value } = item;
    const spread = value.kind === 'star' || (value.kind === 'field' && value.field === '*');
    if (spread) return targets.map((target) => spreadTarget(printer, target));
    return { node: bindNode(printer, value), name: targets[0]?.name ?? '' };
  });
}

function spreadTarget(printer: Printer, { expression, name }: SelectTarget): TargetNode {
  return { node: boundColumn(printer, expression, name), name };
}

function printTargets(printer: Printer, select: Select, names: QueryNames): void {
  const { layout } = printer;
  let broken = false;
  for (const [i, target] of targetNodes(printer, select).entries()) {
    layout.put(i > 0 ? ', ' : ' ');
    const text = layout.apart(() => printTarget(printer, target, names.columns?.[i], names.visible));
    const ownLine = text.startsWith('\n');
    if (ownLine) layout.trimSpaces();
    else if (i > 0 && (broken || layout.overflows(text))) {
      layout.keyword('', { before: -INDENT, after: INDENT, plus: INDENT_FIELD });
    }
    broken = text.indexOf('\n', ownLine ? 1 : 0) !== -1;
    layout.put(text);
  }
}

/** The name is left out where a column has it already. */
function printTarget(
  printer: Printer,
  { node, name }: TargetNode,
  given: string | undefined,
  visible: boolean,
): void {
  const { layout } = printer;
  printExpression(printer, node, true);
  const shown = quoteIdentifier(given ?? name);
  const own = node.node === 'column' ? /(?:[^."]+|"(?:[^"]|"")*")$/.exec(node.text)?.[0] : undefined;
  const needless = own === undefined ? !visible && shown === '"?column?"' : own === shown;
  if (!needless) layout.put(` AS ${shown}`);
}

function printGroups(printer: Printer, items: readonly GroupItem[]): void {
  const { layout } = printer;
  for (const [i, item] of items.entries()) {
    if (i > 0) layout.put(', ');
    printGroup(printer, item, true);
  }
}

function printGroup(printer: Printer, item: GroupItem, bare: boolean): void {
  const { layout } = printer;
  const keys = (values: readonly Expr[]): void => {
    for (const [i, value] of values.entries()) {
      if (i > 0) layout.put(', ');
      printSortValue(printer, namedNode(printer, value));
    }
  };
  switch (item.kind) {
    case 'expression':
    case 'list': {
      const values = item.kind === 'list' ? item.values : fieldsOf(item.value);
      const brackets = !(bare && values.length === 1);
      if (brackets) layout.put('(');
      keys(values);
      if (brackets) layout.put(')');
      return;
    }
    case 'rollup':
    case 'cube':
    case 'sets':
      layout.put(item.kind === 'sets' ? 'GROUPING SETS (' : `${item.kind.toUpperCase()}(`);
      for (const [i, part] of item.items.entries()) {
        if (i > 0) layout.put(', ');
        printGroup(printer, part, item.kind !== 'sets');
      }
      layout.put(')');
      return;
    default:
      unreachable(item);
  }
}

const fieldsOf = (value: Expr): readonly Expr[] => (value.kind === 'row' ? value.fields : [value]);

/** A key of GROUP BY, ORDER BY or DISTINCT ON: a position or an output name stands for its expression. */
function namedNode(printer: Printer, expr: Expr): Node {
  const { select, trace } = printer;
  if (!select || trace.bound.has(expr)) {
    if (expr.kind !== 'integer') return bindNode(printer, expr);
  }
  const targets = select ? targetNodes(printer, select) : [];
  const target =
    expr.kind === 'integer'
      ? targets[Number(expr.text) - 1]
      : targets.find(({ name }) => expr.kind === 'column' && name === expr.path[0]);
  return target?.node ?? bindNode(printer, expr);
}

// ───────────────────────────── the end of a query ─────────────────────────────

function printTail(printer: Printer, query: Query): void {
  const { layout } = printer;
  if (query.order.length > 0) {
    layout.clause(' ORDER BY ', 1);
    printOrder(printer, orderOf(printer, query));
  }
  if (query.offset) {
    layout.clause(' OFFSET ', 0);
    printExpression(printer, bindNode(printer, query.offset), false);
  }
  if (query.limit && query.withTies) {
    layout.clause(' FETCH FIRST (', 0);
    printExpression(printer, bindNode(printer, query.limit), false);
    layout.put(') ROWS WITH TIES');
  } else if (query.limit) {
    layout.clause(' LIMIT ', 0);
    if (query.limit.kind === 'null') layout.put('ALL');
    else printExpression(printer, bindNode(printer, query.limit), false);
  }
  for (const { strength, relations, wait } of query.locking) {
    const named = relations.map(({ name }) => name);
    const from = query.kind === 'select' ? query.from.flatMap(relationAliases) : [];
    for (const name of named.length > 0 ? named : from) {
      layout.clause(` FOR ${strength.toUpperCase()} OF ${quoteIdentifier(name)}`, 0);
      if (wait === 'nowait') layout.put(' NOWAIT');
      if (wait === 'skip locked') layout.put(' SKIP LOCKED');
    }
  }
}

/** Keys of a set operation are the positions of its columns. */
function orderOf(printer: Printer, query: Query): readonly SortNode[] {
  return query.order.map((item) => {
    const value =
      query.kind === 'select' ? namedNode(printer, item.value) : positionNode(printer, query, item);
    return { value, ...direction(item) };
  });
}

function positionNode(printer: Printer, query: Query, { value }: OrderItem): Node {
  if (query.kind === 'values') return bindNode(printer, value);
  let first: Query = query;
  while (first.kind === 'set') first = first.first;
  if (value.kind === 'integer' || first.kind !== 'select') {
    return { node: 'column', text: value.kind === 'integer' ? value.text : '1' };
  }
  const position = first.items
    .flatMap((item) => printer.trace.targets.get(item) ?? [])
    .findIndex(({ name }) => value.kind === 'column' && name === value.path[0]);
  return { node: 'column', text: String(position + 1) };
}

// ───────────────────────────── subqueries ─────────────────────────────

/** A subquery in an expression. */
export function printSubquery(printer: Printer, node: Extract<Node, { node: 'subquery' }>): void {
  const { layout } = printer;
  const inner = { ...printer, qualified: true, nested: true };
  const value = node.form === 'scalar' || node.form === 'array';
  layout.put(node.form === 'array' ? 'ARRAY(' : '(');
  printTests(printer, node.test);
  if (!value) layout.put(`${wordsOf(node)} (`);
  printQuery(inner, node.query, NO_NAMES);
  layout.put(value ? ')' : '))');
}

function wordsOf({ form, operator }: Extract<Node, { node: 'subquery' }>): string {
  if (form === 'exists') return 'EXISTS';
  if (form === 'any' && operator === '=') return ' IN';
  return ` ${operator} ${form === 'any' ? 'ANY' : 'ALL'}`;
}

function printTests(printer: Printer, tests: readonly Node[]): void {
  const { layout } = printer;
  if (tests.length > 1) layout.put('(');
  for (const [i, test] of tests.entries()) {
    if (i > 0) layout.put(', ');
    printExpression(printer, test, true);
  }
  if (tests.length > 1) layout.put(')');
}
