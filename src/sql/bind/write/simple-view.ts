/** Views that can be written through: one relation, and nothing that makes of its rows fewer or more. */
import { eachPart, isCall } from '../../tree.ts';
import type { Relation } from '../../../catalog/model.ts';
import { notSupported } from '../../../errors.ts';
import { type BindContext, bindQuery } from '../context.ts';
import type { FromItem, Select } from '../../ast.ts';
import { viewQuery } from '../query/from-relation.ts';
import { findStored } from '../names.ts';
import { isRanking } from '../ranking/call.ts';
import { newState } from '../state.ts';
import { newTrace } from '../trace.ts';

type RelationItem = Extract<FromItem, { kind: 'relation' }>;

export interface SimpleView {
  readonly view: Relation;
  readonly query: Select;
  readonly from: RelationItem;
  /** Relation that it selects from. */
  readonly on: Relation;
}

/** @throws SqlError 0A000 where what a view says of a row is known to a search only. */
export function refuseRanking(node: unknown, { name }: Relation): void {
  if (ranks(node)) throw notSupported(`a row that is written through view "${name}", which ranks,`);
}

function ranks(tree: unknown): boolean {
  let found = false;
  eachPart(tree, (part) => {
    found ||= isCall(part) && isRanking(part.name);
  });
  return found;
}

const containing = (what: string): string => `Views containing ${what} are not automatically updatable.`;
const returning = (what: string): string =>
  `Views that return ${what} functions are not automatically updatable.`;
const NOT_SINGLE = 'Views that do not select from a single table or view are not automatically updatable.';

/**
 * @param context where the view's names are looked up.
 * @returns why not, as PostgreSQL words it, for a view that is not simple.
 */
export function simpleView(context: BindContext, view: Relation): SimpleView | string {
  const query = viewQuery(view);
  if (query.kind === 'set') return containing('UNION, INTERSECT, or EXCEPT');
  if (query.kind === 'values') return NOT_SINGLE;
  const reason = clauseInTheWay(query) ?? functionInTheWay(context, view, query);
  if (reason !== undefined) return reason;
  const [from] = query.from;
  const on = query.from.length === 1 && from?.kind === 'relation' && findStored(context, from.relation);
  const single = on && ['table', 'collection', 'view'].includes(on.kind);
  return single && from?.kind === 'relation' ? { view, query, from, on } : NOT_SINGLE;
}

function clauseInTheWay(query: Select): string | undefined {
  if (query.distinct !== 'all') return containing('DISTINCT');
  if (query.group.length > 0) return containing('GROUP BY');
  if (query.having !== null) return containing('HAVING');
  if (query.with !== null) return containing('WITH');
  return query.limit !== null || query.offset !== null ? containing('LIMIT or OFFSET') : undefined;
}

function functionInTheWay(context: BindContext, view: Relation, query: Select): string | undefined {
  const trace = newTrace();
  const state = newState({ ...context, parameterTypes: [], isDefined: true }, trace);
  state.views.push(view.oid);
  bindQuery({ state, parent: null, commonTables: null }, query);
  const level = trace.levels.get(query);
  if (level === undefined) return undefined;
  if (level.aggregates.length > 0) return returning('aggregate');
  if (level.windows.length > 0) return returning('window');
  return level.sets.length > 0 ? returning('set-returning') : undefined;
}
