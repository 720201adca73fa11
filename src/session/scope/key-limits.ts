/**
 * Refusals by the scope of a session's key, which narrows its rights: asked at the start of each plan and wherever a name is looked up
 * at run time. It holds for the server's own statements too, which may use schema `quern` besides: whoever the session
 * acts as, nothing beyond the scope is read or written for it. What cannot be decided is refused.
 */
import { namespaceName } from '../../catalog/lookup.ts';
import { type Catalog, hasRows, type Relation } from '../../catalog/model.ts';
import { NAMESPACE_OID } from '../../catalog/oids.ts';
import { isOwnedByKeys } from '../../catalog/private-relations.ts';
import { SqlError } from '../../errors.ts';
import type { Effect } from '../../functions/function.ts';
import type { Plan } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { planChildren, subqueryPlans } from '../../plan/walk.ts';
import type { Statement as Tree } from '../../sql/ast.ts';
import type { SessionKey } from '../sign-in/session-key.ts';
import { datasetsReached, type KeyScope } from '../sign-in/key-scope.ts';

/** A session, as far as its key is asked for. */
interface Holder {
  readonly key: SessionKey | null;
}

interface HolderOfCatalog extends Holder {
  catalog(): Catalog;
}

interface Planned {
  readonly bound: BoundStatement;
  readonly plan: Plan | null;
}

/** A relation, or the partition of it, that a statement reads or writes. */
interface Touched {
  readonly relation: number;
  readonly partition: string | null;
}

/** Statements of the session that a limited key may run; what they contain is asked for by itself. */
const ALLOWED: ReadonlySet<Tree['kind']> = new Set([
  'transaction',
  'set',
  'show',
  'explain',
  'prepare',
  'execute',
  'deallocate',
  'declare cursor',
  'fetch',
  'close cursor',
  'discard',
  'unlisten',
  'copy',
  'set constraints',
  'create evaluation',
  'drop evaluation',
  'evaluate',
]);

/** The scope where it limits rows; null: the key has none, or there is no key. */
export const rowLimits = ({ key }: Holder): KeyScope | null => (key === null ? null : key.rowLimits);

/** @throws SqlError 57P01 once the key is not live, 42501 for a statement that a limited key may not run. */
export function refuseStatement(session: Holder, tree: Tree, title: string): void {
  session.key?.requireLive();
  if (rowLimits(session) !== null && !ALLOWED.has(tree.kind)) throw refused(title);
}

/** @throws SqlError 42501 for what reaches other sessions, or the server. */
export function refuseBeyondRows(session: Holder, effect: Effect, what: string): void {
  if (effect === 'server' && rowLimits(session) !== null) throw refused(what);
}

/**
 * @param isServer the statement is the server's own.
 * @throws SqlError 57P01 once the key is not live; 42501 for definitions, and for what is beyond its scope.
 */
export function refuseBeyondKey(session: HolderOfCatalog, planned: Planned, isServer: boolean): void {
  if (session.key === null) return;
  session.key.requireLive();
  const scope = rowLimits(session);
  if (scope === null) return;
  const { bound } = planned;
  if (bound.kind === 'catalog') throw refused(bound.tag);
  const catalog = session.catalog();
  for (const { relation, partition } of touchedBy(planned)) {
    const found = catalog.relations.get(relation);
    if (found === undefined) throw refused('a relation that is not known');
    // Rows that say by which key they came to be are there for that key alone.
    const isOwn = (isServer && found.namespace === NAMESPACE_OID.quern) || isOwnedByKeys(found);
    if (!isOwn) requireWithin(scope, catalog, { relation: found, partition });
  }
}

/** A relation, or its partition, by a name that a function was given. @throws SqlError 42501. */
export function refuseRelation(session: HolderOfCatalog, relation: Relation, partition: string | null): void {
  const scope = rowLimits(session);
  if (scope !== null) requireWithin(scope, session.catalog(), { relation, partition });
}

/** A dataset by its name, whether it is there or not. @throws SqlError 42501. */
export function refuseDataset(session: Holder, dataset: string): void {
  const scope = rowLimits(session);
  if (scope !== null && !reachesDataset(scope, dataset)) {
    throw new SqlError('insufficient_privilege', `key is limited to other datasets than "${dataset}"`);
  }
}

interface Place {
  readonly relation: Relation;
  readonly partition: string | null;
}

function requireWithin(scope: KeyScope, catalog: Catalog, { relation, partition }: Place): void {
  if (!reachesRelation(scope, catalog, relation)) {
    const message = `key is limited to other collections than "${relation.name}"`;
    throw new SqlError('insufficient_privilege', message);
  }
  if (!hasRows(relation) || datasetOf(catalog, relation) !== null || scope.partitions === null) return;
  if (partition !== null && scope.partitions.includes(partition)) return;
  const hint = partition === null ? { hint: `Name one of them: "${relation.name}$…".` } : {};
  const what = partition === null ? relation.name : `${relation.name}$${partition}`;
  throw new SqlError('insufficient_privilege', `key is limited to partitions other than "${what}"`, hint);
}

const reachesDataset = (scope: KeyScope, name: string): boolean =>
  datasetsReached(scope)?.includes(name) ?? true;

/** With its rows, or some of them. */
export function reachesRelation(scope: KeyScope, catalog: Catalog, relation: Relation): boolean {
  const dataset = datasetOf(catalog, relation);
  if (dataset !== null) return reachesDataset(scope, dataset);
  // Numbers of a sequence are no rows; who inserts takes one.
  if (relation.kind === 'sequence') return true;
  const { collections, datasets } = scope;
  const schema = namespaceName(catalog, relation.namespace);
  if (relation.namespace === NAMESPACE_OID.quern) return false;
  const name = schema === 'public' ? relation.name : `${schema}.${relation.name}`;
  return collections === null ? datasets === null : collections.includes(name);
}

function datasetOf(catalog: Catalog, { namespace }: Relation): string | null {
  const found = catalog.namespaces.find(({ oid }) => oid === namespace);
  return found?.dataset === undefined ? null : found.name;
}

const TOUCHED = new WeakMap<Planned, readonly Touched[]>();

/** Every relation that a plan names, its subqueries too. */
export function touchedBy(planned: Planned): readonly Touched[] {
  const known = TOUCHED.get(planned);
  if (known !== undefined) return known;
  const found = planned.plan === null ? touchedByOther(planned.bound) : [...touchedByPlan(planned.plan)];
  TOUCHED.set(planned, found);
  return found;
}

function touchedByOther(bound: BoundStatement): readonly Touched[] {
  switch (bound.kind) {
    case 'truncate':
      return [
        ...bound.relations.map((relation) => ({ relation, partition: null })),
        ...(bound.partitions ?? []),
      ];
    case 'drop partition':
      return [{ relation: bound.relation, partition: bound.partition }];
    default:
      return [];
  }
}

function* touchedByPlan(plan: Plan): Generator<Touched> {
  if ('relation' in plan && 'partition' in plan) yield plan;
  if (plan.kind === 'lock rows') yield* plan.rows;
  for (const inner of subqueryPlans(plan)) yield* touchedByPlan(inner);
  for (const child of planChildren(plan)) yield* touchedByPlan(child);
}

const refused = (what: string): SqlError =>
  new SqlError('insufficient_privilege', `key is limited: permission denied for ${what}`);
