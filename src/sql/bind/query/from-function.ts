/** Functions in FROM: set-returning ones as FunctionScan, scalar ones as one row, ROWS FROM as a join. */
import { present } from '../../../assert.ts';
import { outputArguments } from '../../../catalog/functions.ts';
import type { SqlFunction } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { ColumnType, FromItem } from '../../ast.ts';
import { BIGINT, type DraftColumn, type Expression, type Plan, project, reference, sort } from '../draft.ts';
import { bindFunction } from '../expression/functions.ts';
import {
  bindArguments,
  type Call,
  declaredArguments,
  resolveCall,
  withoutVoid,
} from '../expression/arguments.ts';
import { join, namedItem } from './from-item.ts';
import type { SqlCall } from '../expression/function-body.ts';
import { typeOf } from '../names.ts';
import { compare } from '../expression/operators.ts';
import { bindFacets, isFacets } from '../ranking/facets.ts';
import { bindHybrid, isHybrid } from '../ranking/hybrid.ts';
import { isRanking } from '../ranking/call.ts';
import type { FromResult, Level } from '../level.ts';
import { missingDefinitions, shapedCall } from './shaped-call.ts';
import { sqlCall, sqlFunctionRows } from '../expression/sql-function.ts';
import { isInAName } from '../../../functions/registry.ts';
import { refuseInDefiner } from '../rights.ts';
import { newId } from '../state.ts';
import { windowNodes } from '../expression/window.ts';

type FunctionItem = Extract<FromItem, { kind: 'function' }>;

/** One call of a FROM item. */
interface TableCall {
  readonly call: Call;
  readonly definitions: readonly ColumnType[];
  readonly ordinality: boolean;
  readonly at: number;
  /** Name of a single column without a name of its own. */
  readonly name: string;
}

export function bindFunctionItem(level: Level, item: FunctionItem): FromResult {
  const { calls, definitions, ordinality, at } = item;
  const isOne = calls.length === 1;
  const [first] = calls;
  if (isOne && first && isHybrid(first)) return bindHybrid(level, first, item);
  if (isOne && first && isFacets(first)) return bindFacets(level, first, item);
  const bound = calls.map((call, i) => {
    const name = isOne && item.alias ? item.alias.name : call.name;
    const own = definitions[i] ?? [];
    return callPlan(level, { call, definitions: own, ordinality: ordinality || !isOne, at, name });
  });
  const alias = { name: item.alias?.name ?? calls[0]?.name ?? '', columns: item.alias?.columns ?? [] };
  const plans = bound.map(({ plan }) => plan);
  const plan = isOne ? present(plans[0], 'call') : rowsFrom(level, plans, ordinality);
  const result = namedItem(level, plan, alias);
  const scalar = isOne && !ordinality && bound[0]?.scalar === true;
  return scalar ? { ...result, items: result.items.map((entry) => ({ ...entry, scalar })) } : result;
}

interface CallPlan {
  readonly plan: Plan;
  /** It gives single values, not rows of a type. */
  readonly scalar: boolean;
}

function callPlan(level: Level, item: TableCall): CallPlan {
  const call = withoutVoid(level, item.call);
  if (isRanking(call.name)) {
    throw new SqlError('wrong_object_type', `${call.name} cannot be called in FROM`, { position: call.at });
  }
  const args = bindArguments(level, call.args);
  const resolution = resolveCall(level, call, args);
  let { name } = item;
  if (!('cast' in resolution) && resolution.kind === 'sql') {
    const given = declaredArguments(level, resolution, args, call.at);
    const bound = sqlCall(level.state, resolution, given, call.at);
    const scalar = bound.columns?.length === 1 && bound.definition.returnsRelation === 0;
    if (givesRows(bound)) return { plan: sqlPlan(level, item, bound), scalar };
    name = scalarName(bound.definition, name);
  }
  if ('cast' in resolution || resolution.kind === 'scalar' || resolution.kind === 'sql') {
    return { plan: scalarPlan(level, { ...item, call, name }), scalar: true };
  }
  if (resolution.kind !== 'set') {
    const what = resolution.kind === 'aggregate' ? 'aggregate' : 'window';
    throw new SqlError('grouping_error', `${what} functions are not allowed in functions in FROM`, {
      position: call.at,
    });
  }
  const { id } = resolution;
  refuseInDefiner(level.state, id, isInAName(id));
  const declared = declaredArguments(level, resolution, args, call.at);
  const defined = definedColumns(level, item);
  const shaped = shapedCall(level.state, { id, name: call.name, args: declared, at: item.at }, defined);
  const columns = shaped?.fields ?? setColumns(item, resolution);
  const plan: Plan = {
    kind: 'function',
    function: id,
    args: shaped?.args ?? declared,
    ordinality: item.ordinality,
    output: outputColumns(level, item, columns),
  };
  return { plan, scalar: shaped === undefined && columns.length === 1 };
}

function scalarPlan(level: Level, item: TableCall): Plan {
  const value = bindFunction(level, item.call);
  const columns = [{ name: item.name, type: value.type }];
  refuseDefinitions(item, columns);
  const ordinal = item.ordinality ? [{ kind: 'literal', value: 1n, type: BIGINT } as const] : [];
  return { kind: 'values', rows: [[value, ...ordinal]], output: outputColumns(level, item, columns) };
}

interface NamedType {
  readonly name: string;
  readonly type: TypeRef;
}

const definedColumns = (level: Level, { definitions }: TableCall): readonly NamedType[] =>
  definitions.map(({ name, type }) => ({ name, type: typeOf(level.state.context, type) }));

/** A single unnamed column takes the alias as its name. */
function setColumns(
  item: TableCall,
  resolution: { readonly returns: TypeRef; readonly setColumns?: readonly NamedType[] | undefined },
): readonly NamedType[] {
  const { setColumns: own, returns } = resolution;
  const columns = own && own.length > 0 ? own : [{ name: item.name, type: returns }];
  refuseDefinitions(item, columns);
  return columns;
}

/** @throws SqlError 42601 for a column definition list where the function's own columns are known. */
function refuseDefinitions({ definitions: [first] }: TableCall, columns: readonly unknown[]): void {
  if (!first) return;
  const message =
    columns.length > 1
      ? 'a column definition list is redundant for a function with OUT parameters'
      : 'a column definition list is only allowed for functions returning "record"';
  throw new SqlError('syntax_error', message, { position: first.at });
}

function outputColumns(level: Level, item: TableCall, columns: readonly NamedType[]): readonly DraftColumn[] {
  const all = item.ordinality ? [...columns, { name: 'ordinality', type: BIGINT }] : columns;
  return all.map(({ name, type }) => ({ id: newId(level.state), name, type, relation: 0, attribute: 0 }));
}

/** Several rows, or one of several columns. */
const givesRows = ({ definition, columns }: SqlCall): boolean =>
  definition.set || columns === null || columns.length > 1;

function sqlPlan(level: Level, item: TableCall, call: SqlCall): Plan {
  if (call.columns === null && item.definitions.length === 0) throw missingDefinitions(item.at);
  if (call.columns !== null) refuseDefinitions(item, call.columns);
  const columns = call.columns ?? definedColumns(level, item);
  const name = scalarName(call.definition, item.name);
  const named = call.columns?.length === 1 ? columns.map(({ type }) => ({ name, type })) : columns;
  const plan = sqlFunctionRows(level, { ...call, columns: named });
  return item.ordinality ? withOrdinality(level, plan) : plan;
}

/** A single column is called as its OUT argument is, else as the function stands in FROM. */
function scalarName(definition: SqlFunction, fallback: string): string {
  return outputArguments(definition)[0]?.name ?? fallback;
}

/** One more column that counts the rows. */
function withOrdinality(level: Level, plan: Plan): Plan {
  const counted = windowNodes(plan, [
    {
      id: newId(level.state),
      function: 'row_number()',
      args: [],
      filter: null,
      partition: [],
      order: [],
      frame: {
        mode: 'range',
        start: { kind: 'unbounded preceding' },
        end: { kind: 'current row' },
        exclude: 'no others',
      },
      type: BIGINT,
    },
  ]);
  const output = counted.output.map((column, i) => {
    return i < plan.output.length ? column : { ...column, name: 'ordinality' };
  });
  return { ...counted, output };
}

/**
 * ROWS FROM: the rows of several calls side by side, the shorter ones filled with NULLs: a full join on the
 * rows' numbers, which are each plan's last column.
 */
function rowsFrom(level: Level, plans: readonly Plan[], ordinality: boolean): Plan {
  const joined = plans.reduce((left, right) => sideBySide(level, left, right));
  const columns = joined.output;
  const expression = rowNumber(joined);
  const sorted = sort(joined, [{ expression, descending: false, nullsFirst: false }]);
  const kept = ordinality ? columns : columns.slice(0, -1);
  return project(
    sorted,
    kept.map(({ id, type }) => reference(id, type)),
    kept.map((column) => ({ ...column, id: newId(level.state) })),
  );
}

const rowNumber = (plan: Plan): Expression => reference(present(plan.output.at(-1), 'ordinality').id, BIGINT);

function sideBySide(level: Level, left: Plan, right: Plan): Plan {
  const [ours, theirs] = [rowNumber(left), rowNumber(right)];
  const joined = join(
    'full',
    left,
    right,
    compare(level, { operator: '=', left: ours, right: theirs, at: 0 }),
  );
  const kept = [...left.output.slice(0, -1), ...right.output.slice(0, -1)];
  const number = { name: 'ordinality', type: BIGINT, relation: 0, attribute: 0 };
  const values = kept.map(({ id, type }): Expression => reference(id, type));
  const output = [...kept, number].map((column) => ({ ...column, id: newId(level.state) }));
  return project(joined, [...values, { kind: 'coalesce', args: [ours, theirs], type: BIGINT }], output);
}
