/**
 * The LSN of a request. A statement that only makes a request, outside of a block, is a transaction of its own, and is
 * committed before its row is sent: only then is there an LSN to tell.
 */
import type { Runner } from '../running/runner.ts';

interface Target {
  /** OID. */
  readonly relation: number;
  readonly partition: string | null;
}

/** Commits what stands alone. Null: the transaction goes on, and its end has an LSN. */
export async function endRequest(
  runner: Runner,
  { relation, partition }: Target,
  signal: AbortSignal,
): Promise<string | null> {
  if (!runner.requests.end(signal)) return null;
  await runner.commit(signal);
  const key = partition === null ? `${relation}` : `${relation}$${partition}`;
  return runner.block.lastLsns.get(key) ?? runner.environment.engine.lsn(relation, partition);
}
