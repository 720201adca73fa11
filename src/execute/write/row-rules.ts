/** Generated columns and CHECK constraints of rows that are to be written. */
import { liveColumns, type Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { RowRules } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { evaluate } from '../expression/evaluate.ts';
import { failingRow } from './row-faults.ts';
import type { Run } from '../state.ts';
import { rowColumns } from './row-columns.ts';

type Columns = NewRows['columns'];

export interface RuledRows {
  /** As the rules were bound: their expressions are over its live columns. */
  readonly relation: Relation;
  readonly columns: Columns;
  readonly length: number;
}

/** The columns with the generated ones filled in. */
export function* generateColumns(
  rules: RowRules | null | undefined,
  rows: RuledRows,
  run: Run,
): Task<Columns> {
  if (!rules || rules.generated.length === 0) return rows.columns;
  const columns = new Map(rows.columns);
  const batch = batchOf(rows);
  for (const { column, value } of rules.generated)
    columns.set(column, yield* wait(evaluate(value, batch, run)));
  return columns;
}

/** @throws SqlError 23514 for the first row that breaks a CHECK. */
export function* checkRows(rules: RowRules | null | undefined, rows: RuledRows, run: Run): Task<void> {
  if (!rules || rules.checks.length === 0) return;
  const batch = batchOf(rows);
  const results: { name: string; passed: Vector }[] = [];
  for (const { name, condition } of rules.checks) {
    results.push({ name, passed: yield* wait(evaluate(condition, batch, run)) });
  }
  for (let row = 0; row < rows.length; row++) {
    const broken = results.find(({ passed }) => passed.get(row) === false);
    if (broken === undefined) continue;
    throw new SqlError(
      'check_violation',
      `new row for relation "${rows.relation.name}" violates check constraint "${broken.name}"`,
      {
        detail: failingRow(rows.relation, rows, row, run.context.functions.settings),
        table: rows.relation.name,
        constraint: broken.name,
      },
    );
  }
}

/** @throws SqlError 44000 for the first row that a view WITH CHECK OPTION would not show. */
export function* checkShown(rules: RowRules | null | undefined, rows: RuledRows, run: Run): Task<void> {
  if (!rules || rules.options.length === 0) return;
  const batch = batchOf(rows);
  const results: { view: string; passed: Vector }[] = [];
  for (const { view, condition } of rules.options) {
    results.push({ view, passed: yield* wait(evaluate(condition, batch, run)) });
  }
  for (let row = 0; row < rows.length; row++) {
    const hiding = results.find(({ passed }) => passed.get(row) !== true);
    if (hiding === undefined) continue;
    const message = `new row violates check option for view "${hiding.view}"`;
    throw new SqlError('with_check_option_violation', message, {
      detail: failingRow(rows.relation, rows, row, run.context.functions.settings),
    });
  }
}

function batchOf({ relation, columns, length }: RuledRows): Batch {
  return { length, columns: rowColumns(liveColumns(relation), columns, length) };
}
