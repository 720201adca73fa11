/** Statements that answer somebody's question: with the rights of the asker's session, within its transaction. */
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { Query } from '../server-session.ts';
import { readsTerms } from './terms/find-terms.ts';

export const askerQuery =
  (statement: Statement): Query =>
  (sql, ...parameters) =>
    rowsOf(statement, sql, { parameters, ...(readsTerms(sql) && { isAllowed: true }) });
