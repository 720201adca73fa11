/** UPDATE: the target's scan with its row number, joined with FROM, and the new values over it. */
import { liveColumns } from '../../../catalog/model.ts';
import type { DeleteStatement, Expr, UpdateStatement } from '../../ast.ts';
import { eachPart } from '../../tree.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { filter, type JoinedDraft, type Plan, type UpdateDraft } from '../draft.ts';
import { bindExpression, type QueryScope } from '../context.ts';
import { crossFrom } from '../query/from.ts';
import { finishPassages } from '../ranking/passages.ts';
import { finishRanking } from '../ranking/finish.ts';
import { bindReturning, newRowIds } from './returning.ts';
import { bindRowRules } from './row-rules.ts';
import { inClause, type Level, newLevel, type ScopeItem } from '../level.ts';
import { bindSetItems } from './set-items.ts';
import { bindWith } from '../query/with.ts';
import { scanTarget, type WriteTarget, writeTarget } from './write-target.ts';

export interface ChangedRows {
  readonly level: Level;
  readonly plan: Plan;
  readonly rowNumberId: number;
  /** The scans of FROM or USING. */
  readonly joined: readonly JoinedDraft[];
  /** FROM or USING. */
  readonly others: readonly ScopeItem[];
}

/** The rows that UPDATE and DELETE are about, before WHERE. */
export function bindTargetRows(
  scope: QueryScope,
  statement: UpdateStatement | DeleteStatement,
  changed: WriteTarget,
): ChangedRows {
  const level = newLevel(scope.state, null, scope.commonTables);
  const alias = statement.alias === null ? null : { name: statement.alias, columns: [] };
  const own = reads(statement) ? (['select', statement.kind] as const) : ([statement.kind] as const);
  const target = scanTarget(level, changed, { name: statement.relation, alias, commands: own });
  const others = statement.kind === 'update' ? statement.from : statement.using;
  level.marks = true;
  const from = crossFrom(level, target, others);
  level.items = from.items;
  level.columns = from.columns;
  const { rowNumberId } = target.scan;
  const joined = level.marked.map(({ scan }) => ({ mark: scan.rowNumberId }));
  return { level, plan: from.plan, rowNumberId, joined, others: from.items.slice(1) };
}

/** True where PostgreSQL asks for SELECT on the target: a column of it, or of something beside it, is named. */
function reads(statement: UpdateStatement | DeleteStatement): boolean {
  const { where, returning } = statement;
  const others = statement.kind === 'update' ? statement.from : statement.using;
  if (where !== null || returning !== null || others.length > 0) return true;
  let found = false;
  if (statement.kind === 'update') eachPart(statement.set, ({ kind }) => (found ||= kind === 'column'));
  return found;
}

export function whereRows(rows: ChangedRows, where: Expr | null): Plan {
  const { level, plan } = rows;
  if (!where) return plan;
  const condition = inClause(level, 'WHERE', () =>
    coerceBoolean(level.state, bindExpression(level, where), 'argument of WHERE'),
  );
  return filter(plan, condition);
}

export function bindUpdate(scope: QueryScope, statement: UpdateStatement): Plan {
  const { state } = scope;
  const target = writeTarget(state, statement.relation, 'update');
  const { relation } = target;
  const prepared = bindWith(scope, statement.with);
  const rows = bindTargetRows(prepared.scope, statement, target);
  const { level } = rows;
  const sets = inClause(level, 'UPDATE', () => bindSetItems(level, target, statement.set));
  const input = whereRows(rows, statement.where);
  finishRanking(level);
  finishPassages(level);
  const rowIds = newRowIds(state, liveColumns(relation).length);
  const added = sets.filter((set) => !set.column);
  const row = {
    target,
    name: statement.relation,
    alias: statement.alias,
    rowIds,
    undeclared: added.map((set) => ({ name: set.name, expression: set.value })),
  };
  const returned = newLevel(state, null, prepared.scope.commonTables);
  const { returning, output } = bindReturning(returned, statement.returning, { row, others: rows.others });
  const plan: UpdateDraft = {
    kind: 'update',
    relation: relation.oid,
    partition: target.partition,
    input,
    mark: rows.rowNumberId,
    others: rows.joined,
    set: sets.flatMap((set) => (set.column ? [{ column: set.column.attribute, value: set.value }] : [])),
    undeclared: added.map(({ name, value }) => ({ name, type: value.type, value })),
    rules: bindRowRules(state, target, rowIds, { command: 'update', reads: reads(statement) }),
    returning,
    output,
    rowIds,
    existingIds: [],
    proposedIds: [],
  };
  return prepared.wrap(plan);
}
