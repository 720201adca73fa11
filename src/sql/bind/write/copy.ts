/**
 * COPY: from the client it is an INSERT whose rows stream in, already typed by their columns; to the client
 * it is a query. Columns that a collection does not have yet are text.
 */
import { present } from '../../../assert.ts';
import { privilegesOn } from '../../../catalog/access/checks.ts';
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { type Column, columnByName, type Relation } from '../../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { SqlError } from '../../../errors.ts';
import type { CopyStatement, InsertStatement, QualifiedName, Query } from '../../ast.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { type DraftColumn, filter, type Plan, reference, TEXT } from '../draft.ts';
import { type BindContext, bindExpression, type QueryScope } from '../context.ts';
import { insertPlan, type Target } from './insert.ts';
import { storedRelation } from '../names.ts';
import { writtenColumn } from './returning.ts';
import { inClause, newLevel } from '../level.ts';
import { type RelationUse, useRelation } from '../rights.ts';
import { newId, type State } from '../state.ts';
import { relationTarget, type WriteTarget } from './write-target.ts';

/** An insert of the stream's rows. @throws SqlError 42P01, 42703, 42701, 42809, 42P10. */
export function bindCopyFrom(scope: QueryScope, statement: CopyStatement): Plan {
  const { state } = scope;
  const name = copiedName(statement);
  const relation = storedRelation(state.context, name);
  checkKind(state.context, relation, 'to');
  const use = useRelation(state, relation, PRIVILEGE.insert);
  const into = relationTarget(relation, name, { verb: 'insert', use });
  const targets = copyTargets(into, statement.columns);
  const output = targets.map((target, i): DraftColumn => {
    const type = statement.types?.[i] ?? target.column?.type ?? TEXT;
    return { id: newId(state), name: target.name, type, relation: 0, attribute: 0 };
  });
  const stream: Plan = { kind: 'stream', output };
  const plan =
    statement.where === null ? stream : whereCopied(state, statement, { stream, output, relation, use });
  const insert: InsertStatement = {
    kind: 'insert',
    at: statement.at,
    with: null,
    relation: name,
    alias: null,
    columns: null,
    source: null,
    overriding: 'system',
    conflict: null,
    returning: null,
  };
  return insertPlan(scope, insert, into, { plan, targets });
}

function whereCopied(
  state: State,
  { where }: CopyStatement,
  rows: { stream: Plan; output: readonly DraftColumn[]; relation: Relation; use: RelationUse },
): Plan {
  if (where === null) return rows.stream;
  const level = newLevel(state, null, null);
  const columns = rows.output.map(({ id, name, type }) => {
    const attribute = columnByName(rows.relation, name)?.attribute ?? 0;
    const used = { use: rows.use, attribute };
    return { name, expression: reference(id, type), undeclared: false, relation: 0, attribute: 0, used };
  });
  level.items = [
    {
      alias: rows.relation.name,
      schema: null,
      columns,
      relation: rows.relation,
      scan: null,
      oid: rows.relation.oid,
      originalName: null,
    },
  ];
  level.columns = columns;
  const condition = inClause(level, 'WHERE', () =>
    coerceBoolean(state, bindExpression(level, where), 'argument of COPY FROM WHERE'),
  );
  return filter(rows.stream, condition);
}

/** The query behind COPY TO. */
export function copyQuery(scope: QueryScope, statement: CopyStatement): Query {
  if (statement.query !== null) return statement.query;
  const name = copiedName(statement);
  const relation = storedRelation(scope.state.context, name);
  checkKind(scope.state.context, relation, 'from');
  const into = relationTarget(relation, name, { verb: 'insert', use: null });
  const columns = copyTargets(into, statement.columns);
  const { at } = statement;
  return {
    kind: 'select',
    at,
    distinct: 'all',
    items: columns.map((column) => ({
      at,
      value: { kind: 'column', at, path: [column.name] },
      alias: null,
    })),
    from: [{ kind: 'relation', at, relation: name, alias: null }],
    where: null,
    group: [],
    groupDistinct: false,
    having: null,
    windows: [],
    with: null,
    order: [],
    limit: null,
    offset: null,
    withTies: false,
    locking: [],
  };
}

/** Errors about it have no position, as in PostgreSQL. */
function copiedName({ relation }: CopyStatement): QualifiedName {
  return { ...present(relation, 'relation of COPY'), at: 0 };
}

/** Refuses what cannot be copied; first whoever has no right on it. @throws SqlError 42501, 42809. */
function checkKind(
  { catalog, role = OWNER_ROLE_OID }: BindContext,
  { oid, kind, name }: Relation,
  direction: 'from' | 'to',
): void {
  if (kind === 'table' || kind === 'collection') return;
  if (kind === 'materialized view' && direction === 'from') return;
  const hints = {
    from: 'Try the COPY (SELECT ...) TO variant.',
    to: 'To enable copying to a view, provide an INSTEAD OF INSERT trigger.',
  };
  const wanted = direction === 'from' ? PRIVILEGE.select : PRIVILEGE.insert;
  if ((privilegesOn(catalog, role, { kind: 'relation', oid }) & wanted) === 0) {
    throw new SqlError('insufficient_privilege', `permission denied for ${kind} ${name}`);
  }
  const hint = kind === 'view' ? hints[direction] : undefined;
  throw new SqlError('wrong_object_type', `cannot copy ${direction} ${kind} "${name}"`, { hint });
}

/** The columns as written, or all that hold values of their own. */
function copyTargets(into: WriteTarget, names: readonly string[] | null): Target[] {
  if (names === null) {
    const own = into.columns.filter(({ column }) => column?.generatedText === null);
    return own.map(({ name, column }) => ({ name, column, at: 0 }));
  }
  const seen = new Set<string>();
  return names.map((name) => {
    if (seen.has(name)) {
      throw new SqlError('duplicate_column', `column "${name}" specified more than once`);
    }
    seen.add(name);
    const target = writtenColumn(into, name, 0);
    checkStored(target.column);
    return { ...target, at: 0 };
  });
}

function checkStored(column: Column | null): void {
  if (column === null || column.generatedText === null) return;
  throw new SqlError('invalid_column_reference', `column "${column.name}" is a generated column`, {
    detail: 'Generated columns cannot be used in COPY.',
  });
}
