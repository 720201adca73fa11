/**
 * Targets of INSERT, UPDATE, DELETE and MERGE: a relation with rows, or a simple view, which is written through to
 * the relation under it. Follows PostgreSQL's rewriteTargetView and view_query_is_auto_updatable
 * (rewriteHandler.c).
 */
import { present } from '../../../assert.ts';
import { PRIVILEGE, type Privileges } from '../../../catalog/access/privileges.ts';
import { type Column, liveColumns, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Alias, QualifiedName } from '../../ast.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { and, type Expression, filter, idsOf, type Plan, sameExpression, type ScanDraft } from '../draft.ts';
import { bindExpression } from '../context.ts';
import { relationItem, type ScanOptions, scanRelation } from '../query/from-relation.ts';
import { bindItems } from '../query/items.ts';
import { storedRelation, viewContext, writableRelation } from '../names.ts';
import { belowView, inView, type RelationUse, useRelation, want, wantColumn, wantWhole } from '../rights.ts';
import {
  type FromResult,
  inClause,
  type Level,
  newLevel,
  type ScopeColumn,
  type ScopeItem,
} from '../level.ts';
import { refuseRanking, type SimpleView, simpleView } from './simple-view.ts';
import type { State } from '../state.ts';

export type WriteVerb = 'insert' | 'update' | 'delete' | 'merge';

export interface WriteTarget {
  /** Relation that the statement names. */
  readonly named: Relation;
  /** Where the rows are. */
  readonly relation: Relation;
  /** A collection's partition; null is the collection itself. */
  readonly partition: string | null;
  /** From the named view inwards; none where the relation itself is named. */
  readonly views: readonly SimpleView[];
  readonly columns: readonly TargetColumn[];
  readonly verb: WriteVerb;
  /** Uses of the views and of the relation, in that order; none: nothing is asked for. */
  readonly uses: readonly RelationUse[];
}

/** A column as the statement may name it. */
export interface TargetColumn {
  readonly name: string;
  /** The relation's column, with a default that a view has for it; null for an expression of a view. */
  readonly column: Column | null;
  /** The view's column that is no column of what is under it. */
  readonly blocked: { readonly view: string; readonly column: string } | null;
}

/** A relation that is named itself. */
export function relationTarget(
  relation: Relation,
  { partition }: QualifiedName,
  { verb, use }: { readonly verb: WriteVerb; readonly use: RelationUse | null },
): WriteTarget {
  const columns = liveColumns(relation).map((column) => ({ name: column.name, column, blocked: null }));
  const uses = use === null ? [] : [use];
  return { named: relation, relation, partition, views: [], columns, verb, uses };
}

/** @throws SqlError 42P01, 42809, 55000 for a view that cannot be written through. */
export function writeTarget(state: State, name: QualifiedName, verb: WriteVerb): WriteTarget {
  const named = storedRelation(state.context, name);
  if (named.kind === 'materialized view') throw unchangeable(named, verb);
  if (named.kind !== 'view' || name.partition !== null) {
    const relation = writableRelation(state.context, name);
    return relationTarget(relation, name, { verb, use: useRelation(state, relation, VERB_PRIVILEGES[verb]) });
  }
  return viewTarget(state, named, verb);
}

/** @throws SqlError 55000 for one that cannot be written through. */
export function viewTarget(state: State, named: Relation, verb: WriteVerb): WriteTarget {
  const views: SimpleView[] = [];
  let relation = named;
  const uses = [useRelation(state, named, VERB_PRIVILEGES[verb])];
  while (relation.kind === 'view') {
    const view = relation;
    if (views.some((outer) => outer.view.oid === view.oid)) {
      const message = `infinite recursion detected in rules for relation "${named.name}"`;
      throw new SqlError('invalid_object_definition', message);
    }
    const found = simpleView(viewContext(state.context, view), view);
    if (typeof found === 'string') throw notUpdatable(view, verb, found);
    views.push(found);
    relation = found.on;
    const above = present(uses.at(-1), 'the use of a view');
    uses.push(useRelation(state, relation, VERB_PRIVILEGES[verb], { as: belowView(state, view), above }));
  }
  const columns = targetColumns(state, { relation, views, uses: [] }, verb);
  const { partition } = present(views.at(-1), 'a view').from.relation;
  return { named, relation, partition, views, columns, verb, uses };
}

/** Those of MERGE are its clauses'. */
const VERB_PRIVILEGES: Readonly<Record<WriteVerb, Privileges>> = {
  insert: PRIVILEGE.insert,
  update: PRIVILEGE.update,
  delete: PRIVILEGE.delete,
  merge: 0,
};

/** Asks for a privilege on the target and on what is under it. */
export function wantOnTarget({ uses }: WriteTarget, privilege: Privileges): void {
  for (const use of uses) want(use, privilege);
}

/** Asks for a privilege on a column that is named; of one that is new to a collection, on the whole. */
export function wantTargetColumn(target: WriteTarget, privilege: Privileges, name: string): void {
  let below: string | undefined = name;
  for (const [i, use] of target.uses.entries()) {
    const live: readonly Column[] = liveColumns(target.views[i]?.view ?? target.relation);
    const at = live.findIndex((column) => column.name === below);
    const attribute = live[at]?.attribute;
    if (attribute === undefined) wantWhole(use, privilege);
    else wantColumn(use, privilege, attribute);
    below = nameBelow(target.views[i], at);
  }
}

/** The column of what is under a view that its column is; undefined where that is not plain. */
function nameBelow(view: SimpleView | undefined, at: number): string | undefined {
  const value = view?.query.items[at]?.value;
  if (value?.kind !== 'column' || (view?.from.alias?.columns.length ?? 0) > 0) return undefined;
  return value.path.at(-1);
}

function unchangeable({ kind, name }: Relation, verb: WriteVerb): SqlError {
  if (verb !== 'merge') return new SqlError('wrong_object_type', `cannot change ${kind} "${name}"`);
  return new SqlError('feature_not_supported', `cannot execute MERGE on relation "${name}"`, {
    detail: `This operation is not supported for ${kind}s.`,
  });
}

const EVENTS = {
  insert: ['insert into', 'inserting into', 'INSERT'],
  update: ['update', 'updating', 'UPDATE'],
  delete: ['delete from', 'deleting from', 'DELETE'],
  merge: ['merge into', 'merging into', 'MERGE'],
} as const;

function notUpdatable(view: Relation, verb: WriteVerb, detail: string): SqlError {
  const [words, doing, event] = EVENTS[verb];
  const means = `provide an INSTEAD OF ${event} trigger or an unconditional ON ${event} DO INSTEAD rule.`;
  return new SqlError('object_not_in_prerequisite_state', `cannot ${words} view "${view.name}"`, {
    detail,
    hint: verb === 'merge' ? undefined : `To enable ${doing} the view, ${means}`,
  });
}

const NOT_A_COLUMN = 'View columns that are not columns of their base relation are not updatable.';

/** @throws SqlError 0A000 for a column that is an expression of a view. */
export function refuseBlocked({ blocked }: TargetColumn, verb: WriteVerb): void {
  if (blocked === null) return;
  const message = `cannot ${EVENTS[verb][0].replace(' from', '')} column "${blocked.column}" of view "${blocked.view}"`;
  throw new SqlError('feature_not_supported', message, { detail: NOT_A_COLUMN });
}

// ───────────────────────────── the rows ─────────────────────────────

type Rows = Pick<WriteTarget, 'relation' | 'views' | 'uses'>;

interface RowNames {
  /** Ids of the relation's live columns. */
  readonly ids: readonly number[];
  readonly scan: ScanDraft | null;
  readonly name: QualifiedName;
  readonly alias: Alias | null;
}

/** The columns by their names in the statement. */
export function targetItem(level: Level, target: Rows, names: RowNames): ScopeItem {
  const { relation, views } = target;
  const innermost = views.at(-1);
  if (innermost === undefined) return relationItem(level, { relation, ...names, use: target.uses[0] });
  return throughViews(level, target, names).item;
}

export interface ViewCondition {
  readonly view: Relation;
  readonly condition: Expression;
}

interface Seen {
  readonly item: ScopeItem;
  /** Innermost first. */
  readonly layers: readonly { readonly view: SimpleView; readonly level: Level }[];
}

function throughViews(
  level: Level,
  { relation, views, uses }: Rows,
  { ids, scan, name, alias }: RowNames,
): Seen {
  const layers: { view: SimpleView; level: Level }[] = [];
  const { from } = present(views.at(-1), 'a view');
  const use = uses[views.length];
  if (scan !== null && use !== undefined) level.state.scanUses.set(scan, use);
  let item = relationItem(level, { relation, scan, ids, name: from.relation, alias: from.alias, use });
  for (let i = views.length - 1; i >= 0; i--) {
    const view = present(views[i], 'a view');
    const outer = views[i - 1]?.from ?? { relation: name, alias };
    const inner: Level = { ...level, commonTables: null, items: [item], columns: item.columns, hidden: [] };
    if (scan === null) refuseRanking(view.query.items, view.view);
    layers.push({ view, level: inner });
    item = viewItem(inner, view, { alias: outer.alias, name: outer.relation, use: uses[i] });
  }
  return { item, layers };
}

function viewItem(
  level: Level,
  { view, query }: SimpleView,
  {
    alias,
    name,
    use,
  }: {
    readonly alias: Alias | null;
    readonly name: QualifiedName;
    readonly use: RelationUse | undefined;
  },
): ScopeItem {
  const targets = inside(level, view, () => bindItems(level, query.items));
  const columns = liveColumns(view).map((column, i): ScopeColumn => {
    return {
      name: alias?.columns[i] ?? column.name,
      expression: present(targets[i], 'column of a view').expression,
      undeclared: false,
      relation: view.oid,
      attribute: column.attribute,
      ...(use && { used: { use, attribute: column.attribute } }),
    };
  });
  const shown = { alias: alias?.name ?? name.name, schema: name.schema, originalName: view.name };
  return { ...shown, columns, relation: null, scan: null, oid: 0, ...(use && { use }) };
}

/** Binds what concerns the target's stored rows: with the rights of the view that shows them, if they come by one. */
export function asTarget<T>(state: State, { views }: Pick<WriteTarget, 'views'>, bind: () => T): T {
  const innermost = views.at(-1);
  return innermost === undefined
    ? bind()
    : inView(state, innermost.view, () => inside({ state }, innermost.view, bind));
}

/** Binds with the view's names in sight. */
function inside<T>({ state }: Pick<Level, 'state'>, view: Relation, bind: () => T): T {
  state.views.push(view.oid);
  try {
    return inView(state, view, bind);
  } finally {
    state.views.pop();
  }
}

function conditionsOf({ layers }: Seen): readonly ViewCondition[] {
  return layers.flatMap(({ view: { view, query }, level }) => {
    const { where } = query;
    if (where === null) return [];
    const condition = inside(level, view, () =>
      inClause(level, 'WHERE', () =>
        coerceBoolean(level.state, bindExpression(level, where), 'argument of WHERE'),
      ),
    );
    return [{ view, condition }];
  });
}

/** The scan of the relation with its row number, and of its rows those that the views show. */
export function scanTarget(
  level: Level,
  target: WriteTarget,
  { name, alias, commands }: Pick<RowNames, 'name' | 'alias'> & Pick<ScanOptions, 'commands'>,
): FromResult & { readonly scan: ScanDraft } {
  const { relation, views } = target;
  const named =
    views.length === 0 ? { name, alias } : { name: { ...name, partition: target.partition }, alias: null };
  const use = views.length === 0 ? target.uses[0] : undefined;
  const base = asTarget(level.state, target, () =>
    scanRelation(level, relation, { ...named, rowNumber: true, use, ...(commands && { commands }) }),
  );
  const { plan: scan } = base;
  if (views.length === 0) return { ...base, scan };
  const ids = idsOf(scan);
  const seen = throughViews(level, target, { ids, scan, name, alias });
  const conditions = conditionsOf(seen).map(({ condition }) => condition);
  const plan: Plan = conditions.length === 0 ? scan : filter(scan, and(conditions));
  return { plan, items: [seen.item], columns: seen.item.columns, scan };
}

/**
 * Conditions of WITH CHECK OPTION on a new row, the innermost view's first.
 *
 * @param ids of the relation's live columns.
 */
export function checkOptions(
  state: State,
  target: WriteTarget,
  ids: readonly number[],
): readonly { readonly view: string; readonly condition: Expression }[] {
  const checked = new Set<number>();
  let cascaded = false;
  for (const { view } of target.views) {
    if (cascaded || view.checkOption !== undefined) checked.add(view.oid);
    cascaded ||= view.checkOption === 'cascaded';
  }
  if (checked.size === 0) return [];
  const name = { schema: null, name: target.named.name, partition: null, at: 0 };
  for (const { view, query } of target.views) if (checked.has(view.oid)) refuseRanking(query.where, view);
  const unasked = { ...target, uses: [] };
  const seen = throughViews(newLevel(state, null, null), unasked, { ids, scan: null, name, alias: null });
  return conditionsOf({ ...seen, layers: seen.layers.filter(({ view }) => checked.has(view.view.oid)) }).map(
    ({ view, condition }) => ({ view: view.name, condition }),
  );
}

// ───────────────────────────── columns ─────────────────────────────

/** @throws SqlError 55000 for a view with aggregates and the like, or without a column to write. */
function targetColumns(state: State, rows: Rows, verb: WriteVerb): readonly TargetColumn[] {
  const level = newLevel(state, null, null);
  const name = { schema: null, name: rows.relation.name, partition: null, at: 0 };
  const { plan: scan } = scanRelation(level, rows.relation, {
    name,
    alias: null,
    use: undefined,
    commands: [],
  });
  const ids = idsOf(scan);
  const live = liveColumns(rows.relation);
  const { item, layers } = throughViews(level, rows, { ids, scan, name, alias: null });
  const fits = (expression: Expression): Column | undefined =>
    expression.kind === 'column' ? live[ids.indexOf(expression.id)] : undefined;
  let blocked: { readonly expression: Expression; readonly by: NonNullable<TargetColumn['blocked']> }[] = [];
  const defaults = new Map(live.map((column) => [column, column.defaultText]));
  for (const [i, { view }] of layers.entries()) {
    const columns = layers[i + 1]?.level.columns ?? item.columns;
    for (const [position, { expression }] of columns.entries()) {
      const column = fits(expression);
      const own = liveColumns(view.view)[position]?.defaultText ?? null;
      if (column !== undefined && own !== null) defaults.set(column, own);
    }
    blocked = columns.flatMap(({ expression }, position) => {
      if (fits(expression) !== undefined) return [];
      const inner = blocked.find((known) => sameExpression(known.expression, expression));
      const column = present(liveColumns(view.view)[position], 'column of a view').name;
      return [{ expression, by: inner?.by ?? { view: view.view.name, column } }];
    });
    if (blocked.length < columns.length || verb === 'delete') continue;
    throw notUpdatable(
      view.view,
      verb,
      'Views that have no updatable columns are not automatically updatable.',
    );
  }
  return item.columns.map(({ name: shown, expression }) => {
    const by = blocked.find((known) => sameExpression(known.expression, expression))?.by ?? null;
    const column = fits(expression);
    const own = column && { ...column, defaultText: defaults.get(column) ?? null };
    return { name: shown, column: own ?? null, blocked: by };
  });
}
