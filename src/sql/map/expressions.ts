/**
 * Expressions: one table row per node of libpg-query's tree that can be one. Long left-deep chains
 * (`a + b + …`) are walked in a loop, so that only true nesting costs stack.
 */
import { constantChain, constantList } from './constants.ts';
import { notSupported, tooDeep } from '../../errors.ts';
import { EXPRESSION_DEPTH_MAX } from '../../limits.ts';
import type { Expr, Subscript } from '../ast.ts';
import { mapFunctionCall } from './calls.ts';
import {
  as,
  type Body,
  type MapContext,
  mapExpr,
  mapExprs,
  mapOptionalExpr,
  mapQuery,
  open,
  strings,
  type Tag,
} from './context.ts';
import { mapTypeName } from './names.ts';
import type { pg } from '../parse/grammar.ts';

type Mappers = { readonly [K in Tag]?: (context: MapContext, body: Body<K>) => Expr };

const MAPPERS: Mappers = {
  A_Const: mapConstant,
  ParamRef: (context, body) => ({
    kind: 'parameter',
    at: context.at(body.location),
    number: body.number ?? 0,
  }),
  ColumnRef: mapColumn,
  A_Expr: mapOperators,
  BoolExpr: mapBoolean,
  NullTest: (context, body) => ({
    kind: 'is',
    at: context.at(body.location),
    input: mapExpr(context, body.arg),
    test: 'null',
    negated: body.nulltesttype === 'IS_NOT_NULL',
  }),
  BooleanTest: mapBooleanTest,
  CaseExpr: mapCase,
  CoalesceExpr: (context, body) => ({
    kind: 'coalesce',
    at: context.at(body.location),
    args: mapExprs(context, body.args),
  }),
  MinMaxExpr: (context, body) => ({
    kind: body.op === 'IS_LEAST' ? 'least' : 'greatest',
    at: context.at(body.location),
    args: mapExprs(context, body.args),
  }),
  TypeCast: (context, body) => ({
    kind: 'cast',
    at: context.at(body.location, body.typeName?.location),
    input: mapExpr(context, body.arg),
    type: mapTypeName(context, body.typeName),
  }),
  CollateClause: (context, body) => ({
    kind: 'collate',
    at: context.at(body.location),
    input: mapExpr(context, body.arg),
    collation: strings(body.collname),
  }),
  FuncCall: (context, body) => mapFunctionCall(context, body),
  A_ArrayExpr: (context, body) => ({
    kind: 'array',
    at: context.at(body.location),
    elements: mapExprs(context, body.elements),
  }),
  RowExpr: (context, body) => ({
    kind: 'row',
    at: context.at(body.location),
    fields: mapExprs(context, body.args),
  }),
  A_Indirection: mapIndirection,
  SubLink: mapSubquery,
  GroupingFunc: (context, body) => ({
    kind: 'grouping',
    at: context.at(body.location),
    args: mapExprs(context, body.args),
  }),
  SQLValueFunction: mapSpecial,
  MergeSupportFunc: (context, body) => {
    return { kind: 'special', at: context.at(body.location), name: 'merge_action', precision: null };
  },
  CurrentOfExpr: (_, body) => ({ kind: 'current of', at: 0, cursor: body.cursor_name ?? '' }),
  SetToDefault: (context, body) => ({ kind: 'default', at: context.at(body.location) }),
  // `ALTER TABLE … OPTIONS` and lists in odd places reach no mapper: a list is a row.
  List: (context, body) => ({ kind: 'row', at: 0, fields: mapExprs(context, body.items) }),
};

/** @throws SqlError 0A000 for expressions Quern has not, 54001 when they nest too deep. */
export function mapAnyExpr(context: MapContext, node: pg.Node): Expr {
  const [tag, body] = open(node);
  const map = MAPPERS[tag] as ((context: MapContext, body: unknown) => Expr) | undefined;
  if (map === undefined) {
    const location = (body as { location?: number } | null)?.location;
    throw notSupported(expressionName(tag), { position: context.at(location ?? -1) || undefined });
  }
  return context.nested(() => map(context, body));
}

/** `JsonObjectConstructor` → `JSON OBJECT CONSTRUCTOR`. */
function expressionName(tag: string): string {
  return tag
    .replace(/Expr$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
}

function mapConstant(context: MapContext, body: pg.A_Const): Expr {
  const at = context.at(body.location);
  if (body.isnull) return { kind: 'null', at };
  if (body.ival !== undefined) return { kind: 'integer', at, text: String(body.ival.ival ?? 0) };
  if (body.boolval !== undefined) return { kind: 'boolean', at, value: body.boolval.boolval ?? false };
  if (body.bsval !== undefined) return { kind: 'bits', at, value: body.bsval.bsval ?? '' };
  if (body.fval !== undefined) {
    const text = body.fval.fval ?? '0';
    return { kind: /^-?\d+$/.test(text) ? 'integer' : 'decimal', at, text };
  }
  return { kind: 'string', at, value: body.sval?.sval ?? '' };
}

function mapColumn(context: MapContext, body: pg.ColumnRef): Expr {
  const fields = body.fields ?? [];
  const last = fields.at(-1);
  const at = context.at(body.location);
  if (last !== undefined && 'A_Star' in last) {
    return { kind: 'star', at, path: strings(fields.slice(0, -1)) };
  }
  return { kind: 'column', at, path: strings(fields) };
}

/** Walks down the left side of a chain of plain operators, then builds upwards. */
function mapOperators(context: MapContext, top: pg.A_Expr): Expr {
  const chain: pg.A_Expr[] = [];
  let body: pg.A_Expr | null = top;
  let lowest: pg.Node | undefined;
  while (body !== null) {
    chain.push(body);
    lowest = body.lexpr;
    const below: pg.A_Expr | null = isPlain(body) ? as(body.lexpr, 'A_Expr') : null;
    body = below;
  }
  if (chain.length > EXPRESSION_DEPTH_MAX) throw tooDeep();
  let left = lowest === undefined ? null : mapExpr(context, lowest);
  for (const level of chain.toReversed()) left = mapOperator(context, level, left);
  return left as Expr;
}

const isPlain = (body: pg.A_Expr): boolean => body.kind === 'AEXPR_OP';

function mapOperator(context: MapContext, body: pg.A_Expr, left: Expr | null): Expr {
  const at = context.at(body.location);
  const names = strings(body.name);
  const operator = names.at(-1) ?? '';
  const lhs = left ?? { kind: 'null', at };
  switch (body.kind) {
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL': {
      const quantifier = body.kind === 'AEXPR_OP_ANY' ? 'any' : 'all';
      return { kind: 'quantified', at, operator, quantifier, left: lhs, array: mapExpr(context, body.rexpr) };
    }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT': {
      const negated = body.kind === 'AEXPR_NOT_DISTINCT';
      return { kind: 'distinct', at, left: lhs, right: mapExpr(context, body.rexpr), negated };
    }
    case 'AEXPR_NULLIF':
      return { kind: 'nullif', at, left: lhs, right: mapExpr(context, body.rexpr) };
    case 'AEXPR_IN': {
      const items = as(body.rexpr, 'List')?.items;
      const negated = operator === '<>';
      const list = constantList(items ?? []);
      if (list !== null) return { kind: 'in constants', at, input: lhs, list, negated };
      return { kind: 'in', at, input: lhs, items: mapExprs(context, items), negated };
    }
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
    case 'AEXPR_SIMILAR':
      return mapLike(context, body, lhs);
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
    case 'AEXPR_BETWEEN_SYM':
    case 'AEXPR_NOT_BETWEEN_SYM': {
      const [low, high] = mapExprs(context, as(body.rexpr, 'List')?.items);
      const negated = body.kind.startsWith('AEXPR_NOT');
      const symmetric = body.kind.endsWith('SYM');
      return { kind: 'between', at, input: lhs, low: low as Expr, high: high as Expr, negated, symmetric };
    }
    default: {
      const schema = names.at(-2) ?? null;
      return { kind: 'operator', at, schema, operator, left, right: mapExpr(context, body.rexpr) };
    }
  }
}

const LIKE_KINDS = { AEXPR_LIKE: 'like', AEXPR_ILIKE: 'ilike', AEXPR_SIMILAR: 'similar' } as const;

/** The grammar wraps pattern and escape in `like_escape` or `similar_to_escape`. */
function mapLike(context: MapContext, body: pg.A_Expr, input: Expr): Expr {
  const at = context.at(body.location);
  const operator = LIKE_KINDS[body.kind as keyof typeof LIKE_KINDS];
  const negated = strings(body.name)[0]?.startsWith('!') ?? false;
  const call = as(body.rexpr, 'FuncCall');
  const wrapped =
    call !== null && /^(like_escape|similar_to_escape)$/.test(strings(call.funcname).at(-1) ?? '');
  const args = wrapped ? (call.args ?? []) : [body.rexpr as pg.Node];
  const pattern = mapExpr(context, args[0]);
  return { kind: 'like', at, operator, input, pattern, escape: mapOptionalExpr(context, args[1]), negated };
}

function mapBoolean(context: MapContext, body: pg.BoolExpr): Expr {
  const at = context.at(body.location);
  if (body.boolop === 'NOT_EXPR') return { kind: 'not', at, input: mapExpr(context, body.args?.[0]) };
  const kind = body.boolop === 'OR_EXPR' ? 'or' : 'and';
  const negated = kind === 'and';
  const { lists, rest } = constantChain(body.args ?? [], negated ? '<>' : '=');
  const tests = lists.map(({ column, list }): Expr => {
    return { kind: 'in constants', at, input: mapExpr(context, column), list, negated };
  });
  const args = [...mapExprs(context, rest), ...tests];
  return args.length === 1 ? (args[0] as Expr) : { kind, at, args };
}

function mapBooleanTest(context: MapContext, body: pg.BooleanTest): Expr {
  const [, negation, test] = /^IS_(NOT_)?(TRUE|FALSE|UNKNOWN)$/.exec(body.booltesttype ?? '') ?? [];
  return {
    kind: 'is',
    at: context.at(body.location),
    input: mapExpr(context, body.arg),
    test: (test ?? 'true').toLowerCase() as 'true' | 'false' | 'unknown',
    negated: negation !== undefined,
  };
}

function mapCase(context: MapContext, body: pg.CaseExpr): Expr {
  const branches = (body.args ?? []).map((node) => {
    const branch = as(node, 'CaseWhen');
    const when = mapExpr(context, branch?.expr);
    // biome-ignore lint/suspicious/noThenProperty: SQL's own word; the tree is plain data, never awaited
    return { when, then: mapExpr(context, branch?.result) };
  });
  return {
    kind: 'case',
    at: context.at(body.location),
    operand: mapOptionalExpr(context, body.arg),
    branches,
    otherwise: mapOptionalExpr(context, body.defresult),
  };
}

/** The subscript of an element is its lower bound. */
export function mapSubscript(context: MapContext, index: pg.A_Indices): Subscript {
  const slice = index.is_slice ?? false;
  const lower = mapOptionalExpr(context, slice ? index.lidx : index.uidx);
  return { slice, lower, upper: slice ? mapOptionalExpr(context, index.uidx) : null };
}

/** `x[1]`, `x[1:2]`, `(x).field`, `(x).*`, one after the other. */
function mapIndirection(context: MapContext, body: pg.A_Indirection): Expr {
  let input = mapExpr(context, body.arg);
  const { at } = input;
  let continues = false;
  for (const step of body.indirection ?? []) {
    const index = as(step, 'A_Indices');
    if (index !== null) {
      input = { kind: 'subscript', at, input, ...mapSubscript(context, index), continues };
      continues = true;
    } else {
      continues = false;
      input = { kind: 'field', at, input, field: as(step, 'String')?.sval ?? '*' };
    }
  }
  return input;
}

const SUBLINKS = {
  EXISTS_SUBLINK: 'exists',
  ALL_SUBLINK: 'all',
  ANY_SUBLINK: 'any',
  EXPR_SUBLINK: 'scalar',
  ARRAY_SUBLINK: 'array',
} as const;

function mapSubquery(context: MapContext, body: pg.SubLink): Expr {
  const form = SUBLINKS[body.subLinkType as keyof typeof SUBLINKS];
  return {
    kind: 'subquery',
    at: context.at(body.location),
    form,
    test: mapOptionalExpr(context, body.testexpr),
    operator: form === 'any' || form === 'all' ? (strings(body.operName).at(-1) ?? '=') : null,
    query: mapQuery(context, body.subselect),
  };
}

/** `SVFOP_CURRENT_TIMESTAMP_N` → `current_timestamp` with its precision. */
function mapSpecial(context: MapContext, body: pg.SQLValueFunction): Expr {
  const name = (body.op ?? '')
    .replace(/^SVFOP_/, '')
    .replace(/_N$/, '')
    .toLowerCase();
  const precise = body.op?.endsWith('_N') ?? false;
  return {
    kind: 'special',
    at: context.at(body.location),
    name,
    precision: precise ? (body.typmod ?? 0) : null,
  };
}
