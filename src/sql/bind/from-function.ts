/** Functions in FROM: set-returning ones as FunctionScan, scalar ones as one row. */
import { outputArguments, type SqlFunction } from '../../catalog/functions.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Alias, FromItem } from '../ast.ts';
import { BIGINT, type DraftColumn, draftColumns } from './draft.ts';
import { bindArguments, bindFunction, declaredArguments, resolveCall, withoutVoid } from './functions.ts';
import { type FromResult, namedItem } from './from.ts';
import type { SqlCall } from './function-body.ts';
import { typeOf } from './names.ts';
import { isRanking } from './ranking.ts';
import type { Level } from './scope.ts';
import { sqlCall, sqlFunctionRows } from './sql-function.ts';
import { newId } from './state.ts';
import { windowNodes } from './window.ts';

type FunctionItem = Extract<FromItem, { kind: 'function' }>;

export function bindFunctionItem(level: Level, item: FunctionItem): FromResult {
  const [written] = item.calls;
  if (!written || item.calls.length > 1)
    throw notSupported('ROWS FROM with several functions', { position: item.at });
  const call = withoutVoid(level, written);
  if (isRanking(call.name)) {
    throw new SqlError('wrong_object_type', `${call.name} cannot be called in FROM`, { position: call.at });
  }
  const args = bindArguments(level, call.args);
  const resolution = resolveCall(level, call, args);
  const fallback = item.alias?.name ?? call.name;
  const alias = { name: fallback, columns: item.alias?.columns ?? [] };
  let name = fallback;
  if (!('cast' in resolution) && resolution.kind === 'sql') {
    const given = declaredArguments(level, resolution, args, call.at);
    const bound = sqlCall(level.state, resolution, given, call.at);
    if (givesRows(bound)) return bindSqlItem(level, item, { call: bound, alias });
    name = scalarName(bound.definition, fallback);
  }
  if ('cast' in resolution || resolution.kind === 'scalar' || resolution.kind === 'sql') {
    const value = bindFunction(level, call);
    const columns = [{ name, type: value.type }];
    const output = outputColumns(level, item, columns);
    const ordinal = item.ordinality ? [{ kind: 'literal', value: 1n, type: BIGINT } as const] : [];
    return namedItem(level, { kind: 'values', rows: [[value, ...ordinal]], output }, alias);
  }
  if (resolution.kind !== 'set') {
    const what = resolution.kind === 'aggregate' ? 'aggregate' : 'window';
    throw new SqlError('grouping_error', `${what} functions are not allowed in functions in FROM`, {
      position: call.at,
    });
  }
  const bound = declaredArguments(level, resolution, args, call.at);
  const columns = setColumns(level, item, resolution, fallback);
  const plan: Plan = {
    kind: 'function',
    function: resolution.id,
    args: bound,
    ordinality: item.ordinality,
    output: outputColumns(level, item, columns),
  };
  return namedItem(level, plan, alias);
}

interface NamedType {
  readonly name: string;
  readonly type: TypeRef;
}

/** A single unnamed column takes the alias as its name. */
function setColumns(
  level: Level,
  item: FunctionItem,
  resolution: { readonly returns: TypeRef; readonly setColumns?: readonly NamedType[] | undefined },
  name: string,
): readonly NamedType[] {
  if (item.definitions.length > 0) {
    return item.definitions.map((definition) => ({
      name: definition.name,
      type: typeOf(level.state.context, definition.type),
    }));
  }
  if (resolution.setColumns && resolution.setColumns.length > 0) return resolution.setColumns;
  if (resolution.returns.oid === OID.record) {
    throw missingDefinitions(item.at);
  }
  return [{ name, type: resolution.returns }];
}

const missingDefinitions = (position: number): SqlError =>
  new SqlError('syntax_error', 'a column definition list is required for functions returning "record"', {
    position,
  });

function outputColumns(
  level: Level,
  item: FunctionItem,
  columns: readonly NamedType[],
): readonly DraftColumn[] {
  const all = item.ordinality ? [...columns, { name: 'ordinality', type: BIGINT }] : columns;
  return all.map(({ name, type }) => ({ id: newId(level.state), name, type, relation: 0, attribute: 0 }));
}

/** Several rows, or one of several columns. */
const givesRows = ({ definition, columns }: SqlCall): boolean =>
  definition.set || columns === null || columns.length > 1;

function bindSqlItem(
  level: Level,
  item: FunctionItem,
  { call, alias }: { readonly call: SqlCall; readonly alias: Alias },
): FromResult {
  const { definitions } = item;
  if (call.columns === null && definitions.length === 0) throw missingDefinitions(item.at);
  if (call.columns !== null && definitions.length > 0) {
    const message =
      call.columns.length > 1
        ? 'a column definition list is redundant for a function with OUT parameters'
        : 'a column definition list is only allowed for functions returning "record"';
    throw new SqlError('syntax_error', message, { position: item.at });
  }
  const columns =
    call.columns ?? definitions.map(({ name, type }) => ({ name, type: typeOf(level.state.context, type) }));
  const name = scalarName(call.definition, alias.name);
  const named = call.columns?.length === 1 ? columns.map(({ type }) => ({ name, type })) : columns;
  const plan = sqlFunctionRows(level, { ...call, columns: named });
  return namedItem(level, item.ordinality ? withOrdinality(level, plan) : plan, alias);
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
  const output = draftColumns(counted).map((column, i) => {
    return i < plan.output.length ? column : { ...column, name: 'ordinality' };
  });
  return { ...counted, output };
}
