/** Parameters of statements that the session runs: those of the statement inside, or of options. */
import type { Statement } from '../../sql/ast.ts';
import { optionParameters } from '../evaluation/configurations.ts';

/** EXPLAIN, DECLARE CURSOR and CREATE EVALUATION take the parameters of the statement inside. */
export function innerStatement(statement: Statement): Statement | null {
  switch (statement.kind) {
    case 'explain':
      return statement.statement;
    case 'create evaluation':
      return statement.query.statement;
    case 'declare cursor':
      return { kind: 'query', query: statement.query, at: statement.at };
    default:
      return null;
  }
}

/** Parameters of a statement without one inside. @param types as the client gave them. */
export const ownParameters = (statement: Statement, types: readonly number[]): readonly number[] =>
  statement.kind === 'evaluate' ? optionParameters(statement, types) : types;
