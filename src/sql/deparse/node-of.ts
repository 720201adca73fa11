/**
 * Syntax nodes with what the binder made of them as PostgreSQL's nodes: names resolved, sugar taken apart,
 * casts with their types.
 */
import { listedItems } from '../map/constants.ts';
import type { Literal } from '../../plan/expression.ts';
import { resolveCast } from '../../functions/resolve.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { findTypeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Expr } from '../ast.ts';
import { commonTypeOf } from '../bind/expression/coerce.ts';
import { type Expression, integerLiteral, TEXT } from '../bind/draft.ts';
import { typeOf } from '../bind/names.ts';
import { callNode } from './node-of-call.ts';
import type { Node, SubscriptStep } from './node.ts';
import { bindNode, type Printer, typeText } from './printer.ts';

type Of<K extends Expr['kind']> = Extract<Expr, { kind: K }>;

/** The expression in the type that what is around it asked for. */
export function nodeOf(printer: Printer, expr: Expr): Node {
  const bound = printer.trace.bound.get(expr);
  if (!bound) return plainNode(printer, expr);
  return typedNode(printer, expr, finalForm(printer, bound).type);
}

/** Form of an expression after the last cast. */
function finalForm({ trace }: Printer, bound: Expression): Expression {
  let form = bound;
  for (let next = trace.coerced.get(form); next && next !== form; next = trace.coerced.get(form)) form = next;
  return form;
}

function typedNode(printer: Printer, expr: Expr, type: TypeRef): Node {
  const bound = printer.trace.bound.get(expr);
  if (!bound) return plainNode(printer, expr);
  if (expr.kind === 'string' || expr.kind === 'null') {
    if (bound.type.oid === OID.unknown) return constantNode(printer, expr, { type, implicit: true });
  }
  const node = plainNode(printer, expr);
  if (type.oid === bound.type.oid || type.oid === OID.unknown || type.oid === OID.record) return node;
  return castTo(node, bound.type, { type, implicit: true });
}

function castTo(
  input: Node,
  from: TypeRef,
  { type, implicit }: { readonly type: TypeRef; readonly implicit: boolean },
): Node {
  const method = from.oid === type.oid ? 'none' : resolveCast(from.oid, type.oid, 'explicit');
  const call = method !== 'none' && method !== 'text' && method !== null;
  return { node: 'cast', input, type, implicit, call };
}

/** The expression as it is, in its own type. */
function plainNode(printer: Printer, expr: Expr): Node {
  const node = NODES[expr.kind] as (printer: Printer, expr: Expr) => Node;
  return node(printer, expr);
}

const NODES: { readonly [K in Expr['kind']]: (printer: Printer, expr: Expr & { kind: K }) => Node } = {
  integer: literalNode,
  decimal: literalNode,
  bits: literalNode,
  boolean: literalNode,
  string: (printer, expr) => constantNode(printer, expr, { type: TEXT, implicit: true }),
  null: (printer, expr) => constantNode(printer, expr, { type: TEXT, implicit: true }),
  column: columnNode,
  star: (_, { path }) => ({ node: 'column', text: `${quoteIdentifier(path.at(-1) ?? '')}.*` }),
  operator: operatorNode,
  and: (printer, { args }) => ({ node: 'logical', word: 'AND', args: nodesOf(printer, args) }),
  or: (printer, { args }) => ({ node: 'logical', word: 'OR', args: nodesOf(printer, args) }),
  not: (printer, { input }) => not(bindNode(printer, input)),
  is: (printer, { input, negated, test }) => {
    const words = `IS ${negated ? 'NOT ' : ''}${test.toUpperCase()}`;
    return { node: 'test', input: bindNode(printer, input), words };
  },
  distinct: distinctNode,
  in: inNode,
  'in constants': (printer, expr) =>
    inNode(printer, { ...expr, kind: 'in', items: listedItems(expr.list, expr.at) }),
  like: likeNode,
  between: betweenNode,
  quantified: (printer, { operator: name, quantifier, left, array }) => ({
    node: 'quantified',
    operator: name,
    quantifier: quantifier === 'any' ? 'ANY' : 'ALL',
    left: bindNode(printer, left),
    array: bindNode(printer, array),
  }),
  case: caseNode,
  coalesce: (printer, { args }) => listNode(printer, 'COALESCE(', args),
  greatest: (printer, { args }) => listNode(printer, 'GREATEST(', args),
  least: (printer, { args }) => listNode(printer, 'LEAST(', args),
  nullif: (printer, { left, right }) => listNode(printer, 'NULLIF(', [left, right]),
  grouping: (printer, { args }) => listNode(printer, 'GROUPING(', args),
  array: (printer, { elements }) => listNode(printer, 'ARRAY[', elements),
  row: (printer, { fields }) => listNode(printer, 'ROW(', fields),
  cast: castNode,
  collate: (printer, { input, collation }) => ({
    node: 'collate',
    input: plainNode(printer, input),
    collation: quoteIdentifier(collation.at(-1) ?? ''),
  }),
  function: callNode,
  subscript: subscriptNode,
  field: (printer, { input, field }) => ({ node: 'field', input: bindNode(printer, input), name: field }),
  subquery: (printer, expr) => ({
    node: 'subquery',
    form: expr.form,
    test: nodesOf(printer, testsOf(expr)),
    operator: expr.operator ?? '=',
    query: expr.query,
  }),
  special: (_, { name, precision }) => ({
    node: 'column',
    text: `${name.toUpperCase()}${precision === null ? '' : `(${precision})`}`,
  }),
  parameter: (_, { number }) => ({ node: 'column', text: `$${number}` }),
  // Long VALUES are printed from their rows, which have none.
  slot: (_, { kind }) => ({ node: 'column', text: kind.toUpperCase() }),
  default: (_, { kind }) => ({ node: 'column', text: kind.toUpperCase() }),
  'current of': (_, { kind }) => ({ node: 'column', text: kind.toUpperCase() }),
};

const nodesOf = (printer: Printer, items: readonly Expr[]): readonly Node[] =>
  items.map((item) => bindNode(printer, item));

/** @param open `ROW(`, `ARRAY[`. */
function listNode(printer: Printer, open: string, items: readonly Expr[]): Node {
  return { node: 'list', open, items: nodesOf(printer, items), close: open.endsWith('[') ? ']' : ')' };
}

function testsOf({ test }: Of<'subquery'>): readonly Expr[] {
  if (!test) return [];
  return test.kind === 'row' ? test.fields : [test];
}

const not = (input: Node): Node => ({ node: 'logical', word: 'NOT', args: [input] });

// ───────────────────────────── columns and constants ─────────────────────────────

/** A name, with its table's where several are in sight. */
function columnNode(printer: Printer, expr: Of<'column'>): Node {
  const bound = printer.trace.bound.get(expr);
  const name = expr.path.at(-1) ?? '';
  if (bound?.kind === 'row') return { node: 'column', text: `${quoteIdentifier(name)}.*` };
  return bound ? boundColumn(printer, bound, name) : { node: 'column', text: quoteIdentifier(name) };
}

/** @param name for a column that has no table: one merged by FULL JOIN … USING. */
export function boundColumn(printer: Printer, bound: Expression, name: string): Node {
  const inner = bound.kind === 'cast' ? bound.input : bound;
  const info = inner.kind === 'column' ? printer.state.columns.get(inner.id) : undefined;
  if (!info) return { node: 'column', text: quoteIdentifier(name) };
  const table = printer.aliases.get(info.level)?.get(info.table) ?? info.table;
  const prefix = printer.qualified && table !== '' ? `${quoteIdentifier(table)}.` : '';
  return { node: 'column', text: `${prefix}${quoteIdentifier(info.name)}` };
}

function literalNode(printer: Printer, expr: Expr): Node {
  // Items of a long list are bound as one.
  const bound = expr.kind === 'integer' ? integerLiteral(expr.text, expr.at) : undefined;
  const literal = literalOf(printer.trace.bound.get(expr) ?? bound);
  return { node: 'constant', value: literal?.value ?? null, type: literal?.type ?? TEXT };
}

/** The constant inside of casts. */
function literalOf(expression: Expression | undefined): Literal | undefined {
  let inner = expression;
  while (inner?.kind === 'cast') inner = inner.input;
  return inner?.kind === 'literal' ? inner : undefined;
}

/** A string in the type it is read as; a length comes as a cast around it. */
function constantNode(
  printer: Printer,
  expr: Of<'string'> | Of<'null'>,
  { type, implicit }: { readonly type: TypeRef; readonly implicit: boolean },
): Node {
  const resolved = type.oid === OID.unknown ? TEXT : type;
  const fits = resolved.modifier === -1 || resolved.oid === OID.interval;
  const plain = fits ? resolved : { oid: resolved.oid, modifier: -1 };
  const value = expr.kind === 'null' ? null : readAs(printer, expr.value, plain);
  if (expr.kind === 'null') return { node: 'constant', value, type: resolved };
  const constant: Node = { node: 'constant', value, type: plain };
  return fits ? constant : { node: 'cast', input: constant, type: resolved, implicit };
}

function readAs(printer: Printer, text: string, { oid, modifier }: TypeRef): Datum {
  return findTypeByOid(oid)?.parse(text, modifier, printer.resolving.settings) ?? text;
}

function castNode(printer: Printer, expr: Of<'cast'>): Node {
  const { input } = expr;
  const type = typeOf(printer.resolving, expr.type);
  const inner = printer.trace.bound.get(input);
  const element = findTypeByOid(type.oid)?.elementOid;
  if ((input.kind === 'string' || input.kind === 'null') && inner?.type.oid === OID.unknown) {
    return constantNode(printer, input, { type, implicit: false });
  }
  if (input.kind === 'array' && element !== undefined) {
    const to = { oid: element, modifier: type.modifier };
    const items = input.elements.map((item) => elementNode(printer, item, to));
    const close = items.length > 0 ? ']' : `]::${typeText(printer, type)}`;
    return { node: 'list', open: 'ARRAY[', items, close };
  }
  const node = plainNode(printer, input);
  const same =
    inner?.type.oid === type.oid && (type.modifier === -1 || type.modifier === inner.type.modifier);
  return same || !inner ? node : castTo(node, inner.type, { type, implicit: false });
}

function elementNode(printer: Printer, expr: Expr, type: TypeRef): Node {
  if (expr.kind === 'string' || expr.kind === 'null')
    return constantNode(printer, expr, { type, implicit: false });
  const node = plainNode(printer, expr);
  const bound = printer.trace.bound.get(expr);
  const same = bound?.type.oid === type.oid && type.modifier === -1;
  return same || !bound ? node : castTo(node, bound.type, { type, implicit: false });
}

// ───────────────────────────── operators ─────────────────────────────

function operator(name: string, left: Node | null, right: Node): Node {
  return { node: 'operator', operator: name, left, right };
}

function operatorNode(printer: Printer, expr: Of<'operator'>): Node {
  const { left, right } = expr;
  if (left?.kind === 'row' && right.kind === 'row') return rowsNode(printer, expr.operator, { left, right });
  if (left === null) {
    const literal = literalOf(printer.trace.bound.get(expr));
    if (literal) return { node: 'constant', value: literal.value, type: literal.type };
  }
  const side = expr.operator === '||' ? concatenated : bindNode;
  return operator(expr.operator, left && side(printer, left), side(printer, right));
}

/** PostgreSQL takes any value beside a text as it is. */
function concatenated(printer: Printer, expr: Expr): Node {
  const bound = printer.trace.bound.get(expr);
  const final = bound && finalForm(printer, bound).type.oid;
  const category = findTypeByOid(bound?.type.oid ?? 0)?.category;
  const loose = final === OID.text && category !== 'S' && bound?.type.oid !== OID.unknown;
  return loose ? plainNode(printer, expr) : bindNode(printer, expr);
}

/** Rows are equal field by field; any other order of them stays a comparison of rows. */
function rowsNode(
  printer: Printer,
  name: string,
  { left, right }: { readonly left: Of<'row'>; readonly right: Of<'row'> },
): Node {
  if (name !== '=' && name !== '<>') {
    return { node: 'rows', operator: name, left: plainNode(printer, left), right: plainNode(printer, right) };
  }
  const args = left.fields.map((field, i) => {
    return operator(name, bindNode(printer, field), bindNode(printer, right.fields[i] ?? field));
  });
  return { node: 'logical', word: name === '=' ? 'AND' : 'OR', args };
}

function distinctNode(printer: Printer, expr: Of<'distinct'>): Node {
  if (expr.right.kind === 'null' || expr.left.kind === 'null') {
    const input = bindNode(printer, expr.right.kind === 'null' ? expr.left : expr.right);
    return { node: 'test', input, words: expr.negated ? 'IS NULL' : 'IS NOT NULL' };
  }
  const left = bindNode(printer, expr.left);
  const node: Node = { node: 'distinct', left, right: bindNode(printer, expr.right) };
  return expr.negated ? not(node) : node;
}

/** A list of values is an array; columns in it are compared one by one. */
function inNode(printer: Printer, expr: Of<'in'>): Node {
  const name = expr.negated ? '<>' : '=';
  const left = bindNode(printer, expr.input);
  if (expr.input.kind === 'row') {
    const tests = expr.items.map((item) => {
      const sides = { left: expr.input as Of<'row'>, right: item as Of<'row'> };
      return rowsNode(printer, name, sides);
    });
    return tests.length === 1 && tests[0] ? tests[0] : either(expr.negated, tests);
  }
  const values = expr.items.filter((item) => !hasColumn(printer, item));
  const listed = values.length > 1 ? values : [];
  const single = expr.items.filter((item) => !listed.includes(item));
  const tests = single.map((item) => operator(name, left, bindNode(printer, item)));
  if (listed.length > 0) {
    const quantifier = expr.negated ? 'ALL' : 'ANY';
    tests.unshift({
      node: 'quantified',
      operator: name,
      quantifier,
      left,
      array: arrayOf(printer, listed, expr),
    });
  }
  return tests.length === 1 && tests[0] ? tests[0] : either(expr.negated, tests);
}

const either = (negated: boolean, args: readonly Node[]): Node => ({
  node: 'logical',
  word: negated ? 'AND' : 'OR',
  args,
});

/** The values in their common type, cast as a whole to the type the operator takes. */
function arrayOf(printer: Printer, values: readonly Expr[], expr: Of<'in'>): Node {
  const sides = [expr.input, ...expr.items].flatMap((item) => printer.trace.bound.get(item) ?? []);
  const common = { oid: commonTypeOf(sides, 'IN').oid, modifier: -1 };
  const items = values.map((item) => typedNode(printer, item, common));
  const list: Node = { node: 'list', open: 'ARRAY[', items, close: ']' };
  const [first] = values;
  const bound = first && printer.trace.bound.get(first);
  const final = bound && finalForm(printer, bound).type.oid;
  const array = final === undefined ? undefined : findTypeByOid(final)?.arrayOid;
  if (final === undefined || final === common.oid || !array) return list;
  return { node: 'cast', input: list, type: { oid: array, modifier: -1 }, implicit: true };
}

export function hasColumn(printer: Printer, expr: Expr): boolean {
  let found = false;
  JSON.stringify(expr, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && (value as Expr).kind === 'column') found = true;
    return value;
  });
  return found || printer.trace.bound.get(expr)?.kind === 'subquery';
}

const LIKE_OPERATORS = { like: '~~', ilike: '~~*', similar: '~' } as const;

function likeNode(printer: Printer, expr: Of<'like'>): Node {
  const name = `${expr.negated ? '!' : ''}${LIKE_OPERATORS[expr.operator]}`;
  const left = bindNode(printer, expr.input);
  const pattern = bindNode(printer, expr.pattern);
  if (!expr.escape && expr.operator !== 'similar') return operator(name, left, pattern);
  const args = expr.escape ? [pattern, bindNode(printer, expr.escape)] : [pattern];
  const call = expr.operator === 'similar' ? 'similar_to_escape' : 'like_escape';
  return operator(name, left, plainCall(call, args));
}

function plainCall(name: string, args: readonly Node[]): Node {
  const nothing = { distinct: false, star: false, variadic: false, names: [], order: [], withinGroup: [] };
  return { node: 'call', name, args, ...nothing, filter: null, over: null };
}

function betweenNode(printer: Printer, expr: Of<'between'>): Node {
  const [input, low, high] = [expr.input, expr.low, expr.high].map((part) => bindNode(printer, part)) as [
    Node,
    Node,
    Node,
  ];
  const pair = (from: Node, to: Node): Node => {
    const [after, before] = expr.negated ? ['<', '>'] : ['>=', '<='];
    return either(!expr.negated, [operator(after ?? '', input, from), operator(before ?? '', input, to)]);
  };
  if (!expr.symmetric) return pair(low, high);
  return either(expr.negated, [pair(low, high), pair(high, low)]);
}

function caseNode(printer: Printer, expr: Of<'case'>): Node {
  const type = printer.trace.bound.get(expr)?.type ?? TEXT;
  const branches = expr.branches.map(({ when, then }) => {
    return { when: bindNode(printer, when), result: bindNode(printer, then) };
  });
  const otherwise: Node = expr.otherwise
    ? bindNode(printer, expr.otherwise)
    : { node: 'constant', value: null, type };
  return { node: 'case', operand: expr.operand && bindNode(printer, expr.operand), branches, otherwise };
}

function subscriptNode(printer: Printer, expr: Of<'subscript'>): Node {
  const steps: SubscriptStep[] = [];
  let input: Expr = expr;
  for (; input.kind === 'subscript'; input = input.input) {
    const { slice, lower, upper } = input;
    const first = lower && bindNode(printer, lower);
    steps.unshift({ slice, lower: first, upper: upper && bindNode(printer, upper) });
  }
  return { node: 'subscript', input: plainNode(printer, input), steps };
}
