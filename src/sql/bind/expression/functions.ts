/**
 * Function calls: which kind of function a name is (ranking, scalar, aggregate, window, set-returning), its
 * arguments in declared order with defaults and variadic ones collected. Follows PostgreSQL's parse_func.c.
 */
import { unreachable } from '../../../assert.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import { isInAName, setFunctionById } from '../../../functions/registry.ts';
import { resolveByClass } from './mixed.ts';
import type { Resolution } from '../../../functions/resolve.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { bindAggregate } from './aggregate.ts';
import { coerce } from './coerce.ts';
import { type Expression, reference, sameExpression } from '../draft.ts';
import { bindExpression } from '../context.ts';
import { bindPassage, isPassage } from '../ranking/passages.ts';
import { isRanking } from '../ranking/call.ts';
import { bindRanking } from '../ranking/ranking.ts';
import { recordOf } from './record.ts';
import type { Level, PendingSet } from '../level.ts';
import { shapedCall } from '../query/shaped-call.ts';
import { bindSqlFunction, sqlCall } from './sql-function.ts';
import { askedOfDefiner, definerName } from './asked-of.ts';
import { refuseInDefiner } from '../rights.ts';
import { newId, typeOnly } from '../state.ts';
import { isVolatile } from '../../../plan/volatile.ts';
import { bindWindow } from './window.ts';
import { bindArguments, type Call, declaredArguments, scalarCall, withoutVoid } from './arguments.ts';

export function bindFunction(level: Level, written: Call): Expression {
  const call = withoutVoid(level, written);
  if (call.schema === null || call.schema === 'quern') {
    if (isRanking(call.name)) return bindRanking(level, call);
    if (isPassage(call.name)) return bindPassage(level, call);
  }
  const given = askedOfDefiner(level.state, call.name, bindArguments(level, call.args));
  if (call.withinGroup) given.push(...call.order.map((item) => bindExpression(level, item.value)));
  const { resolution, args } = resolveByClass(level, call, given);
  if ('cast' in resolution) {
    const [input] = args;
    if (input)
      return coerce(level.state, input, {
        type: typeOnly(resolution.cast),
        context: 'explicit',
        at: call.at,
      });
    throw notSupported('a cast without an argument', { position: call.at });
  }
  const definer = definerName(level.state, resolution.id);
  if (definer !== null) return definer;
  refuseInDefiner(level.state, resolution.id, isInAName(resolution.id));
  const bound = declaredArguments(level, resolution, args, call.at);
  if (resolution.kind === 'sql') return bindSqlCall(level, call, { resolution, args: bound });
  if (call.over) return bindWindow(level, call, { resolution, args: bound });
  switch (resolution.kind) {
    case 'scalar':
      rejectAggregateSyntax(call);
      if (resolution.id.startsWith(SORT_KEY)) return sortKeyOf(bound[0] as Expression, call.at);
      return scalarCall(resolution.id, bound, resolution.returns, call.at);
    case 'aggregate':
      return bindAggregate(level, call, { resolution, args: bound });
    case 'window':
      throw new SqlError('wrong_object_type', `window function ${call.name} requires an OVER clause`, {
        position: call.at,
      });
    case 'set':
      return bindSet(level, call, { resolution, args: bound });
    default:
      return unreachable(resolution.kind);
  }
}

const SORT_KEY = 'quern.sort_key(';

/** The value itself, so that an index that gives the order still does. @throws SqlError 22023. */
function sortKeyOf(key: Expression, position: number): Expression {
  const type = findTypeByOid(key.type.oid);
  if (/^[NSD]$/.test(type?.category ?? '') || key.type.oid === OID.jsonb) return key;
  throw new SqlError(
    'invalid_parameter_value',
    `a sort key is a number or a text, not ${type?.displayName}`,
    {
      position,
    },
  );
}

function bindSqlCall(
  level: Level,
  call: Call,
  { resolution, args }: { readonly resolution: Resolution; readonly args: readonly Expression[] },
): Expression {
  rejectAggregateSyntax(call);
  if (call.over) {
    const message = `OVER specified, but ${call.name} is not a window function nor an aggregate function`;
    throw new SqlError('wrong_object_type', message, { position: call.at });
  }
  const bound = sqlCall(level.state, resolution, args, call.at);
  if (bound.definition.set) checkSetPlace(level, call);
  return bindSqlFunction(level, bound);
}

function rejectAggregateSyntax(call: Call): void {
  const wrong = (text: string): SqlError => {
    return new SqlError('wrong_object_type', `${text}, but ${call.name} is not an aggregate function`, {
      position: call.at,
    });
  };
  if (call.star) throw wrong(`${call.name}(*) specified`);
  if (call.distinct) throw wrong('DISTINCT specified');
  if (call.withinGroup) throw wrong('WITHIN GROUP specified');
  if (call.order.length > 0) throw wrong('ORDER BY specified');
  if (call.filter) throw wrong('FILTER specified');
}

/** A set-returning function in the select list: a column that a projection below multiplies rows for. */
function bindSet(
  level: Level,
  call: Call,
  bound: { readonly resolution: Resolution; readonly args: readonly Expression[] },
): Expression {
  checkSetPlace(level, call);
  const { resolution } = bound;
  const id = newId(level.state);
  const called = { id: resolution.id, name: call.name, args: bound.args, at: call.at };
  const shaped = shapedCall(level.state, called, []);
  const setColumns = shaped?.fields ?? resolution.setColumns;
  const args = shaped?.args ?? bound.args;
  const fields = setColumns && resolution.returns.oid === OID.record ? setColumns : null;
  const type = fields ? recordOf(level.state, fields) : resolution.returns;
  const set = { function: resolution.id, args, type, fields, name: call.name };
  const known = sameSet(level, set);
  if (!known) level.sets.push({ id, ...set });
  return reference(known?.id ?? id, type, call.at);
}

/** The same call elsewhere in the list, in GROUP BY, ORDER BY or DISTINCT ON: one column for both. */
function sameSet(level: Level, set: Omit<PendingSet, 'id'>): PendingSet | undefined {
  if (setFunctionById(set.function).volatility === 'volatile' || set.args.some(isVolatile)) return undefined;
  return level.sets.find(({ id: _, ...other }) => sameExpression(other, set));
}

/** @throws SqlError 0A000 where a row cannot become several. */
function checkSetPlace(level: Level, call: Call): void {
  if (level.clause === 'SELECT' || level.clause === 'ORDER BY' || level.clause === 'GROUP BY') return;
  const message = `set-returning functions are not allowed in ${level.clause}`;
  throw new SqlError('feature_not_supported', message, { position: call.at });
}
