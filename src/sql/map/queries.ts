/**
 * SELECT, VALUES, set operations, WITH and the FROM clause. The grammar gives a SELECT no position of its
 * own; it takes that of its first column.
 */
import type { LockWait, RowLockMode } from '../../catalog/lock-modes.ts';
import { notSupported, SqlError, tooDeep } from '../../errors.ts';
import { EXPRESSION_DEPTH_MAX } from '../../limits.ts';
import type {
  Alias,
  ColumnType,
  FromItem,
  FunctionCall,
  GroupItem,
  Located,
  LockingClause,
  Query,
  Select,
  SelectItem,
  SetMember,
  SetQuery,
  With,
} from '../ast.ts';
import { mapFunctionCall, mapOrder, mapWindow } from './calls.ts';
import { constantRows, firstRow } from './constant-rows.ts';
import {
  as,
  type MapContext,
  mapExpr,
  mapExprs,
  mapOptionalExpr,
  mapQuery,
  mapWrite,
  open,
  strings,
} from './context.ts';
import { mapRelationName, mapTypeName } from './names.ts';
import type { pg } from '../parse/grammar.ts';

export function mapAnyQuery(context: MapContext, node: pg.Node | undefined): Query {
  const body = as(node, 'SelectStmt');
  if (body === null) throw notSupported('this kind of query');
  return mapSelectStatement(context, body);
}

export function mapSelectStatement(context: MapContext, body: pg.SelectStmt): Query {
  if (body.intoClause !== undefined) {
    throw new SqlError('syntax_error', 'SELECT ... INTO is not allowed here', {
      position: context.at(body.intoClause.rel?.location) || undefined,
    });
  }
  return context.nested(() => {
    if (isSetOperation(body)) return mapSetQuery(context, body);
    if (body.valuesLists !== undefined) {
      const rows =
        constantRows(context, body.valuesLists) ??
        body.valuesLists.map((row) => mapExprs(context, as(row, 'List')?.items));
      return { kind: 'values', at: firstRow(rows)[0]?.at ?? 0, rows, ...mapTail(context, body) };
    }
    return mapSelect(context, body);
  });
}

const SET_OPERATIONS = {
  SETOP_UNION: 'union',
  SETOP_INTERSECT: 'intersect',
  SETOP_EXCEPT: 'except',
} as const;

const isSetOperation = ({ op }: pg.SelectStmt): boolean => op !== undefined && op !== 'SETOP_NONE';

/** The grammar nests a chain to the left, a level a member. */
function mapSetQuery(context: MapContext, body: pg.SelectStmt): SetQuery {
  const chain = [body];
  let left = body.larg ?? {};
  for (; isSetOperation(left) && !hasTail(left); left = left.larg ?? {}) chain.push(left);
  const first = mapSelectStatement(context, left);
  const rest = chain.reverse().map(({ op, all = false, rarg = {} }): SetMember => {
    const operation = SET_OPERATIONS[op as keyof typeof SET_OPERATIONS];
    return { operation, all, query: mapSelectStatement(context, rarg) };
  });
  return { kind: 'set', at: first.at, first, rest, ...mapTail(context, body) };
}

function hasTail(body: pg.SelectStmt): boolean {
  const { withClause, sortClause, limitCount, limitOffset, lockingClause, intoClause } = body;
  const parts = [withClause, sortClause, limitCount, limitOffset, lockingClause, intoClause];
  return parts.some((part) => part !== undefined);
}

function mapTail(context: MapContext, body: pg.SelectStmt) {
  return {
    with: mapWith(context, body.withClause),
    order: mapOrder(context, body.sortClause),
    limit: mapOptionalExpr(context, body.limitCount),
    offset: mapOptionalExpr(context, body.limitOffset),
    withTies: body.limitOption === 'LIMIT_OPTION_WITH_TIES',
    locking: (body.lockingClause ?? []).map((node) => mapLocking(context, as(node, 'LockingClause') ?? {})),
  };
}

const STRENGTHS: Readonly<Record<string, RowLockMode>> = {
  LCS_FORKEYSHARE: 'key share',
  LCS_FORSHARE: 'share',
  LCS_FORNOKEYUPDATE: 'no key update',
  LCS_FORUPDATE: 'update',
};
const WAITS: Readonly<Record<string, LockWait>> = { LockWaitSkip: 'skip locked', LockWaitError: 'nowait' };

function mapLocking(context: MapContext, body: pg.LockingClause): LockingClause {
  return {
    strength: STRENGTHS[body.strength ?? ''] ?? 'update',
    relations: (body.lockedRels ?? []).map((node) => {
      const { relname = '', schemaname = null, location } = as(node, 'RangeVar') ?? {};
      return { name: relname, schema: schemaname, at: context.at(location) };
    }),
    wait: WAITS[body.waitPolicy ?? ''] ?? 'block',
  };
}

function mapSelect(context: MapContext, body: pg.SelectStmt): Select {
  const items = mapSelectItems(context, body.targetList);
  // Joined one to the other, they nest as deep as they would with JOIN.
  if ((body.fromClause?.length ?? 0) > EXPRESSION_DEPTH_MAX) throw tooDeep();
  return {
    kind: 'select',
    at: items[0]?.at ?? 0,
    distinct: mapDistinct(context, body.distinctClause),
    items,
    from: (body.fromClause ?? []).map((node) => mapFromItem(context, node)),
    where: mapOptionalExpr(context, body.whereClause),
    group: (body.groupClause ?? []).map((node) => mapGroupItem(context, node)),
    groupDistinct: body.groupDistinct ?? false,
    having: mapOptionalExpr(context, body.havingClause),
    windows: (body.windowClause ?? []).map((node) => {
      const window = as(node, 'WindowDef') ?? {};
      const definition = { ...mapWindow(context, window), name: window.refname ?? null };
      return { name: window.name ?? '', definition };
    }),
    ...mapTail(context, body),
  };
}

/** DISTINCT is a list of one empty node, DISTINCT ON its expressions. */
function mapDistinct(context: MapContext, nodes: readonly pg.Node[] | undefined): Select['distinct'] {
  if (nodes === undefined) return 'all';
  if (nodes.every((node) => Object.keys(node).length === 0)) return 'distinct';
  return { on: mapExprs(context, nodes) };
}

export function mapSelectItems(context: MapContext, nodes: readonly pg.Node[] | undefined): SelectItem[] {
  return (nodes ?? []).map((node) => {
    const target = as(node, 'ResTarget');
    return {
      at: context.at(target?.location),
      value: mapExpr(context, target?.val),
      alias: target?.name ?? null,
    };
  });
}

function mapGroupItem(context: MapContext, node: pg.Node): GroupItem {
  const set = as(node, 'GroupingSet');
  if (set !== null) {
    if (set.kind === 'GROUPING_SET_EMPTY') return { kind: 'list', values: [] };
    const kind =
      set.kind === 'GROUPING_SET_ROLLUP' ? 'rollup' : set.kind === 'GROUPING_SET_CUBE' ? 'cube' : 'sets';
    return { kind, items: (set.content ?? []).map((item) => mapGroupItem(context, item)) };
  }
  const row = as(node, 'RowExpr');
  if (row?.row_format === 'COERCE_IMPLICIT_CAST')
    return { kind: 'list', values: mapExprs(context, row.args) };
  return { kind: 'expression', value: mapExpr(context, node) };
}

export function mapWith(context: MapContext, body: pg.WithClause | undefined): With | null {
  if (body === undefined) return null;
  const tables = (body.ctes ?? []).map((node) => {
    const table = as(node, 'CommonTableExpr') ?? {};
    if (table.search_clause !== undefined) throw notSupported('SEARCH in WITH');
    if (table.cycle_clause !== undefined) throw notSupported('CYCLE in WITH');
    return {
      at: context.at(table.location),
      name: table.ctename ?? '',
      columns: strings(table.aliascolnames),
      materialized:
        table.ctematerialized === 'CTEMaterializeAlways'
          ? true
          : table.ctematerialized === 'CTEMaterializeNever'
            ? false
            : null,
      query: mapWrite(context, table.ctequery) ?? mapQuery(context, table.ctequery),
    };
  });
  return { recursive: body.recursive ?? false, tables };
}

// ───────────────────────────── FROM ─────────────────────────────

function mapAlias(alias: pg.Alias | undefined): Alias | null {
  return alias === undefined ? null : { name: alias.aliasname ?? '', columns: strings(alias.colnames) };
}

export function mapFromItem(context: MapContext, node: pg.Node): FromItem {
  const relation = as(node, 'RangeVar');
  if (relation !== null) {
    const name = mapRelationName(context, relation);
    return { kind: 'relation', at: name.at, relation: name, alias: mapAlias(relation.alias) };
  }
  const join = as(node, 'JoinExpr');
  if (join !== null) return context.nested(() => mapJoin(context, join));
  const subquery = as(node, 'RangeSubselect');
  if (subquery !== null) {
    const query = mapQuery(context, subquery.subquery);
    const lateral = subquery.lateral ?? false;
    return { kind: 'query', at: query.at, query, alias: mapAlias(subquery.alias), lateral };
  }
  const call = as(node, 'RangeFunction');
  if (call !== null) return mapRangeFunction(context, call);
  const [tag] = open(node);
  const feature = { RangeTableSample: 'TABLESAMPLE', RangeTableFunc: 'XMLTABLE', JsonTable: 'JSON_TABLE' }[
    tag as string
  ];
  throw notSupported(feature ?? 'this kind of FROM item');
}

const JOINS: Readonly<Record<string, 'inner' | 'left' | 'right' | 'full'>> = {
  JOIN_INNER: 'inner',
  JOIN_LEFT: 'left',
  JOIN_RIGHT: 'right',
  JOIN_FULL: 'full',
};

function mapJoin(context: MapContext, body: pg.JoinExpr): FromItem {
  const left = mapFromItem(context, body.larg as pg.Node);
  const right = mapFromItem(context, body.rarg as pg.Node);
  const natural = body.isNatural ?? false;
  const bare = !natural && body.quals === undefined && body.usingClause === undefined;
  return {
    kind: 'join',
    at: left.at,
    join: bare ? 'cross' : (JOINS[body.jointype ?? ''] ?? 'inner'),
    natural,
    left,
    right,
    on: mapOptionalExpr(context, body.quals),
    using: body.usingClause === undefined ? null : strings(body.usingClause),
    usingAlias: body.join_using_alias?.aliasname ?? null,
    alias: mapAlias(body.alias),
  };
}

function mapRangeFunction(context: MapContext, body: pg.RangeFunction): FromItem {
  const entries = (body.functions ?? []).map((node) => as(node, 'List')?.items ?? []);
  const parts = entries.flatMap(([call, own]) => {
    const definitions = mapColumnTypes(context, as(own, 'List')?.items ?? []);
    return unnested(mapTableCall(context, call)).map((part) => ({ call: part, definitions }));
  });
  const outer = mapColumnTypes(context, body.coldeflist ?? []);
  const [first] = outer;
  if (first) checkDefinitions(body, parts.length, first.at);
  return {
    kind: 'function',
    at: parts[0]?.call.at ?? 0,
    calls: parts.map(({ call }) => call),
    alias: mapAlias(body.alias),
    definitions: parts.map(({ definitions }) => (first ? outer : definitions)),
    ordinality: body.ordinality ?? false,
    lateral: body.lateral ?? false,
  };
}

/** `unnest(a, b)` is short for `ROWS FROM (unnest(a), unnest(b))`. */
function unnested(call: FunctionCall & Located): readonly (FunctionCall & Located)[] {
  const isMany = call.name === 'unnest' && call.args.length > 1 && !call.variadic && !call.distinct;
  return isMany ? call.args.map((arg) => ({ ...call, args: [arg] })) : [call];
}

function mapColumnTypes(context: MapContext, nodes: readonly pg.Node[]): readonly ColumnType[] {
  return nodes.map((node) => {
    const column = as(node, 'ColumnDef');
    const type = mapTypeName(context, column?.typeName);
    return { name: column?.colname ?? '', type, at: context.at(column?.location) };
  });
}

/** A list after the alias is that of one function. */
function checkDefinitions(body: pg.RangeFunction, calls: number, position: number): void {
  if (calls > 1) {
    const message = body.is_rowsfrom
      ? 'ROWS FROM() with multiple functions cannot have a column definition list'
      : 'UNNEST() with multiple arguments cannot have a column definition list';
    const hint = body.is_rowsfrom
      ? 'Put a separate column definition list for each function inside ROWS FROM().'
      : 'Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.';
    throw new SqlError('syntax_error', message, { hint, position });
  }
  if (body.ordinality) {
    throw new SqlError('syntax_error', 'WITH ORDINALITY cannot be used with a column definition list', {
      hint: 'Put the column definition list inside ROWS FROM().',
      position,
    });
  }
}

/** `FROM f(…)`, but also `FROM current_date`. */
function mapTableCall(context: MapContext, node: pg.Node | undefined) {
  const call = as(node, 'FuncCall');
  if (call !== null) return mapFunctionCall(context, call);
  const expr = mapExpr(context, node);
  if (expr.kind === 'special') {
    return mapFunctionCall(context, { funcname: [{ String: { sval: expr.name } }], location: expr.at - 1 });
  }
  if (expr.kind === 'coalesce' || expr.kind === 'greatest' || expr.kind === 'least') {
    const args = expr.args.map((value) => ({ name: null, value }));
    return {
      ...mapFunctionCall(context, { funcname: [{ String: { sval: expr.kind } }] }),
      at: expr.at,
      args,
    };
  }
  throw notSupported('an expression that is not a function call in FROM', { position: expr.at });
}
