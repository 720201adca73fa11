/** ON CONFLICT: the unique index it is about, and DO UPDATE over the existing row and EXCLUDED. */
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { type Index, indexShape, liveColumns, type Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { Assignment, Conflict } from '../../../plan/plan.ts';
import type { Expr, InsertStatement } from '../../ast.ts';
import { type BindContext, bindExpression, type QueryScope } from '../context.ts';
import { parseExpression } from '../../parse/parse.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { boundElement, boundPredicate } from '../relation/index-expressions.ts';
import { newRowIds } from './returning.ts';
import { inClause, type Level, newLevel } from '../level.ts';
import { bindSetItems } from './set-items.ts';
import { wantWhole } from '../rights.ts';
import { targetItem, wantTargetColumn, type WriteTarget } from './write-target.ts';
import type { Draft } from '../draft.ts';

export interface BoundConflict {
  readonly conflict: Conflict<Draft>;
  readonly existingIds: readonly number[];
  readonly proposedIds: readonly number[];
}

export function bindConflict(
  scope: QueryScope,
  statement: InsertStatement,
  into: WriteTarget,
): BoundConflict {
  const { relation } = into;
  const clause = statement.conflict;
  const none = { existingIds: [], proposedIds: [] };
  if (!clause) {
    return { conflict: { action: relation.kind === 'collection' ? 'replace' : 'error' }, ...none };
  }
  const index = conflictIndex(scope, into, clause.target);
  refuseDeferrable(relation, index);
  if (!clause.set) return { conflict: { action: 'nothing', index }, ...none };
  if (!clause.target) {
    throw new SqlError(
      'syntax_error',
      'ON CONFLICT DO UPDATE requires inference specification or constraint name',
      { position: statement.at || undefined, hint: 'For example, ON CONFLICT (column_name).' },
    );
  }
  const count = liveColumns(relation).length;
  const existingIds = newRowIds(scope.state, count);
  const proposedIds = newRowIds(scope.state, count);
  const level = conflictLevel(scope, statement, { into, existingIds, proposedIds });
  const set = inClause(level, 'UPDATE', () => bindSetItems(level, into, clause.set ?? []));
  const fresh = set.find((item) => !item.column);
  if (fresh) throw notSupported(`a new column "${fresh.name}" in ON CONFLICT DO UPDATE`);
  const assignments = set.flatMap((item): readonly Assignment<Draft>[] => {
    return item.column ? [{ column: item.column.attribute, value: item.value }] : [];
  });
  const condition = clause.where;
  const where =
    condition &&
    inClause(level, 'WHERE', () =>
      coerceBoolean(scope.state, bindExpression(level, condition), 'argument of WHERE'),
    );
  return { conflict: { action: 'update', index, set: assignments, where }, existingIds, proposedIds };
}

/** @throws SqlError 55000: whether a key is taken is known at once only where it is checked at once. */
function refuseDeferrable(relation: Relation, arbiter: number): void {
  const index = relation.indexes.find(
    ({ oid, deferrable }) => deferrable && (arbiter === 0 || oid === arbiter),
  );
  if (!index) return;
  const message =
    'ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters';
  throw new SqlError('object_not_in_prerequisite_state', message, {
    table: relation.name,
    constraint: index.name,
  });
}

function conflictLevel(
  scope: QueryScope,
  statement: InsertStatement,
  rows: {
    readonly into: WriteTarget;
    readonly existingIds: readonly number[];
    readonly proposedIds: readonly number[];
  },
): Level {
  const level = newLevel(scope.state, null, scope.commonTables);
  const { into, existingIds, proposedIds } = rows;
  const common = { scan: null, name: statement.relation };
  const alias = statement.alias === null ? null : { name: statement.alias, columns: [] };
  const existing = targetItem(level, into, { ...common, ids: existingIds, alias });
  // What is proposed is asked for as what is there, as PostgreSQL does.
  const excluded = targetItem(level, into, {
    ...common,
    ids: proposedIds,
    alias: { name: 'excluded', columns: [] },
  });
  level.items = [existing, excluded];
  level.columns = existing.columns;
  return level;
}

/** 0 for any unique index. @throws SqlError 42P10, 42704, 42703. */
function conflictIndex(
  scope: QueryScope,
  into: WriteTarget,
  target: NonNullable<InsertStatement['conflict']>['target'],
): number {
  if (!target) return 0;
  const { relation } = into;
  if (target.constraint !== null) return constraintIndex(into, target.constraint);
  const { context } = scope.state;
  const wanted = target.elements.map((element): string => {
    if (typeof element === 'string') {
      const known = into.columns.find(({ name }) => name === element);
      if (known) wantTargetColumn(into, PRIVILEGE.select, element);
      if (known) return String(known.column?.attribute ?? element);
      throw new SqlError('undefined_column', `column "${element}" does not exist`);
    }
    if (into.views.length > 0) throw notSupported('an expression of ON CONFLICT on a view');
    const { column, text } = boundElement(context, relation, element);
    // What an expression reads is not told: the whole may be read.
    if (column) wantTargetColumn(into, PRIVILEGE.select, column.name);
    else for (const use of into.uses) wantWhole(use, PRIVILEGE.select);
    return column ? String(column.attribute) : text;
  });
  const given = target.where === null ? [] : predicateTerms(context, relation, target.where);
  const found = relation.indexes.find((index) => {
    return (
      index.unique && sameElements(relation, index, wanted) && isImplied(context, relation, { index, given })
    );
  });
  if (found) return found.oid;
  throw new SqlError(
    'invalid_column_reference',
    'there is no unique or exclusion constraint matching the ON CONFLICT specification',
  );
}

/** The terms that a predicate joins by AND, each as PostgreSQL writes it. */
function predicateTerms(context: BindContext, relation: Relation, where: Expr): readonly string[] {
  const terms = where.kind === 'and' ? where.args : [where];
  return terms.map((term) => boundPredicate(context, relation, term).text);
}

/** An index of some rows fits where the statement says that its predicate holds. */
function isImplied(
  context: BindContext,
  relation: Relation,
  { index, given }: { readonly index: Index; readonly given: readonly string[] },
): boolean {
  const where = index.shape?.where ?? null;
  if (where === null) return true;
  return predicateTerms(context, relation, parseExpression(where)).every((term) => given.includes(term));
}

function constraintIndex(into: WriteTarget, name: string): number {
  const { relation } = into;
  const constraint = relation.constraints.find((candidate) => candidate.name === name);
  for (const attribute of constraint?.columns ?? []) {
    const read = into.columns.find(({ column }) => column?.attribute === attribute);
    if (read) wantTargetColumn(into, PRIVILEGE.select, read.name);
  }
  if (constraint && constraint.index !== 0) return constraint.index;
  if (constraint) {
    throw new SqlError('wrong_object_type', 'constraint in ON CONFLICT clause has no associated index');
  }
  throw new SqlError('undefined_object', `constraint "${name}" for table "${relation.name}" does not exist`);
}

function sameElements(relation: Relation, index: Index, wanted: readonly string[]): boolean {
  const { elements } = indexShape(relation, index);
  const own = new Set(elements.map(({ attribute, expression }) => expression ?? String(attribute)));
  return own.size === new Set(wanted).size && wanted.every((element) => own.has(element));
}
