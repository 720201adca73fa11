/** Queries of every form, with their WITH, and what INSERT, UNION and subqueries need of a bound one. */
import { unreachable } from '../../../assert.ts';
import type { Query } from '../../ast.ts';
import { mentions, type Plan } from '../draft.ts';
import { refuseLocking } from './locking.ts';
import { bindSelect } from './select.ts';
import { bindSetQuery } from './set.ts';
import type { State } from '../state.ts';
import { bindValues } from './values.ts';
import { bindWith } from './with.ts';
import type { QueryOptions, QueryResult, QueryScope } from '../context.ts';

export function bindAnyQuery(scope: QueryScope, query: Query, options: QueryOptions): QueryResult {
  const prepared = bindWith(scope, query.with);
  if (query.kind !== 'select') refuseLocking(query, scope.lock ?? null);
  const body = bindBody(prepared.scope, query, options);
  markRanking(scope.state, body);
  const plan = prepared.wrap(body);
  return { plan, columns: plan.output };
}

/** A column that a ranking goes into is one for the queries around it, too. */
function markRanking(state: State, plan: Plan): void {
  let named = plan;
  while (named.kind === 'sort' || named.kind === 'limit' || named.kind === 'distinct') named = named.input;
  if (named.kind !== 'project') return;
  for (const [i, { id }] of named.output.entries()) {
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
