/**
 * Rows on their way into a relation, the same for INSERT and UPDATE: undeclared columns get their place in
 * the catalog, faults are found, semantic columns are embedded.
 */
import { present } from '../../assert.ts';
import { columnByName, liveColumns, type Column, type Relation } from '../../catalog/model.ts';
import { applyEdit } from '../../catalog/edit/edit.ts';
import type { NewRows } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { UNDECLARED_COLUMNS_COUNT_MAX } from '../../limits.ts';
import type { TypeRef } from '../../types/type.ts';
import { type Task, wait } from '../../task.ts';
import type { Vector } from '../../types/column/vector.ts';
import type { Run } from '../state.ts';
import { convertUndeclared, widerType } from './undeclared-types.ts';

/** A column that the statement brings and the schema may not have yet. */
export interface BroughtColumn {
  readonly name: string;
  readonly type: TypeRef;
  readonly values: Vector;
}

type Columns = NewRows['columns'];

export interface WrittenRows {
  readonly length: number;
  readonly columns: NewRows['columns'];
  /** How many of them, from the first, are new; the others have been updated. Absent: all. */
  readonly insertedCount?: number;
  /** Values of the plan's undeclared columns, for RETURNING. */
  readonly undeclared: readonly Vector[];
}

export function relationOf(oid: number, run: Run): Relation {
  const relation = run.context.transaction.catalog().relations.get(oid);
  if (relation !== undefined) return relation;
  throw new SqlError('undefined_table', `relation with OID ${oid} does not exist`);
}

/** Places the undeclared columns among the relation's, adding and widening columns where needed. */
export function* placeUndeclared(
  oid: number,
  columns: Columns,
  brought: readonly BroughtColumn[],
  run: Run,
): Task<Columns> {
  if (brought.length === 0) return columns;
  const all = new Map(columns);
  for (const column of brought) {
    const placed = yield* placeColumn(oid, column, run);
    if (placed === null) continue;
    all.set(placed.attribute, convertUndeclared(column.values, column.type, placed.type, run));
  }
  return all;
}

/** The column in the catalog that takes the values; null when there is none and every value is NULL. */
function* placeColumn(oid: number, brought: BroughtColumn, run: Run): Task<Column | null> {
  const existing = columnByName(relationOf(oid, run), brought.name);
  if (existing !== undefined && !existing.undeclared) return existing;
  const allNull = isAllNull(brought.values);
  if (existing === undefined && allNull) return null;
  if (existing === undefined) yield* addColumn(oid, brought, run);
  else if (!allNull) yield* widenColumn(oid, existing, brought.type, run);
  return present(columnByName(relationOf(oid, run), brought.name), `column ${brought.name}`);
}

const isAllNull = (vector: Vector): boolean => vector.nulls?.every((isNull) => isNull === 1) ?? false;

function* addColumn(oid: number, { name, type }: BroughtColumn, run: Run): Task<void> {
  const relation = relationOf(oid, run);
  const count = liveColumns(relation).filter((column) => column.undeclared).length;
  if (count >= UNDECLARED_COLUMNS_COUNT_MAX) {
    throw new SqlError(
      'too_many_columns',
      `collection "${relation.name}" can have at most ${UNDECLARED_COLUMNS_COUNT_MAX} undeclared columns`,
      { hint: `Keep "${name}" and its like in one jsonb column.` },
    );
  }
  const column: Column = {
    attribute: 0,
    name,
    type: { oid: type.oid, modifier: -1 },
    notNull: false,
    defaultText: null,
    identity: null,
    generatedText: null,
    undeclared: true,
    dropped: false,
  };
  const { transaction, signal } = run.context;
  const added = transaction.changeCatalog((catalog) => {
    const current = catalog.relations.get(oid);
    const known = current === undefined ? undefined : columnByName(current, name);
    return known === undefined ? applyEdit(catalog, { edit: 'add column', relation: oid, column }) : catalog;
  }, signal);
  yield* wait(added);
}

function* widenColumn(oid: number, column: Column, type: TypeRef, run: Run): Task<void> {
  const wider = widerType(column.type, type);
  if (wider.oid === column.type.oid) return;
  const { transaction, signal } = run.context;
  const widened = transaction.changeCatalog(
    (catalog) =>
      applyEdit(catalog, { edit: 'alter column', relation: oid, column: { ...column, type: wider } }),
    signal,
  );
  yield* wait(widened);
}
