/** Generated columns, policies and CHECK constraints of rows that are to be written. */
import { liveColumns, type Relation } from '../../catalog/model.ts';
import type { NewRows, Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Insert } from '../../physical/physical.ts';
import type { RowRules } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { evaluate } from '../expression/evaluate.ts';
import { failingRow } from './row-faults.ts';
import type { Run } from '../state.ts';
import { isShown } from '../scan/shown-rows.ts';
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

/** @throws SqlError 42501 for the first row that a policy does not let be written. */
function* checkPolicies(policies: RowRules['policies'], rows: RuledRows, run: Run): Task<void> {
  if (policies.length === 0) return;
  const batch = batchOf(rows);
  for (const { name, condition } of policies) {
    const passed = yield* wait(evaluate(condition, batch, run));
    for (let row = 0; row < rows.length; row++) {
      if (passed.get(row) !== true) throw policyViolation(rows.relation, name);
    }
  }
}

const policyViolation = (relation: Relation, name: string | null): SqlError => {
  const policy = name === null ? '' : ` "${name}"`;
  const message = `new row violates row-level security policy${policy} for table "${relation.name}"`;
  return new SqlError('insufficient_privilege', message);
};

/** The rules with other policies: those of a row's new version. */
export const withPolicies = (
  rules: RowRules | null | undefined,
  policies: RowRules['policies'],
): RowRules => ({ generated: [], checks: [], options: [], ...rules, policies });

/** @throws SqlError 42501 for the first row met that policies hide, or do not let be changed. */
export function* checkMet(
  { rule }: NonNullable<Insert['met']>,
  met: { readonly relation: Relation; readonly snapshot: Snapshot; readonly rowNumbers: Iterable<number> },
  run: Run,
): Task<void> {
  const { relation, snapshot } = met;
  for (const rowNumber of met.rowNumbers) {
    if (yield* isShown(rule, { snapshot, rowNumber }, run)) continue;
    const message = `new row violates row-level security policy (USING expression) for table "${relation.name}"`;
    throw new SqlError('insufficient_privilege', message);
  }
}

/** @throws SqlError 42501 of a policy, 23514 for the first row that breaks a CHECK. */
export function* checkRows(rules: RowRules | null | undefined, rows: RuledRows, run: Run): Task<void> {
  if (!rules) return;
  yield* checkPolicies(rules.policies, rows, run);
  if (rules.checks.length === 0) return;
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
      table: rows.relation.name,
    });
  }
}

function batchOf({ relation, columns, length }: RuledRows): Batch {
  return { length, columns: rowColumns(liveColumns(relation), columns, length) };
}
