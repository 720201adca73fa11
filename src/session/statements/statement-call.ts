/** Context of a statement that concerns the session only. */
import type { Statement as Tree } from '../../sql/ast.ts';
import type { ResultSink } from '../protocol.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { PreparedStatement } from './prepared.ts';

export type StatementKind = Tree['kind'];
/** The member of the union whose kind is, or includes, K. */
type Member<S, K> = S extends { readonly kind: infer Own } ? (K extends Own ? S : never) : never;
export type StatementOf<K extends StatementKind> = Member<Tree, K>;

/** Starts statements that stand inside of others: of EXECUTE, of PREPARE. */
export interface InnerRunner {
  run(statement: Statement, parsed: ParsedStatement): Running | Promise<Running>;
  /** Before it is prepared: what the session may know of is looked for. Null: there is nothing to look for. */
  look(
    sink: ResultSink | null,
    parsed: ParsedStatement | null,
    types: readonly number[],
  ): Promise<void> | null;
  /** Binds now, so that parameters and columns are known. @param types OIDs; 0 for unknown. */
  prepare(
    name: string,
    parsed: ParsedStatement | null,
    types: readonly number[],
    fromSql?: boolean,
  ): PreparedStatement;
}

/** Call of a statement. */
export interface StatementCall<K extends StatementKind> {
  readonly session: SessionState;
  readonly statement: Statement;
  readonly parsed: ParsedStatement;
  readonly tree: StatementOf<K>;
  readonly runner: InnerRunner;
}

export function warnNoTransaction(statement: Pick<Statement, 'notice'>, what: string): void {
  statement.notice({
    severity: 'WARNING',
    condition: 'no_active_sql_transaction',
    message: `${what} can only be used in transaction blocks`,
  });
}
