/**
 * How long entries of the audit are kept: `--audit-days`, and not more than so many. What goes is told by an entry that names
 * the last one gone with its hash, so that the chain that is left can be followed from there.
 */
import { AUDIT_KEPT_COUNT_MAX } from '../../limits.ts';
import type { Kept } from '../answers/retention.ts';
import type { Query } from '../server-session.ts';
import { OID } from '../../types/oids.ts';
import { entryText, insertEntries, NOBODY } from './entry.ts';

/** Entries that go at a time: each time tells of itself. */
const SLICE = 5_000;
/** So many have to be there that may go. */
const FEW = 100;

/** @returns how many have gone; fewer than a slice: no more are to go. */
export async function forgetEntries(
  query: Query,
  { days, countMax = AUDIT_KEPT_COUNT_MAX, nowMs }: Pick<Kept, 'days'> & Partial<Kept> & { nowMs: number },
): Promise<number> {
  const oldest = new Date(nowMs - days * 86_400_000).toISOString();
  const rows = await query(
    `SELECT sequence, hash, entry::jsonb->>'at' < $1 OR
         sequence <= (SELECT max(sequence) FROM quern.audit_entries) - ${countMax} AS goes
       FROM quern.audit_entries ORDER BY sequence LIMIT ${SLICE}`,
    [OID.text, oldest],
  );
  const end = rows.findIndex(({ goes }) => goes !== true);
  const gone = end === -1 ? rows : rows.slice(0, end);
  const last = gone.at(-1);
  if (last === undefined || gone.length < FEW) return 0;
  const through = Number(last.sequence);
  await query('DELETE FROM quern.audit_entries WHERE sequence <= $1', [OID.int8, BigInt(through)]);
  await query('DELETE FROM quern.audit_texts WHERE at < $1::timestamptz', [OID.text, oldest]);
  const detail = { through, hash: String(last.hash) };
  await insertEntries(query, [entryText(nowMs, NOBODY, { action: 'retention', detail })]);
  return gone.length;
}
