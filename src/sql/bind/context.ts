/**
 * Shared parts of binders: what a statement is bound with, and the three binders that all others may call. An
 * expression holds a query, a query expressions, and WITH a write; so that no file has to import one that imports
 * it, these are called through the table that `bind.ts` puts together.
 */
import type { PolicyCommand } from '../../catalog/access/model.ts';
import type { Catalog, Relation } from '../../catalog/model.ts';
import type { RowKey } from '../../catalog/private-relations.ts';
import type { RowRule } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings } from '../../types/type.ts';
import type {
  DeleteStatement,
  Expr,
  InsertStatement,
  MergeStatement,
  Query,
  UpdateStatement,
} from '../ast.ts';
import type { Draft, DraftColumn, Expression, Plan } from './draft.ts';
import type { Level, RowLock, ScopeItem } from './level.ts';
import type { CommonTables } from './query/common-tables.ts';
import type { State } from './state.ts';

/** Request of a session to bind. */
export interface BindRequest {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  /** OID of `current_user`, who may name what is in schemas it may use, and defines; absent: the owner of all. */
  readonly role?: number;
  /** OIDs of `$1`, `$2`, … as the client gave them; 0 for unknown. */
  readonly parameterTypes: readonly number[];
  /** Their values, where the plan is made for one run; absent: it is only described. */
  readonly parameterValues?: readonly Datum[];
  readonly settings: FormatSettings;
  /** OID of the role whose rows there are, where that is another: the server asks for a client. */
  readonly rowRole?: number;
  /** The session's key, where it limits which rows there are. */
  readonly rowKey?: RowKey | null;
  /** False: a query that policies would concern is refused (`row_security`). */
  readonly rowSecurity?: boolean;
  /** A text is bound that is kept: functions in it are found as they were when it was defined (`deparse/enum-names.ts`). */
  readonly inStoredText?: boolean;
  /** Policies are not asked: nothing is read of what is bound, it is defined. */
  readonly isDefined?: boolean;
  /** CREATE FUNCTION does not read bodies: check_function_bodies is off, as in a dump. */
  readonly unreadBodies?: boolean;
  /** A column that a collection has not is NULL: quern.unknown_columns. */
  readonly unknownColumns?: boolean;
  /** restrict_nonsystem_relation_kind: users' views are not expanded, as pg_dump asks for. */
  readonly restrictedViews?: boolean;
  /** OID of `session_user`; absent: as `role`. */
  readonly sessionRole?: number;
}

export interface BindContext extends BindRequest {
  readonly binders: Binders;
}

export interface Binders {
  readonly expression: (level: Level, expr: Expr) => Expression;
  readonly query: (scope: QueryScope, query: Query, options: QueryOptions) => QueryResult;
  readonly write: (scope: QueryScope, statement: WriteStatement) => Plan;
  readonly rowRule: (level: Level, relation: Relation, of: RuledRows) => RowRule<Draft> | null;
}

export interface RuledRows {
  readonly partition: string | null;
  /** Commands whose policies a row has to pass, all of them. */
  readonly commands: readonly Exclude<PolicyCommand, 'all'>[];
}

export type WriteStatement = InsertStatement | UpdateStatement | DeleteStatement | MergeStatement;

/** Where a query stands: what its expressions see outside of it. */
export interface QueryScope {
  readonly state: State;
  readonly parent: Level | null;
  readonly commonTables: CommonTables | null;
  /** FROM entries beside it that only LATERAL would show. */
  readonly hidden?: readonly ScopeItem[];
  /** How FOR UPDATE around the query locks its rows. */
  readonly lock?: RowLock | null;
}

export interface QueryResult {
  readonly plan: Plan;
  readonly columns: readonly DraftColumn[];
}

export interface QueryOptions {
  /** Leaves unknown literals and parameters of the select list for the caller to type. */
  readonly keepUnknown?: boolean;
}

/** Binds one expression; unknown literals and parameters may still be of type unknown. */
export function bindExpression(level: Level, expr: Expr): Expression {
  return level.state.context.binders.expression(level, expr);
}

export function bindQuery(scope: QueryScope, query: Query, options: QueryOptions = {}): QueryResult {
  return scope.state.context.binders.query(scope, query, options);
}

/** Null: all rows are there. @throws SqlError 42501, 42P17. */
export function bindRowRule(level: Level, relation: Relation, of: RuledRows): RowRule<Draft> | null {
  return level.state.context.binders.rowRule(level, relation, of);
}

export function bindWrite(scope: QueryScope, statement: WriteStatement): Plan {
  return scope.state.context.binders.write(scope, statement);
}
