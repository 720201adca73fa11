/** Expressions as text. Follows get_rule_expr of ruleutils.c, bracket for bracket. */
import { unreachable } from '../../assert.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { printCall } from './print-call.ts';
import { printConstant } from './print-constant.ts';
import type { Node, SubscriptStep } from './node.ts';
import { printSubquery } from './print-query.ts';
import { type Printer, printExpression, typeText } from './printer.ts';
import { isSimple } from './simple.ts';

/** @param implicit whether casts the user did not write are shown. */
export function printAnyExpression(printer: Printer, node: Node, implicit: boolean): void {
  const { layout } = printer;
  switch (node.node) {
    case 'column':
      layout.put(node.text);
      return;
    case 'constant':
      printConstant(printer, node, 'as needed');
      return;
    case 'cast':
      printCast(printer, node, implicit);
      return;
    case 'operator':
      bracketed(printer, () => {
        if (node.left) {
          printOperand(printer, node.left, { parent: node, implicit: true });
          layout.put(' ');
        }
        layout.put(`${node.operator} `);
        printOperand(printer, node.right, { parent: node, implicit: true });
      });
      return;
    case 'logical':
      bracketed(printer, () => printLogical(printer, node));
      return;
    case 'test':
      bracketed(printer, () => {
        printOperand(printer, node.input, { parent: node, implicit: node.words.endsWith('NULL') });
        layout.put(` ${node.words}`);
      });
      return;
    case 'distinct':
      bracketed(printer, () => {
        printOperand(printer, node.left, { parent: node, implicit: true });
        layout.put(' IS DISTINCT FROM ');
        printOperand(printer, node.right, { parent: node, implicit: true });
      });
      return;
    case 'quantified':
      bracketed(printer, () => {
        printOperand(printer, node.left, { parent: node, implicit: true });
        layout.put(` ${node.operator} ${node.quantifier} (`);
        printOperand(printer, node.array, { parent: node, implicit: true });
        layout.put(')');
      });
      return;
    case 'case':
      printCase(printer, node);
      return;
    case 'list':
      layout.put(node.open);
      printList(printer, node.items);
      layout.put(node.close);
      return;
    case 'call':
      printCall(printer, node);
      return;
    case 'syntax':
      printSyntax(printer, node);
      return;
    case 'rows':
      layout.put('(');
      printExpression(printer, node.left, true);
      layout.put(` ${node.operator} `);
      printExpression(printer, node.right, true);
      layout.put(')');
      return;
    case 'collate':
      bracketed(printer, () => {
        printOperand(printer, node.input, { parent: node, implicit });
        layout.put(` COLLATE ${node.collation}`);
      });
      return;
    case 'subscript':
      printSubscript(printer, node.input, node.steps);
      return;
    case 'field':
      printOperand(printer, node.input, { parent: node, implicit: true });
      layout.put(`.${quoteIdentifier(node.name)}`);
      return;
    case 'subquery':
      printSubquery(printer, node);
      return;
    default:
      unreachable(node);
  }
}

function printList(printer: Printer, items: readonly Node[]): void {
  for (const [i, item] of items.entries()) {
    if (i > 0) printer.layout.put(', ');
    printExpression(printer, item, true);
  }
}

function bracketed(printer: Printer, print: () => void): void {
  const { layout } = printer;
  if (!layout.pretty) layout.put('(');
  print();
  if (!layout.pretty) layout.put(')');
}

/** A part of an expression, in brackets where it needs them. */
function printOperand(
  printer: Printer,
  node: Node,
  { parent, implicit }: { readonly parent: Node; readonly implicit: boolean },
): void {
  const { layout } = printer;
  const brackets = layout.pretty && !isSimple(node, parent);
  if (brackets) layout.put('(');
  printExpression(printer, node, implicit);
  if (brackets) layout.put(')');
}

type Of<K extends Node['node']> = Extract<Node, { node: K }>;

function printLogical(printer: Printer, node: Of<'logical'>): void {
  const { layout } = printer;
  if (node.word === 'NOT') layout.put('NOT ');
  for (const [i, arg] of node.args.entries()) {
    if (i > 0) layout.put(` ${node.word} `);
    printOperand(printer, arg, { parent: node, implicit: false });
  }
}

/** A constant takes the type after it in place of its own. */
function printCast(printer: Printer, node: Of<'cast'>, implicit: boolean): void {
  const { layout } = printer;
  const { input, type } = node;
  if (node.implicit && !implicit) {
    printOperand(printer, input, { parent: node, implicit: false });
    return;
  }
  if (input.node === 'constant' && input.type.oid === type.oid && input.type.modifier === -1) {
    printConstant(printer, input, 'never');
  } else {
    bracketed(printer, () => printOperand(printer, input, { parent: node, implicit: false }));
  }
  layout.put(`::${typeText(printer, type)}`);
}

function printCase(printer: Printer, node: Of<'case'>): void {
  const { layout } = printer;
  layout.keyword('CASE', { before: 0, after: 4, plus: 0 });
  if (node.operand) {
    layout.put(' ');
    printExpression(printer, node.operand, true);
  }
  for (const { when, result } of node.branches) {
    layout.keyword('WHEN ', { before: 0, after: 0, plus: 0 });
    printExpression(printer, when, false);
    layout.put(' THEN ');
    printExpression(printer, result, true);
  }
  layout.keyword('ELSE ', { before: 0, after: 0, plus: 0 });
  printExpression(printer, node.otherwise, true);
  layout.keyword('END', { before: -4, after: 0, plus: 0 });
}

function printSyntax(printer: Printer, node: Of<'syntax'>): void {
  for (const part of node.parts) {
    if (typeof part === 'string') printer.layout.put(part);
    else if ('node' in part) printExpression(printer, part, false);
    else printOperand(printer, part.operand, { parent: node, implicit: false });
  }
}

function printSubscript(printer: Printer, input: Node, steps: readonly SubscriptStep[]): void {
  const { layout } = printer;
  const brackets = input.node !== 'column' && input.node !== 'field';
  if (brackets) layout.put('(');
  printExpression(printer, input, true);
  if (brackets) layout.put(')');
  for (const { slice, lower, upper } of steps) {
    layout.put('[');
    if (lower) printExpression(printer, lower, false);
    if (slice) layout.put(':');
    if (upper) printExpression(printer, upper, false);
    layout.put(']');
  }
}
