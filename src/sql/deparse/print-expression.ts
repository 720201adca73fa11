/** Expressions as text. Follows get_rule_expr of ruleutils.c, bracket for bracket. */
import { quoteIdentifier } from '../../types/text/quote.ts';
import { printCall } from './print-call.ts';
import { printConstant } from './print-constant.ts';
import type { Node, SubscriptStep } from './node.ts';
import { printSubquery } from './print-query.ts';
import { type Printer, printExpression, typeText } from './printer.ts';
import { isSimple } from './simple.ts';

type Of<K extends Node['node']> = Extract<Node, { node: K }>;

/** @param implicit whether casts the user did not write are shown. */
export function printAnyExpression(printer: Printer, node: Node, implicit: boolean): void {
  const print = PRINTERS[node.node] as (printer: Printer, node: Node, implicit: boolean) => void;
  print(printer, node, implicit);
}

const PRINTERS: {
  readonly [K in Node['node']]: (printer: Printer, node: Of<K>, implicit: boolean) => void;
} = {
  column: ({ layout }, { text }) => layout.put(text),
  constant: (printer, node) => printConstant(printer, node, 'as needed'),
  cast: printCast,
  operator: printOperator,
  logical: (printer, node) => bracketed(printer, () => printLogical(printer, node)),
  test: (printer, node) =>
    bracketed(printer, () => {
      printOperand(printer, node.input, { parent: node, implicit: node.words.endsWith('NULL') });
      printer.layout.put(` ${node.words}`);
    }),
  distinct: (printer, node) =>
    bracketed(printer, () => {
      printOperand(printer, node.left, { parent: node, implicit: true });
      printer.layout.put(' IS DISTINCT FROM ');
      printOperand(printer, node.right, { parent: node, implicit: true });
    }),
  quantified: (printer, node) =>
    bracketed(printer, () => {
      printOperand(printer, node.left, { parent: node, implicit: true });
      printer.layout.put(` ${node.operator} ${node.quantifier} (`);
      printOperand(printer, node.array, { parent: node, implicit: true });
      printer.layout.put(')');
    }),
  case: printCase,
  list: (printer, { open, items, close }) => {
    printer.layout.put(open);
    printList(printer, items);
    printer.layout.put(close);
  },
  call: printCall,
  syntax: printSyntax,
  rows: printRows,
  collate: (printer, node, implicit) =>
    bracketed(printer, () => {
      printOperand(printer, node.input, { parent: node, implicit });
      printer.layout.put(` COLLATE ${node.collation}`);
    }),
  subscript: (printer, { input, steps }) => printSubscript(printer, input, steps),
  field: (printer, node) => {
    printOperand(printer, node.input, { parent: node, implicit: true });
    printer.layout.put(`.${quoteIdentifier(node.name)}`);
  },
  subquery: printSubquery,
};

function printOperator(printer: Printer, node: Of<'operator'>): void {
  const { layout } = printer;
  bracketed(printer, () => {
    if (node.left) {
      printOperand(printer, node.left, { parent: node, implicit: true });
      layout.put(' ');
    }
    layout.put(`${node.operator} `);
    printOperand(printer, node.right, { parent: node, implicit: true });
  });
}

function printRows(printer: Printer, { left, operator, right }: Of<'rows'>): void {
  const { layout } = printer;
  layout.put('(');
  printExpression(printer, left, true);
  layout.put(` ${operator} `);
  printExpression(printer, right, true);
  layout.put(')');
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
