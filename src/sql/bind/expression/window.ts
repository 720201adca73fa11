/** Window functions: OVER with its named windows and frames, as columns of Window nodes. */
import { SqlError } from '../../../errors.ts';
import type { Resolution } from '../../../functions/resolve.ts';
import type { FrameBound, WindowFrame } from '../../../plan/plan.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { FrameBound as FrameBoundSyntax, WindowDefinition } from '../../ast.ts';
import { bindFilter, refuseSets } from './aggregate.ts';
import { coerce, settleUnknown } from './coerce.ts';
import {
  type Draft,
  type DraftColumn,
  type Expression,
  type Plan,
  reference,
  sameExpression,
  type SortKey,
} from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindExpression } from '../context.ts';
import type { Call } from './arguments.ts';
import { bindSortKeys } from '../query/order.ts';
import { inClause, type Level, type PendingWindow } from '../level.ts';
import { refuseVariables } from '../scope-errors.ts';
import { newId, typeOnly } from '../state.ts';

const DEFAULT_FRAME: WindowFrame<Draft> = {
  mode: 'range',
  start: { kind: 'unbounded preceding' },
  end: { kind: 'current row' },
  exclude: 'no others',
};

export function bindWindow(
  level: Level,
  call: Call,
  bound: { readonly resolution: Resolution; readonly args: readonly Expression[] },
): Expression {
  const { resolution, args } = bound;
  const position = call.at;
  if (level.clause !== 'SELECT' && level.clause !== 'ORDER BY') {
    const message = `window functions are not allowed in ${level.clause}`;
    throw new SqlError('windowing_error', message, { position });
  }
  if (resolution.kind !== 'window' && resolution.kind !== 'aggregate') {
    const message = `OVER specified, but ${call.name} is not a window function nor an aggregate function`;
    throw new SqlError('wrong_object_type', message, { position });
  }
  refuseModifiers(call, resolution.kind);
  const over = call.over ?? emptyDefinition();
  const definition = fullDefinition(level, over, over.at || position);
  const { partition, order } = bindDefinition(level, definition);
  refuseSets(level, args, 'window');
  const window: PendingWindow = {
    id: newId(level.state),
    function: resolution.id,
    args,
    filter: bindFilter(level, call),
    partition,
    order,
    frame: bindFrame(level, definition, order, over.at || position),
    type: resolution.returns,
  };
  level.windows.push(window);
  return reference(window.id, resolution.returns, position);
}

/** @throws SqlError 0A000 for what a window knows no meaning of. */
function refuseModifiers(call: Call, kind: 'window' | 'aggregate'): void {
  const unknown: readonly (readonly [boolean, string])[] = [
    [call.distinct, 'DISTINCT is not implemented for window functions'],
    [call.withinGroup, `OVER is not supported for ordered-set aggregate ${call.name}`],
    [call.order.length > 0, 'aggregate ORDER BY is not implemented for window functions'],
    [
      kind === 'window' && call.filter !== null,
      'FILTER is not implemented for non-aggregate window functions',
    ],
  ];
  const found = unknown.find(([isAsked]) => isAsked);
  if (found) throw new SqlError('feature_not_supported', found[1], { position: call.at || undefined });
}

/** Other window functions have no place in a definition. */
function bindDefinition(
  level: Level,
  definition: WindowDefinition,
): { partition: readonly Expression[]; order: readonly SortKey[] } {
  const { clause } = level;
  level.clause = 'window definitions';
  const partition = definition.partition.map((key) => {
    const bound = settleUnknown(level.state, bindExpression(level, key));
    checkEquality(level.state, bound, key.at);
    return bound;
  });
  const order = bindSortKeys(level, definition.order);
  level.clause = clause;
  return { partition, order };
}

function emptyDefinition(): WindowDefinition {
  return { at: 0, name: null, partition: [], order: [], frame: null };
}

/** A definition with what it takes from the window it names. @throws SqlError 42704, 42P20. */
function fullDefinition(level: Level, definition: WindowDefinition, position: number): WindowDefinition {
  if (definition.name === null) return definition;
  const named = level.windowNames.get(definition.name);
  if (!named) {
    const message = `window "${definition.name}" does not exist`;
    throw new SqlError('undefined_object', message, { position });
  }
  const base = fullDefinition(level, named, position);
  if (definition.partition.length > 0) {
    const message = `cannot override PARTITION BY clause of window "${definition.name}"`;
    throw new SqlError('windowing_error', message, { position });
  }
  if (definition.order.length > 0 && base.order.length > 0) {
    const message = `cannot override ORDER BY clause of window "${definition.name}"`;
    throw new SqlError('windowing_error', message, { position });
  }
  return {
    at: definition.at,
    name: null,
    partition: base.partition,
    order: definition.order.length > 0 ? definition.order : base.order,
    frame: definition.frame ?? base.frame,
  };
}

function bindFrame(
  level: Level,
  definition: WindowDefinition,
  order: readonly SortKey[],
  position: number,
): WindowFrame<Draft> {
  const { frame } = definition;
  if (!frame) return DEFAULT_FRAME;
  const offsets = 'offset' in frame.start || 'offset' in frame.end;
  if (frame.mode === 'range' && offsets && order.length !== 1) {
    const message = 'RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column';
    throw new SqlError('windowing_error', message, { position });
  }
  if (frame.mode === 'groups' && order.length === 0) {
    throw new SqlError('windowing_error', 'GROUPS mode requires an ORDER BY clause', { position });
  }
  const type = frame.mode === 'range' ? rangeOffsetType(order[0]) : OID.int8;
  return {
    mode: frame.mode,
    start: bindBound(level, frame.start, { mode: frame.mode, type }),
    end: bindBound(level, frame.end, { mode: frame.mode, type }),
    exclude: frame.exclude,
  };
}

/** Times move by intervals, numbers by numbers of their own type. */
function rangeOffsetType(key: SortKey | undefined): number {
  const oid = key?.expression.type.oid ?? OID.int8;
  return findTypeByOid(oid)?.category === 'D' ? OID.interval : oid;
}

const OFFSET_CLAUSES = { rows: 'window ROWS', range: 'window RANGE', groups: 'window GROUPS' } as const;

/** @throws SqlError 42P10 for an offset that would change from row to row, 42803, 42804. */
function bindBound(
  level: Level,
  bound: FrameBoundSyntax,
  { mode, type }: { readonly mode: keyof typeof OFFSET_CLAUSES; readonly type: number },
): FrameBound<Draft> {
  if (!('offset' in bound)) return bound;
  const given = inClause(level, OFFSET_CLAUSES[mode], () => bindExpression(level, bound.offset));
  refuseVariables(level, given, mode.toUpperCase());
  const offset = coerce(level.state, given, { type: typeOnly(type), context: 'assignment' });
  return { kind: bound.kind, offset };
}

/** One Window node for all calls of the same partition, order and frame-independent sort. */
export function windowNodes(input: Plan, windows: readonly PendingWindow[]): Plan {
  const rest = [...windows];
  let plan = input;
  while (rest.length > 0) {
    const [first] = rest;
    if (!first) break;
    const same = rest.filter((window) => {
      return sameExpression(window.partition, first.partition) && sameExpression(window.order, first.order);
    });
    for (const window of same) rest.splice(rest.indexOf(window), 1);
    const columns = same.map((window): DraftColumn => {
      return { id: window.id, name: window.function, type: window.type, relation: 0, attribute: 0 };
    });
    plan = {
      kind: 'window',
      input: plan,
      partition: first.partition,
      order: first.order,
      calls: same.map(({ function: name, args, filter, frame, type }) => ({
        function: name,
        args,
        filter,
        frame,
        type,
      })),
      output: [...plan.output, ...columns],
    };
  }
  return plan;
}
