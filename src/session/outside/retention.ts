/** How long requests to endpoints and to language models are written down for: `--call-days`, and not more than so many. */
import { CALLS_KEPT_COUNT_MAX } from '../../limits.ts';
import { type Kept, SLICE } from '../answers/retention.ts';
import type { Query } from '../server-session.ts';

/** Their ids are in the order of time. */
const LOGS = ['outside_calls', 'inference_log'] as const;

export async function forgetCalls(
  query: Query,
  { days, countMax = CALLS_KEPT_COUNT_MAX }: Pick<Kept, 'days'> & Partial<Kept>,
): Promise<number> {
  let gone = 0;
  for (const log of LOGS) {
    const rows = await query(
      `DELETE FROM quern.${log} WHERE id IN (SELECT id FROM quern.${log} ORDER BY id LIMIT ${SLICE})
         AND (at < clock_timestamp() - interval '${days} days'
           OR id <= (SELECT max(id) FROM quern.${log}) - ${countMax})
       RETURNING id`,
    );
    gone = Math.max(gone, rows.length);
  }
  return gone;
}
