/**
 * Function calls, windows and sort keys.
 */
import type { Argument, FrameBound, FunctionCall, Located, OrderItem, WindowDefinition } from '../ast.ts';
import { as, type MapContext, mapExpr, mapExprs, mapOptionalExpr, strings } from './context.ts';
import type { pg } from '../parse/grammar.ts';

export function mapFunctionCall(context: MapContext, body: pg.FuncCall): FunctionCall & Located {
  const names = strings(body.funcname);
  return {
    kind: 'function',
    at: context.at(body.location),
    schema: names.at(-2) ?? null,
    name: names.at(-1) ?? '',
    args: (body.args ?? []).map((node) => mapArgument(context, node)),
    star: body.agg_star ?? false,
    distinct: body.agg_distinct ?? false,
    variadic: body.func_variadic ?? false,
    sqlSyntax: body.funcformat === 'COERCE_SQL_SYNTAX',
    order: mapOrder(context, body.agg_order),
    withinGroup: body.agg_within_group ?? false,
    filter: mapOptionalExpr(context, body.agg_filter),
    over: body.over === undefined ? null : mapWindow(context, body.over),
  };
}

function mapArgument(context: MapContext, node: pg.Node): Argument {
  const named = as(node, 'NamedArgExpr');
  if (named === null) return { name: null, value: mapExpr(context, node) };
  return { name: named.name ?? '', value: mapExpr(context, named.arg) };
}

export function mapOrder(context: MapContext, nodes: readonly pg.Node[] | undefined): OrderItem[] {
  return (nodes ?? []).map((node) => {
    const sort = as(node, 'SortBy');
    const value = mapExpr(context, sort?.node);
    const nulls = sort?.sortby_nulls;
    return {
      at: context.at(sort?.location ?? -1) || value.at,
      value,
      descending: sort?.sortby_dir === 'SORTBY_DESC',
      nullsFirst: nulls === 'SORTBY_NULLS_FIRST' ? true : nulls === 'SORTBY_NULLS_LAST' ? false : null,
      using: sort?.sortby_dir === 'SORTBY_USING' ? (strings(sort.useOp).at(-1) ?? null) : null,
    };
  });
}

/** `OVER w` has only a name, `OVER (w …)` a name to copy from besides the rest. */
export function mapWindow(context: MapContext, body: pg.WindowDef): WindowDefinition {
  return {
    at: context.at(body.location),
    name: body.refname ?? body.name ?? null,
    partition: mapExprs(context, body.partitionClause),
    order: mapOrder(context, body.orderClause),
    frame: mapFrame(context, body),
  };
}

/** FRAMEOPTION_… bits of parsenodes.h. */
const FRAME = {
  nonDefault: 0x1,
  rows: 0x4,
  groups: 0x8,
  between: 0x10,
  startUnboundedPreceding: 0x20,
  endUnboundedPreceding: 0x40,
  startUnboundedFollowing: 0x80,
  endUnboundedFollowing: 0x100,
  startCurrentRow: 0x200,
  endCurrentRow: 0x400,
  startOffsetPreceding: 0x800,
  endOffsetPreceding: 0x1000,
  startOffsetFollowing: 0x2000,
  endOffsetFollowing: 0x4000,
  excludeCurrentRow: 0x8000,
  excludeGroup: 0x10000,
  excludeTies: 0x20000,
} as const;

function mapFrame(context: MapContext, body: pg.WindowDef): WindowDefinition['frame'] {
  const bits = body.frameOptions ?? 0;
  if ((bits & FRAME.nonDefault) === 0) return null;
  const has = (bit: number): boolean => (bits & bit) !== 0;
  const start = (): FrameBound => {
    if (has(FRAME.startUnboundedPreceding)) return { kind: 'unbounded preceding' };
    if (has(FRAME.startUnboundedFollowing)) return { kind: 'unbounded following' };
    if (has(FRAME.startCurrentRow)) return { kind: 'current row' };
    const kind = has(FRAME.startOffsetPreceding) ? 'preceding' : 'following';
    return { kind, offset: mapExpr(context, body.startOffset) };
  };
  const end = (): FrameBound => {
    if (has(FRAME.endUnboundedPreceding)) return { kind: 'unbounded preceding' };
    if (has(FRAME.endUnboundedFollowing)) return { kind: 'unbounded following' };
    if (has(FRAME.endCurrentRow)) return { kind: 'current row' };
    const kind = has(FRAME.endOffsetPreceding) ? 'preceding' : 'following';
    return { kind, offset: mapExpr(context, body.endOffset) };
  };
  return {
    mode: has(FRAME.rows) ? 'rows' : has(FRAME.groups) ? 'groups' : 'range',
    between: has(FRAME.between),
    start: start(),
    end: end(),
    exclude: has(FRAME.excludeCurrentRow)
      ? 'current row'
      : has(FRAME.excludeGroup)
        ? 'group'
        : has(FRAME.excludeTies)
          ? 'ties'
          : 'no others',
  };
}
