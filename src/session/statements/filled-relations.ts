/**
 * CREATE TABLE AS, CREATE and REFRESH MATERIALIZED VIEW: the definition, then an INSERT of the query's rows, both
 * in the statement's transaction.
 */
import { ownerOf } from '../../catalog/access/checks.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Statement as Tree } from '../../sql/ast.ts';
import { fillingInsert, refilling } from '../../sql/bind/filling.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { checkBound } from '../rights/check.ts';
import type { Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import type { TableLock } from '../running/table-locks.ts';
import { lockedPlan } from '../running/locked-plan.ts';

export async function runCreateTableAs(
  statement: Statement,
  parsed: ParsedStatement,
  tree: Extract<Tree, { kind: 'create table as' }>,
): Promise<Running> {
  const { session, parameters, prepared } = statement;
  const definition = await lockedPlan(statement, parsed);
  const defined = await statement.run(definition);
  const skipped = definition.bound.kind === 'catalog' && definition.bound.edits.length === 0;
  if (skipped || !tree.withData) return defined;
  const insert = { ...parsed, statement: fillingInsert(tree) };
  const filling = session.plan(insert, prepared?.types ?? [], { parameters });
  const running = await statement.run(filling);
  return {
    columns: null,
    next: (limit) => running.next(limit),
    tag: (count) => `SELECT ${count}`,
    close: () => running.close(),
  };
}

/** Readers of older snapshots keep the rows that were; CONCURRENTLY asks for no more than that. */
export async function runRefresh(
  statement: Statement,
  parsed: ParsedStatement,
  tree: Extract<Tree, { kind: 'refresh' }>,
): Promise<Running> {
  const { session, signal } = statement;
  session.allow('data', 'REFRESH MATERIALIZED VIEW');
  const find = () => refilling({ catalog: session.catalog(), searchPath: session.searchPath() }, tree);
  const transaction = session.block.require();
  const mode = tree.concurrently ? 'exclusive' : 'access exclusive';
  await transaction.lockTable(find().view.oid, { mode, wait: 'block', signal });
  const { view, insert } = find();
  const definition = session.plan(parsed, []);
  const catalog = session.catalog();
  checkBound(catalog, session.identity.current, definition.bound);
  const defined = await statement.run(definition);
  transaction.truncate(view.oid, null);
  if (!tree.withData) return defined;
  const filling = session.plan({ ...parsed, statement: insert() }, []);
  // As its owner, who may have lost what it reads.
  checkBound(
    session.catalog(),
    ownerOf(session.catalog(), { kind: 'relation', oid: view.oid }),
    filling.bound,
  );
  const running = await statement.run(filling, { isAllowed: true });
  try {
    while ((await running.next(0)) !== null);
  } catch (error) {
    throw notUnique(error);
  } finally {
    await running.close();
  }
  return defined;
}

/** PostgreSQL builds the indexes of a view anew when it is filled. */
function notUnique(error: unknown): unknown {
  if (!(error instanceof SqlError) || error.condition !== 'unique_violation') return error;
  const { constraint = '', detail = '', table } = error.fields;
  return new SqlError(error.condition, `could not create unique index "${constraint}"`, {
    detail: detail.replace(/already exists\.$/, 'is duplicated.'),
    table,
    constraint,
  });
}

/** @throws SqlError 55000 where a statement reads a materialized view that has not been filled. */
export function requirePopulated(catalog: Catalog, locks: readonly TableLock[]): void {
  for (const { relation, mode } of locks) {
    const view = catalog.relations.get(relation);
    if (!view?.unpopulated || mode !== 'access share') continue;
    const message = `materialized view "${view.name}" has not been populated`;
    throw new SqlError('object_not_in_prerequisite_state', message, {
      hint: 'Use the REFRESH MATERIALIZED VIEW command.',
    });
  }
}
