/** Bound entry of FROM: a plan and the names it brings; and two of them as a join. */
import { SqlError } from '../../../errors.ts';
import type { Join } from '../../../plan/plan.ts';
import type { Alias } from '../../ast.ts';
import { type Draft, type Expression, idsOf, mentions, type Plan } from '../draft.ts';
import type { FromResult, Level, ScopeColumn, ScopeItem } from '../level.ts';

/** A plan with its columns under an alias. @throws SqlError 42P10 for too many column names. */
export function namedItem(level: Level, plan: Plan, alias: Alias | null): FromResult {
  const available = plan.output;
  const name = alias?.name ?? '';
  checkAliasWidth(alias, available.length);
  const columns = available.map((column, i): ScopeColumn => {
    const named = alias?.columns[i] ?? column.name;
    level.state.columns.set(column.id, {
      level,
      table: name,
      name: named,
      undeclared: column.mixed === true,
      relation: column.relation,
      attribute: column.attribute,
      scan: null,
    });
    const expression: Expression = { kind: 'column', id: column.id, type: column.type };
    return {
      name: named,
      expression,
      undeclared: false,
      relation: column.relation,
      attribute: column.attribute,
    };
  });
  return { plan, items: [namedColumns(name, columns)], columns };
}

export function checkAliasWidth(alias: Alias | null, available: number): void {
  const specified = alias?.columns.length ?? 0;
  if (specified <= available) return;
  throw new SqlError(
    'invalid_column_reference',
    `table "${alias?.name}" has ${available} columns available but ${specified} columns specified`,
  );
}

/** Lateral when the right side reads a column of the left. */
export function join(kind: Join['join'], left: Plan, right: Plan, condition: Expression | null): Join<Draft> {
  const lateral = mentions(right, allIds(left));
  const output = [...left.output, ...right.output];
  return { kind: 'join', join: kind, left, right, lateral, keys: [], condition, output };
}

function allIds(plan: Plan): ReadonlySet<number> {
  const ids = new Set(idsOf(plan));
  collectArms(plan, ids);
  return ids;
}

/** Arms and row numbers are not in a draft scan's output; a lateral right side may read them too. */
function collectArms(plan: Plan, ids: Set<number>): void {
  if (plan.kind === 'scan') {
    for (const column of plan.armColumns) ids.add(column.id);
    ids.add(plan.rowNumberId);
  }
  if (plan.kind === 'presence') collectArms(plan.input, ids);
  if (plan.kind === 'join') {
    collectArms(plan.left, ids);
    collectArms(plan.right, ids);
  }
}

/** An entry that is no relation. */
export const namedColumns = (alias: string, columns: readonly ScopeColumn[]): ScopeItem => ({
  alias,
  schema: null,
  columns,
  relation: null,
  scan: null,
  oid: 0,
  originalName: null,
});
