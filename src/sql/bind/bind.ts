/**
 * The binder's door: a statement's syntax tree to a plan or a change of the catalog. Names end here; what
 * comes out refers to columns by position and to functions and types by registry id.
 */
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import { withEnumNames } from '../../catalog/enums.ts';
import { SqlError, tooDeep } from '../../errors.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Plan as DraftPlan } from './draft.ts';
import type { Right } from '../../plan/right.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { planChildren } from '../../plan/walk.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';
import type { CopyStatement, DeleteStatement, Expr, Query, Statement, TypeName, With } from '../ast.ts';
import { settleUnknown } from './expression/coerce.ts';
import { bindCopyFrom, copyQuery } from './write/copy.ts';
import { bindDefinition } from './define/definition.ts';
import { definitionRights } from './define/definition-rights.ts';
import { dropsPartition } from './write/delete.ts';
import {
  type BindContext,
  type Binders,
  bindExpression,
  bindQuery,
  type BindRequest,
  bindWrite,
  type QueryScope,
  type WriteStatement,
} from './context.ts';
import { typeOf, writableRelation } from './names.ts';
import { settleColumns } from './query/convert-columns.ts';
import { withoutShapes } from './expression/record.ts';
import { newLevel } from './level.ts';
import { rightsOf } from './rights.ts';
import { settle, settleScalar } from './settle.ts';
import { rowRule } from './relation/row-security.ts';
import { newState, type State } from './state.ts';
import { bindAnyExpression } from './expression/expression.ts';
import { bindAnyQuery } from './query/query.ts';
import { bindAnyWrite } from './write/write.ts';

const BINDERS: Binders = { expression: bindAnyExpression, query: bindAnyQuery, write: bindAnyWrite, rowRule };

/** For what binds parts of statements. */
export const bindContext = (request: BindRequest): BindContext => ({ ...request, binders: BINDERS });

/**
 * Binds a query, a write or a definition.
 * @throws SqlError with position for everything a user can have written wrong; 0A000 for statements that
 *   the session runs itself, which never come here.
 */
export function bindStatement(statement: Statement, request: BindRequest): BoundStatement {
  const context = bindContext(request);
  try {
    return withEnumNames(context, () => bindAny(statement, context));
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (error instanceof SqlError && error.fields.position === 0) throw withoutPosition(error);
    throw error;
  }
}

/** 0 stands for "not known" in the syntax tree. */
function withoutPosition(error: SqlError): SqlError {
  const { position: _, ...fields } = error.fields;
  return new SqlError(error.condition, error.message, fields);
}

/** An expression with no relations in sight: EXECUTE arguments, SET, defaults. */
export function bindScalar(
  expr: Expr,
  request: BindRequest,
): { readonly expression: Expression; readonly rights: readonly Right[] } {
  const state = newState(bindContext(request));
  const level = newLevel(state, null, null);
  level.clause = 'EXECUTE parameters';
  const bind = (): Expression => settleScalar(state, settleUnknown(state, bindExpression(level, expr)));
  const expression = withEnumNames(request, bind);
  return { expression, rights: rightsOf(state) };
}

/** The type that a name stands for. @throws SqlError 42704, 22023. */
export const bindType = (name: TypeName, names: Pick<BindContext, 'catalog' | 'searchPath'>): TypeRef =>
  typeOf(names, name);

function bindAny(statement: Statement, context: BindContext): BoundStatement {
  const state = newState(context);
  const scope = { state, parent: null, commonTables: null };
  state.topWith = topWith(statement);
  switch (statement.kind) {
    case 'query':
      return finish(state, queryPlan(state, statement.query), { tag: 'SELECT', returning: true });
    case 'delete':
      if (dropsPartition(statement)) return dropPartition(statement, context);
      return finishWrite(scope, statement);
    case 'insert':
    case 'update':
    case 'merge':
      return finishWrite(scope, statement);
    case 'copy':
      return bindCopy(scope, statement);
    default:
      return guarded(statement, context);
  }
}

function guarded(statement: Parameters<typeof bindDefinition>[0], context: BindContext): BoundStatement {
  const bound = bindDefinition(statement, context);
  return { ...bound, rights: definitionRights(statement, { context, bound }) };
}

function dropPartition({ relation }: DeleteStatement, context: BindContext): BoundStatement {
  const { oid } = writableRelation(context, relation);
  const rights = [{ kind: 'relation', oid, privileges: PRIVILEGE.delete, as: null }] as const;
  return { kind: 'drop partition', rights, relation: oid, partition: relation.partition ?? '', absent: null };
}

const TAGS = { insert: 'INSERT', update: 'UPDATE', delete: 'DELETE', merge: 'MERGE' } as const;

function finishWrite(scope: QueryScope, statement: WriteStatement): BoundStatement {
  const returning = statement.returning !== null;
  return finish(scope.state, bindWrite(scope, statement), { tag: TAGS[statement.kind], returning });
}

function topWith(statement: Statement): With | null {
  if (statement.kind === 'query') return statement.query.with;
  return 'with' in statement ? statement.with : null;
}

/** A query as the whole statement: unknown columns are text. */
function queryPlan(state: State, query: Query): DraftPlan {
  return settleColumns(state, bindQuery({ state, parent: null, commonTables: null }, query).plan);
}

function bindCopy(scope: QueryScope, statement: CopyStatement): BoundStatement {
  const { state } = scope;
  if (statement.direction === 'from') {
    return finish(state, bindCopyFrom(scope, statement), { tag: 'INSERT', returning: false });
  }
  return finish(state, queryPlan(state, copyQuery(scope, statement)), { tag: 'SELECT', returning: true });
}

function hasWrite(plan: Plan): boolean {
  return plan.kind === 'insert' || plan.kind === 'update' || plan.kind === 'delete' || plan.kind === 'merge'
    ? true
    : planChildren(plan).some(hasWrite);
}

function finish(
  state: State,
  draft: DraftPlan,
  how: { readonly tag: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE'; readonly returning: boolean },
): BoundStatement {
  const parameters = state.parameters.map((oid, i) => {
    if (oid !== 0 && oid !== OID.unknown) return oid;
    throw new SqlError('indeterminate_datatype', `could not determine data type of parameter $${i + 1}`);
  });
  const plan = settle(state, draft);
  return {
    kind: 'plan',
    plan,
    rights: rightsOf(state),
    tag: how.tag,
    output: how.returning ? withoutShapes(plan.output) : null,
    writes: how.tag !== 'SELECT' || (state.topWith !== null && hasWrite(plan)),
    parameters,
    fixed: state.fixed,
    catalogVersion: state.context.catalog.version,
  };
}
