/** A bound expression as text, and the printer that expressions and queries are printed by. */
import { objectNames } from '../../catalog/services.ts';
import type { Expr } from '../ast.ts';
import type { BindContext } from '../bind/context.ts';
import type { Level } from '../bind/level.ts';
import type { State } from '../bind/state.ts';
import { newTrace } from '../bind/trace.ts';
import { Layout, type LayoutOptions } from './layout.ts';
import { nodeOf } from './node-of.ts';
import { printAnyExpression } from './print-expression.ts';
import { printAnyQuery } from './print-query.ts';
import { bindNode, type Printer, type PrinterParts, printExpression } from './printer.ts';
import { storedSettings } from './stored-values.ts';

const PARTS: PrinterParts = { node: nodeOf, expression: printAnyExpression, query: printAnyQuery };

export interface WriteOptions extends LayoutOptions {
  /** Search path that the names of relations are written for; the context's own when left out. */
  readonly searchPath?: readonly string[];
  /** Names of the result's columns; those of the query when left out. */
  readonly columns?: readonly string[];
}

const STORED: WriteOptions = { pretty: false, wrap: 0, searchPath: [] };

/**
 * @param level where the expression was bound, with a trace.
 * @param options of showing it; as it is stored, every name has its schema.
 */
export function writeExpression(level: Level, expr: Expr, options: WriteOptions = STORED): string {
  const { context } = level.state;
  const shown = { ...context, searchPath: options.searchPath ?? context.searchPath };
  const styled = options === STORED ? { ...shown, settings: storedSettings(shown.settings) } : shown;
  const { layout, printer } = newPrinter(level.state, styled, options);
  printExpression(printer, bindNode(printer, expr), false);
  return layout.text;
}

export function newPrinter(
  state: State,
  context: BindContext,
  options: LayoutOptions,
): { readonly layout: Layout; readonly printer: Printer } {
  const layout = new Layout(options);
  const trace = state.trace ?? newTrace();
  const objects = objectNames(context.catalog, context.searchPath);
  const named = { ...context, settings: { ...context.settings, objects } };
  const names = { context: named, resolving: state.context, tables: new Set<string>() };
  return {
    layout,
    printer: {
      parts: PARTS,
      layout,
      state,
      trace,
      ...names,
      qualified: false,
      nested: false,
      select: null,
      reserved: new Set(),
      aliases: new Map(),
      own: new Map(),
    },
  };
}
