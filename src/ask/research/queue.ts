/** Runs of research as a durable queue (`queue/queue-table.ts`). */
import type { Lease, QueueTable } from '../../queue/queue-table.ts';
import { OID } from '../../types/oids.ts';

/** A run that ends the server each time is tried no more. */
export const ATTEMPTS_MAX = 5;

/** Runs as a queue. */
export const RUNS: QueueTable = {
  relation: 'quern.research',
  key: ['research_id', OID.uuid],
  underWay: ['running'],
  with: { claim: 'started_at = coalesce(started_at, clock_timestamp())', change: 'sqlstate = NULL' },
  begunMax: ATTEMPTS_MAX,
  retry: { ms: 10_000, msMax: 600_000 },
};

/** @param run with the number of its attempt. */
export const leaseOf = ({ id, attempt }: { readonly id: string; readonly attempt: number }): Lease => ({
  key: id,
  attempt,
});
