/** CREATE TABLE AS: the definition, then an INSERT of the query's rows, both in the statement's transaction. */
import type { Statement } from '../sql/ast.ts';
import { fillingInsert } from '../sql/bind/create-table-as.ts';
import type { ParsedStatement } from '../sql/parse.ts';
import type { Running } from './running.ts';
import type { RunRequest, StatementRunner } from './statement-runner.ts';

export async function runCreateTableAs(
  runner: StatementRunner,
  parsed: ParsedStatement,
  statement: Extract<Statement, { kind: 'create table as' }>,
  request: RunRequest,
): Promise<Running> {
  const types = request.prepared?.types ?? [];
  const definition = runner.plan(parsed, types);
  const defined = await runner.runPlanned(definition, request, null);
  const skipped = definition.bound.kind === 'catalog' && definition.bound.edits.length === 0;
  if (skipped || !statement.withData) return defined;
  const filling = runner.plan({ ...parsed, statement: fillingInsert(statement) }, types);
  const running = await runner.runPlanned(filling, request, null);
  return {
    columns: null,
    next: (limit) => running.next(limit),
    tag: (count) => `SELECT ${count}`,
    close: () => running.close(),
  };
}
