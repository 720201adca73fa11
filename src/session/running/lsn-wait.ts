/** `SET quern.lsn = 'books:12'`: a statement waits until that state is there, for `quern.lsn_timeout` at most. */
import { splitPartition } from '../../catalog/partition-names.ts';
import type { Engine } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';

interface LsnWait {
  /** `collection:lsn`, as the setting has it. */
  readonly wanted: string;
  /** 0: as long as the statement may take. */
  readonly timeoutMs: number;
  readonly relationOid: (name: string) => number | null;
  readonly engine: Pick<Engine, 'waitForLsn' | 'lsn'>;
}

/** @throws SqlError 42P01; 57014 `lsn_timeout`; the signal's reason. */
export async function waitForLsn(
  { wanted, timeoutMs, relationOid, engine }: LsnWait,
  signal: AbortSignal,
): Promise<void> {
  const colon = wanted.lastIndexOf(':');
  const [written, lsn] = [wanted.slice(0, colon), wanted.slice(colon + 1)];
  const { name, partition } = splitPartition(written);
  const oid = relationOid(name);
  if (oid === null) throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  if (timeoutMs === 0) return engine.waitForLsn(oid, partition, lsn, signal);
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `LSN ${lsn} of "${written}" was not there within ${timeoutMs} ms`;
    const hint = `It is at ${engine.lsn(oid, partition)}; quern.lsn_timeout says how long a read waits.`;
    late.abort(new SqlError('query_canceled', message, { routine: 'lsn_timeout', hint }));
  }, timeoutMs);
  try {
    await engine.waitForLsn(oid, partition, lsn, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
