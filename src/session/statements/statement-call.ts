/** Context of a statement that concerns the session only. */
import type { Statement } from '../../sql/ast.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Runner, RunRequest } from '../running/runner.ts';

export type StatementKind = Statement['kind'];
/** The member of the union whose kind is, or includes, K. */
type Member<S, K> = S extends { readonly kind: infer Own } ? (K extends Own ? S : never) : never;
export type StatementOf<K extends StatementKind> = Member<Statement, K>;

/** Call of a statement. */
export interface StatementCall<K extends StatementKind> {
  readonly runner: Runner;
  readonly parsed: ParsedStatement;
  readonly statement: StatementOf<K>;
  readonly request: RunRequest;
}

export function warnNoTransaction(runner: Runner, what: string): void {
  runner.notice({
    severity: 'WARNING',
    condition: 'no_active_sql_transaction',
    message: `${what} can only be used in transaction blocks`,
  });
}
