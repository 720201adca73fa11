/** Looks for the undeclared columns of documents that a session sees (`seen-fields.ts`), by SQL of the server's own under its policies. */
import { namespaceName } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { runInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import { rowLimits } from '../scope/key-limits.ts';
import type { SessionState } from '../session-state.ts';
import { type FindFields, undeclaredOf } from './seen-fields.ts';

/** Columns asked for by one statement. */
const COLUMNS_A_QUERY = 50;

export const findFields =
  (statement: Statement): FindFields =>
  (relation) =>
    seenOf(statement, relation).catch((error: unknown) => noneSeen(statement, error));

/** A policy that fails does so for who reads the collection, not for who lists its columns. */
function noneSeen({ signal }: Statement, error: unknown): ReadonlySet<number> {
  if (error instanceof SqlError && !signal.aborted) return new Set();
  throw error;
}

/** Columns that some document has which the session sees, in any partition that it reaches. */
async function seenOf(statement: Statement, relation: Relation): Promise<ReadonlySet<number>> {
  const { session } = statement;
  const schema = quoteIdentifier(namespaceName(session.catalog(), relation.namespace) ?? '');
  const seen = new Set<number>();
  for (const name of placesOf(session, relation)) {
    const from = `${schema}.${quoteIdentifier(name)}`;
    const wanted = undeclaredOf(relation).filter(({ attribute }) => !seen.has(attribute));
    for (let at = 0; at < wanted.length; at += COLUMNS_A_QUERY) {
      const some = wanted.slice(at, at + COLUMNS_A_QUERY);
      const asked = some.map(
        (column) => `EXISTS (SELECT FROM ${from} WHERE ${quoteIdentifier(column.name)} IS NOT NULL)`,
      );
      const request = { types: [], parameters: [], isAllowed: true } as const;
      const [batch] = await runInternal(statement, `SELECT ${asked.join(', ')}`, request);
      for (const [i, { attribute }] of some.entries()) {
        if (batch?.columns[i]?.get(0) === true) seen.add(attribute);
      }
    }
  }
  return seen;
}

/** The relation and its partitions by name, as far as the session's key reaches them. */
function placesOf(session: SessionState, relation: Relation): readonly string[] {
  using snapshot = session.block.require().snapshot();
  const limits = rowLimits(session)?.partitions ?? null;
  const reached = snapshot
    .partitions(relation.oid)
    .filter((name) => limits === null || limits.includes(name));
  return [...(limits === null ? [relation.name] : []), ...reached.map((name) => `${relation.name}$${name}`)];
}
