/** State of printing: the text so far, and what the names in a query stand for. */
import { typeName } from '../../catalog/enums.ts';
import type { TypeRef } from '../../types/type.ts';
import type { BindContext } from '../bind/context.ts';
import type { Level } from '../bind/level.ts';
import type { State } from '../bind/state.ts';
import type { Trace } from '../bind/trace.ts';
import type { Expr, Query, Select } from '../ast.ts';
import type { Node } from './node.ts';
import type { Layout } from './layout.ts';

export interface Printer {
  readonly parts: PrinterParts;
  readonly layout: Layout;
  readonly state: State;
  readonly trace: Trace;
  /** Names are shown as this search path needs them. */
  readonly context: BindContext;
  /** Names in the text are found as this search path finds them. */
  readonly resolving: BindContext;
  /** Columns are shown with their table's name. */
  readonly qualified: boolean;
  /** Inside another query: columns are always qualified there. */
  readonly nested: boolean;
  /** Names of FROM entries in this query and those around it. */
  readonly reserved: ReadonlySet<string>;
  /** How a level's FROM entries are called, where that is not their own name. */
  readonly aliases: ReadonlyMap<Level, ReadonlyMap<string, string>>;
  /** The same for the query that is printed. */
  readonly own: ReadonlyMap<string, string>;
  /** Common tables in sight. */
  readonly tables: ReadonlySet<string>;
  /** The SELECT whose list ORDER BY and GROUP BY may name. */
  readonly select: Select | null;
}

export interface QueryNames {
  /** Names of the result's columns that stand for those of the select list: a view's. */
  readonly columns: readonly string[] | null;
  /** True when names that nobody asked for are written out. */
  readonly visible: boolean;
}

export const OWN_NAMES: QueryNames = { columns: null, visible: true };

/** Mutual parts of a printed text: an expression holds a query, a query expressions. */
export interface PrinterParts {
  readonly node: (printer: Printer, expr: Expr) => Node;
  readonly expression: (printer: Printer, node: Node, implicit: boolean) => void;
  readonly query: (printer: Printer, query: Query, names: QueryNames) => void;
}

/** The expression in the type that what is around it asked for. */
export const bindNode = (printer: Printer, expr: Expr): Node => printer.parts.node(printer, expr);

/** @param implicit whether casts the user did not write are shown. */
export function printExpression(printer: Printer, node: Node, implicit: boolean): void {
  printer.parts.expression(printer, node, implicit);
}

export function printQuery(printer: Printer, query: Query, names: QueryNames): void {
  printer.parts.query(printer, query, names);
}

/** A type's name as the printer's search path needs it. */
export function typeText({ context }: Printer, type: TypeRef): string {
  return typeName(context, type) ?? '???';
}
