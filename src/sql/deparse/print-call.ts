/** Calls of functions, aggregates and window functions as text. */
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { FrameBound, WindowDefinition } from '../ast.ts';
import type { CallNode, Node, SortNode } from './node.ts';
import { sortNodes } from './sort-nodes.ts';
import { printConstant } from './print-constant.ts';
import { bindNode, type Printer, printExpression } from './printer.ts';

export function printCall(printer: Printer, node: CallNode): void {
  const { layout } = printer;
  layout.put(`${node.name}(`);
  if (node.distinct) layout.put('DISTINCT ');
  if (node.star) layout.put('*');
  for (const [i, arg] of node.args.entries()) {
    const name = node.names[i] ?? null;
    if (i > 0) layout.put(', ');
    if (node.variadic && i === node.args.length - 1) layout.put('VARIADIC ');
    if (name !== null) layout.put(`${quoteIdentifier(name)} => `);
    printExpression(printer, arg, true);
  }
  if (node.order.length > 0) {
    layout.put(' ORDER BY ');
    printOrder(printer, node.order);
  }
  if (node.withinGroup.length > 0) {
    layout.put(') WITHIN GROUP (ORDER BY ');
    printOrder(printer, node.withinGroup);
  }
  if (node.filter) {
    layout.put(') FILTER (WHERE ');
    printExpression(printer, node.filter, false);
  }
  layout.put(')');
  if (!node.over) return;
  layout.put(' OVER ');
  if (isNameOnly(node.over)) layout.put(quoteIdentifier(node.over.name ?? ''));
  else printWindow(printer, node.over);
}

/** `OVER w`; a window that copies another and adds nothing is written the same way. */
function isNameOnly({ name, partition, order, frame }: WindowDefinition): boolean {
  return name !== null && partition.length === 0 && order.length === 0 && frame === null;
}

export function printOrder(printer: Printer, keys: readonly SortNode[]): void {
  const { layout } = printer;
  for (const [i, { value, descending, nullsFirst }] of keys.entries()) {
    if (i > 0) layout.put(', ');
    printSortValue(printer, value);
    if (descending) layout.put(' DESC');
    if (nullsFirst !== descending) layout.put(nullsFirst ? ' NULLS FIRST' : ' NULLS LAST');
  }
}

/** In brackets where it could be read as CUBE, ROLLUP or a position. */
export function printSortValue(printer: Printer, value: SortNode['value']): void {
  const { layout } = printer;
  if (value.node === 'constant') {
    printConstant(printer, value, 'always');
    return;
  }
  if (value.node === 'column') {
    layout.put(value.text);
    return;
  }
  const brackets = layout.pretty || isCall(value);
  if (brackets) layout.put('(');
  printExpression(printer, value, true);
  if (brackets) layout.put(')');
}

function isCall(node: Node): boolean {
  return node.node === 'call' || node.node === 'syntax' || (node.node === 'cast' && node.call === true);
}

export function printWindow(printer: Printer, window: WindowDefinition): void {
  const { layout } = printer;
  const parts: (() => void)[] = [];
  if (window.name !== null) parts.push(() => layout.put(quoteIdentifier(window.name ?? '')));
  if (window.partition.length > 0) {
    parts.push(() => {
      layout.put('PARTITION BY ');
      for (const [i, expr] of window.partition.entries()) {
        if (i > 0) layout.put(', ');
        printSortValue(printer, bindNode(printer, expr));
      }
    });
  }
  if (window.order.length > 0) {
    parts.push(() => {
      layout.put('ORDER BY ');
      printOrder(printer, sortNodes(printer, window.order));
    });
  }
  const { frame } = window;
  if (frame) parts.push(() => printFrame(printer, frame));
  layout.put('(');
  for (const [i, part] of parts.entries()) {
    if (i > 0) layout.put(' ');
    part();
  }
  layout.put(')');
}

function printFrame(printer: Printer, frame: NonNullable<WindowDefinition['frame']>): void {
  const { layout } = printer;
  layout.put(`${frame.mode.toUpperCase()} `);
  if (frame.between) layout.put('BETWEEN ');
  printBound(printer, frame.start);
  if (frame.between) {
    layout.put(' AND ');
    printBound(printer, frame.end);
  }
  if (frame.exclude !== 'no others') layout.put(` EXCLUDE ${frame.exclude.toUpperCase()}`);
}

function printBound(printer: Printer, bound: FrameBound): void {
  if ('offset' in bound) {
    printExpression(printer, bindNode(printer, bound.offset), false);
    printer.layout.put(' ');
  }
  printer.layout.put(bound.kind.toUpperCase());
}
