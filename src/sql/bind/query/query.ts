/** Queries of every form, with their WITH, and what INSERT, UNION and subqueries need of a bound one. */
import { unreachable } from '../../../assert.ts';
import type { Expression } from '../../../plan/expression.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Query } from '../../ast.ts';
import { isUnknown, settleUnknown } from '../expression/coerce.ts';
import { type DraftColumn, draftColumns, mentions, project, reference } from '../draft.ts';
import type { Level, RowLock, ScopeItem } from '../scope.ts';
import { refuseLocking } from './locking.ts';
import { bindSelect } from './select.ts';
import { bindSetQuery } from './set.ts';
import { newId, type State } from '../state.ts';
import { bindValues } from './values.ts';
import { bindWith, type CommonTables } from './with.ts';

/** Where a query stands: what its expressions see outside of it. */
export interface QueryScope {
  readonly state: State;
  readonly parent: Level | null;
  readonly commonTables: CommonTables | null;
  /** FROM entries beside it that only LATERAL would show. */
  readonly hidden?: readonly ScopeItem[];
  /** How FOR UPDATE around the query locks its rows. */
  readonly lock?: RowLock | null;
}

export interface QueryResult {
  readonly plan: Plan;
  readonly columns: readonly DraftColumn[];
}

export interface QueryOptions {
  /** Leaves unknown literals and parameters of the select list for the caller to type. */
  readonly keepUnknown?: boolean;
}

export function bindQuery(scope: QueryScope, query: Query, options: QueryOptions = {}): QueryResult {
  const prepared = bindWith(scope, query.with);
  if (query.kind !== 'select') refuseLocking(query, scope.lock ?? null);
  const body = bindBody(prepared.scope, query, options);
  markRanking(scope.state, body);
  const plan = prepared.wrap(body);
  return { plan, columns: draftColumns(plan) };
}

/** A column that a ranking goes into is one for the queries around it, too. */
function markRanking(state: State, plan: Plan): void {
  let named = plan;
  while (named.kind === 'sort' || named.kind === 'limit' || named.kind === 'distinct') named = named.input;
  if (named.kind !== 'project') return;
  for (const [i, { id }] of draftColumns(named).entries()) {
    if (mentions(named.expressions[i], state.ranking)) state.ranking.add(id);
  }
}

function bindBody(scope: QueryScope, query: Query, options: QueryOptions): Plan {
  switch (query.kind) {
    case 'select':
      return bindSelect(scope, query, options);
    case 'set':
      return bindSetQuery(scope, query);
    case 'values':
      return bindValues(scope, query);
    default:
      return unreachable(query);
  }
}

/**
 * The query with each column put through `convert`: in its own projection where it ends in one (so that an
 * unknown literal is still a literal), else in one on top.
 */
export function convertColumns(
  state: State,
  plan: Plan,
  convert: (expression: Expression, position: number) => Expression,
): Plan {
  const columns = draftColumns(plan);
  if (plan.kind === 'project' && plan.sets.length === 0) {
    return projectAs(state, plan.input, plan.expressions.map(convert), columns);
  }
  const converted = columns.map((column, i) => convert(reference(column.id, column.type), i));
  const changed = converted.some((expression, i) => {
    return expression.kind !== 'column' || expression.index !== columns[i]?.id;
  });
  return changed ? projectAs(state, plan, converted, columns) : plan;
}

function projectAs(
  state: State,
  input: Plan,
  expressions: readonly Expression[],
  columns: readonly DraftColumn[],
): Plan {
  const output = columns.map((column, i): DraftColumn => {
    return { ...column, id: newId(state), type: expressions[i]?.type ?? column.type };
  });
  return project(input, expressions, output);
}

/** Unknown columns as text. */
export function settleColumns(state: State, plan: Plan): Plan {
  if (!draftColumns(plan).some((column) => isUnknown(reference(column.id, column.type)))) return plan;
  return convertColumns(state, plan, (expression) => settleUnknown(state, expression));
}
