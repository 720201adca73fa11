/** MERGE. */
import type { MergeClause, MergeStatement } from '../ast.ts';
import { mapReturning, mapSet, mapTargetColumn, overriding } from './changes.ts';
import { as, type MapContext, mapExpr, mapOptionalExpr } from './context.ts';
import { mapRelationName } from './names.ts';
import { mapFromItem, mapWith } from './queries.ts';
import type { pg } from '../parse/grammar.ts';

const MATCHES: Readonly<Record<string, MergeClause['match']>> = {
  MERGE_WHEN_MATCHED: 'matched',
  MERGE_WHEN_NOT_MATCHED_BY_SOURCE: 'not matched by source',
  MERGE_WHEN_NOT_MATCHED_BY_TARGET: 'not matched by target',
};

export function mapMerge(context: MapContext, body: pg.MergeStmt): MergeStatement {
  const relation = mapRelationName(context, body.relation);
  return {
    kind: 'merge',
    at: relation.at,
    with: mapWith(context, body.withClause),
    relation,
    alias: body.relation?.alias?.aliasname ?? null,
    source: mapFromItem(context, body.sourceRelation as pg.Node),
    on: mapExpr(context, body.joinCondition),
    clauses: (body.mergeWhenClauses ?? []).map((node) =>
      mapClause(context, as(node, 'MergeWhenClause') ?? {}),
    ),
    returning: mapReturning(context, body.returningClause),
  };
}

function mapClause(context: MapContext, body: pg.MergeWhenClause): MergeClause {
  const condition = mapOptionalExpr(context, body.condition);
  const match = MATCHES[body.matchKind ?? ''] ?? 'matched';
  switch (body.commandType) {
    case 'CMD_UPDATE':
      return { match, condition, action: 'update', set: mapSet(context, body.targetList) };
    case 'CMD_DELETE':
      return { match, condition, action: 'delete' };
    case 'CMD_INSERT':
      return {
        match,
        condition,
        action: 'insert',
        columns: body.targetList?.map((node) => mapTargetColumn(context, node)) ?? null,
        values: body.values?.map((node) => mapExpr(context, node)) ?? null,
        overriding: overriding(body.override),
      };
    default:
      return { match, condition, action: 'nothing' };
  }
}
