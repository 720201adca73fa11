/**
 * The binder's door: a statement's syntax tree to a plan or a change of the catalog. Names end here; what
 * comes out refers to columns by position and to functions and types by registry id.
 */
import { SqlError } from '../../errors.ts';
import type { Catalog } from '../../catalog/model.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Plan } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { planChildren } from '../../plan/walk.ts';
import { OID } from '../../types/oids.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import type {
  CopyStatement,
  DeleteStatement,
  Expr,
  InsertStatement,
  MergeStatement,
  Query,
  Statement,
  TypeName,
  UpdateStatement,
  With,
} from '../ast.ts';
import { settleUnknown } from './expression/coerce.ts';
import { bindCopyFrom, copyQuery } from './write/copy.ts';
import { bindDefinition } from './define/definition.ts';
import { bindDelete, dropsPartition } from './write/delete.ts';
import { nameEnumTypes } from './define/enum-types.ts';
import { bindExpression } from './expression/expression.ts';
import { bindInsert } from './write/insert.ts';
import { bindMerge } from './write/merge.ts';
import { typeOf, writableRelation } from './names.ts';
import { bindQuery, type QueryScope, settleColumns } from './query/query.ts';
import { withoutShapes } from './expression/record.ts';
import { newLevel } from './scope.ts';
import { settle, settleScalar } from './settle.ts';
import { newState, type State } from './state.ts';
import { bindUpdate } from './write/update.ts';

export interface BindContext {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  /** OIDs of `$1`, `$2`, … as the client gave them; 0 for unknown. */
  readonly parameterTypes: readonly number[];
  readonly settings: FormatSettings;
  /** CREATE FUNCTION does not read bodies: check_function_bodies is off, as in a dump. */
  readonly unreadBodies?: boolean;
  /** restrict_nonsystem_relation_kind: users' views are not expanded, as pg_dump asks for. */
  readonly restrictedViews?: boolean;
}

/**
 * Binds a query, a write or a definition.
 * @throws SqlError with position for everything a user can have written wrong; 0A000 for statements that
 *   the session runs itself, which never come here.
 */
export function bindStatement(statement: Statement, context: BindContext): BoundStatement {
  nameEnumTypes(context);
  try {
    return bindAny(statement, context);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new SqlError('statement_too_complex', 'the statement is nested too deeply', {
        hint: 'Split it, or compare with = ANY (array) instead of a long chain of OR.',
      });
    }
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
export function bindScalar(expr: Expr, context: BindContext): Expression {
  const state = newState(context);
  const level = newLevel(state, null, null);
  level.clause = 'EXECUTE parameters';
  return settleScalar(state, settleUnknown(state, bindExpression(level, expr)));
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
    case 'insert':
      return finish(state, bindInsert(scope, statement), { tag: 'INSERT', returning: returns(statement) });
    case 'update':
      return finish(state, bindUpdate(scope, statement), { tag: 'UPDATE', returning: returns(statement) });
    case 'delete': {
      if (!dropsPartition(statement)) {
        return finish(state, bindDelete(scope, statement), { tag: 'DELETE', returning: returns(statement) });
      }
      const relation = writableRelation(context, statement.relation);
      return {
        kind: 'drop partition',
        relation: relation.oid,
        partition: statement.relation.partition ?? '',
      };
    }
    case 'merge':
      return finish(state, bindMerge(scope, statement), { tag: 'MERGE', returning: returns(statement) });
    case 'copy':
      return bindCopy(scope, statement);
    default:
      return bindDefinition(statement, context);
  }
}

function topWith(statement: Statement): With | null {
  if (statement.kind === 'query') return statement.query.with;
  return 'with' in statement ? statement.with : null;
}

/** A query as the whole statement: unknown columns are text. */
function queryPlan(state: State, query: Query): Plan {
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

function returns(statement: InsertStatement | UpdateStatement | DeleteStatement | MergeStatement): boolean {
  return statement.returning !== null;
}

function finish(
  state: State,
  draft: Plan,
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
    tag: how.tag,
    output: how.returning ? withoutShapes(plan.output) : null,
    writes: how.tag !== 'SELECT' || (state.topWith !== null && hasWrite(plan)),
    parameters,
    catalogVersion: state.context.catalog.version,
  };
}
