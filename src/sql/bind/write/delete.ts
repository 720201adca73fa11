/** DELETE, with USING; of a whole partition without WHERE it drops the partition. */
import { liveColumns } from '../../../catalog/model.ts';
import type { DeleteStatement } from '../../ast.ts';
import type { DeleteDraft, Plan } from '../draft.ts';
import type { QueryScope } from '../context.ts';
import { finishPassages } from '../ranking/passages.ts';
import { finishRanking } from '../ranking/finish.ts';
import { bindReturning, newRowIds } from './returning.ts';
import { newLevel } from '../level.ts';
import { bindTargetRows, whereRows } from './update.ts';
import { bindWith } from '../query/with.ts';
import { writeTarget } from './write-target.ts';

/** `DELETE FROM books$acme` with nothing else. */
export function dropsPartition(statement: DeleteStatement): boolean {
  const { relation, where, using, returning } = statement;
  return relation.partition !== null && !where && using.length === 0 && !returning;
}

export function bindDelete(scope: QueryScope, statement: DeleteStatement): Plan {
  const { state } = scope;
  const target = writeTarget(state, statement.relation, 'delete');
  const { relation } = target;
  const prepared = bindWith(scope, statement.with);
  const rows = bindTargetRows(prepared.scope, statement, target);
  const input = whereRows(rows, statement.where);
  finishRanking(rows.level);
  finishPassages(rows.level);
  const rowIds = newRowIds(state, liveColumns(relation).length);
  const row = {
    target,
    name: statement.relation,
    alias: statement.alias,
    rowIds,
    undeclared: [],
    rowNumberId: rows.rowNumberId,
  };
  const returned = newLevel(state, null, prepared.scope.commonTables);
  const { returning, output } = bindReturning(returned, statement.returning, { row, others: rows.others });
  const plan: DeleteDraft = {
    kind: 'delete',
    relation: relation.oid,
    partition: target.partition,
    input,
    mark: rows.rowNumberId,
    others: rows.joined,
    returning,
    output,
    rowIds,
    existingIds: [],
    proposedIds: [],
  };
  return prepared.wrap(plan);
}
