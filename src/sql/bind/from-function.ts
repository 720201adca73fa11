/** Functions in FROM: set-returning ones as FunctionScan, scalar ones as one row. */
import { notSupported, SqlError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import type { FromItem } from '../ast.ts';
import { BIGINT, type DraftColumn } from './draft.ts';
import { bindArguments, declaredArguments, resolveCall } from './functions.ts';
import { bindFunction } from './functions.ts';
import { type FromResult, namedItem } from './from.ts';
import { typeOf } from './names.ts';
import { isRanking } from './ranking.ts';
import type { Level } from './scope.ts';
import { newId } from './state.ts';

type FunctionItem = Extract<FromItem, { kind: 'function' }>;

export function bindFunctionItem(level: Level, item: FunctionItem): FromResult {
  const [call] = item.calls;
  if (!call || item.calls.length > 1)
    throw notSupported('ROWS FROM with several functions', { position: item.at });
  if (isRanking(call.name)) {
    throw new SqlError('wrong_object_type', `${call.name} cannot be called in FROM`, { position: call.at });
  }
  const args = bindArguments(level, call.args);
  const resolution = resolveCall(level, call, args);
  const fallback = item.alias?.name ?? call.name;
  const alias = { name: fallback, columns: item.alias?.columns ?? [] };
  if ('cast' in resolution || resolution.kind === 'scalar') {
    const value = bindFunction(level, call);
    const columns = [{ name: fallback, type: value.type }];
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
    throw new SqlError(
      'syntax_error',
      'a column definition list is required for functions returning "record"',
      {
        position: item.at,
      },
    );
  }
  return [{ name, type: resolution.returns }];
}

function outputColumns(
  level: Level,
  item: FunctionItem,
  columns: readonly NamedType[],
): readonly DraftColumn[] {
  const all = item.ordinality ? [...columns, { name: 'ordinality', type: BIGINT }] : columns;
  return all.map(({ name, type }) => ({ id: newId(level.state), name, type, relation: 0, attribute: 0 }));
}
