/**
 * INSERT, UPDATE and DELETE.
 */
import { notSupported } from '../../errors.ts';
import type {
  DeleteStatement,
  Expr,
  InsertStatement,
  SelectItem,
  SetItem,
  TargetColumn,
  UpdateStatement,
} from '../ast.ts';
import { as, type MapContext, mapExpr, mapOptionalExpr, mapQuery } from './context.ts';
import { mapSubscript } from './expressions.ts';
import { mapRelationName } from './names.ts';
import { mapFromItem, mapSelectItems, mapWith } from './queries.ts';
import type { pg } from '../parse/grammar.ts';

export function mapInsert(context: MapContext, body: pg.InsertStmt): InsertStatement {
  const relation = mapRelationName(context, body.relation);
  return {
    kind: 'insert',
    at: relation.at,
    with: mapWith(context, body.withClause),
    relation,
    alias: body.relation?.alias?.aliasname ?? null,
    columns: body.cols === undefined ? null : body.cols.map((node) => mapTargetColumn(context, node)),
    source: body.selectStmt === undefined ? null : mapQuery(context, body.selectStmt),
    overriding: overriding(body.override),
    conflict: mapConflict(context, body.onConflictClause),
    returning: mapReturning(context, body.returningClause),
  };
}

export function overriding(kind: pg.OverridingKind | undefined): 'system' | 'user' | null {
  if (kind === 'OVERRIDING_SYSTEM_VALUE') return 'system';
  return kind === 'OVERRIDING_USER_VALUE' ? 'user' : null;
}

/** A column, or elements of it; `a.b` as a target is not there. */
export function mapTargetColumn(context: MapContext, node: pg.Node): TargetColumn {
  const target = as(node, 'ResTarget') ?? {};
  const at = context.at(target.location);
  const subscripts = (target.indirection ?? []).map((step) => {
    const index = as(step, 'A_Indices');
    if (index === null) throw notSupported('assigning to a field of a column', { position: at });
    return mapSubscript(context, index);
  });
  return { at, name: target.name ?? '', subscripts };
}

function mapConflict(
  context: MapContext,
  body: pg.OnConflictClause | undefined,
): InsertStatement['conflict'] {
  if (body === undefined) return null;
  const target =
    body.infer === undefined
      ? null
      : {
          elements: (body.infer.indexElems ?? []).map((node) =>
            conflictElement(context, as(node, 'IndexElem')),
          ),
          constraint: body.infer.conname ?? null,
          where: mapOptionalExpr(context, body.infer.whereClause),
        };
  const update = body.action === 'ONCONFLICT_UPDATE';
  return {
    target,
    set: update ? mapSet(context, body.targetList) : null,
    where: mapOptionalExpr(context, body.whereClause),
  };
}

function conflictElement(context: MapContext, element: pg.IndexElem | null): string | Expr {
  return element?.name ?? mapExpr(context, element?.expr);
}

/** `(a, b) = source` comes as one item a column, all with the same source. */
export function mapSet(context: MapContext, nodes: readonly pg.Node[] | undefined): SetItem[] {
  const items: SetItem[] = [];
  const list = nodes ?? [];
  for (let i = 0; i < list.length; ) {
    const { at, name, subscripts } = mapTargetColumn(context, list[i] as pg.Node);
    const value = as(list[i], 'ResTarget')?.val;
    const group = as(value, 'MultiAssignRef');
    if (group === null) {
      items.push({ at, columns: [name], subscripts: [subscripts], value: mapExpr(context, value) });
      i++;
    } else {
      const count = group.ncolumns ?? 1;
      const targets = list.slice(i, i + count).map((node) => mapTargetColumn(context, node));
      items.push({
        at,
        columns: targets.map((target) => target.name),
        subscripts: targets.map((target) => target.subscripts),
        value: mapExpr(context, group.source),
      });
      i += count;
    }
  }
  return items;
}

export function mapReturning(context: MapContext, body: pg.ReturningClause | undefined): SelectItem[] | null {
  if (body === undefined) return null;
  if (body.options !== undefined) throw notSupported('RETURNING WITH');
  return mapSelectItems(context, body.exprs);
}

export function mapUpdate(context: MapContext, body: pg.UpdateStmt): UpdateStatement {
  const relation = mapRelationName(context, body.relation);
  return {
    kind: 'update',
    at: relation.at,
    with: mapWith(context, body.withClause),
    relation,
    alias: body.relation?.alias?.aliasname ?? null,
    set: mapSet(context, body.targetList),
    from: (body.fromClause ?? []).map((node) => mapFromItem(context, node)),
    where: mapOptionalExpr(context, body.whereClause),
    returning: mapReturning(context, body.returningClause),
  };
}

export function mapDelete(context: MapContext, body: pg.DeleteStmt): DeleteStatement {
  const relation = mapRelationName(context, body.relation);
  return {
    kind: 'delete',
    at: relation.at,
    with: mapWith(context, body.withClause),
    relation,
    alias: body.relation?.alias?.aliasname ?? null,
    using: (body.usingClause ?? []).map((node) => mapFromItem(context, node)),
    where: mapOptionalExpr(context, body.whereClause),
    returning: mapReturning(context, body.returningClause),
  };
}
