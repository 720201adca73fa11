/**
 * The LSN of a request. A statement that only makes a request, outside of a block, is a transaction of its own, and is
 * committed before its row is sent: only then is there an LSN to tell.
 */
import type { Statement } from '../running/statement.ts';

interface Target {
  /** OID. */
  readonly relation: number;
  readonly partition: string | null;
}

/** Commits what stands alone. Null: the transaction goes on, and its end has an LSN. */
export async function endRequest(
  statement: Statement,
  { relation, partition }: Target,
): Promise<string | null> {
  if (!statement.endsTransaction) return null;
  statement.endsTransaction = false;
  await statement.commit();
  const { block, environment } = statement.session;
  const key = partition === null ? `${relation}` : `${relation}$${partition}`;
  return block.lastLsns.get(key) ?? environment.engine.lsn(relation, partition);
}
