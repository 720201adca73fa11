/**
 * A durable queue as a relation: which of its columns say where a job is, and the statements that all queues share. A
 * claim counts an attempt, and that number is its lease: what a worker writes later holds only while nobody has claimed,
 * cancelled or dropped the job since.
 */
import { SqlError } from '../errors.ts';
import type { Parameter, Query } from '../session/server-session.ts';
import { OID } from '../types/oids.ts';

export interface QueueTable {
  readonly relation: string;
  /** Column of the job's key, and its type. */
  readonly key: readonly [column: string, type: number];
  /** States of a job under way; a claimed one has the first. One that waits is `queued`. */
  readonly underWay: readonly [string, ...string[]];
  /** Assignments, as SQL, beside those of the state. */
  readonly with: {
    readonly claim: string;
    /** Each change of its state. */
    readonly change: string;
  };
  /** An attempt more is not begun: it has ended the server each time. */
  readonly begunMax: number;
  /** Waiting before the second attempt; doubled with each, up to the most. */
  readonly retry: { readonly ms: number; readonly msMax: number };
}

/** A job for one attempt. */
export interface Lease {
  readonly key: string;
  /** Attempts with this one. */
  readonly attempt: number;
}

const inStates = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** SQL that is true while the attempt lasts; `$1` and `$2` are the lease's. */
export const held = ({ key: [column], underWay }: QueueTable): string =>
  `${column} = $1 AND attempts = $2 AND state IN (${inStates(underWay)})`;

export const leaseParameters = (
  { key: [, type] }: QueueTable,
  { key, attempt }: Lease,
): readonly Parameter[] => [
  [type, key],
  [OID.int4, attempt],
];

/** After a start nothing is under way. */
export async function requeue(query: Query, { relation, underWay }: QueueTable): Promise<void> {
  await query(
    `UPDATE ${relation} SET state = 'queued', not_before = NULL WHERE state IN (${inStates(underWay)})`,
  );
}

/** @returns false where it is not to be done any more, or has been tried since it was read. */
export async function claim(query: Query, table: QueueTable, lease: Lease): Promise<boolean> {
  const { relation, key, underWay } = table;
  const rows = await query(
    `UPDATE ${relation} SET state = '${underWay[0]}', attempts = $2, ${table.with.claim}
     WHERE ${key[0]} = $1 AND state = 'queued' AND attempts = $2 - 1 RETURNING 1 AS found`,
    ...leaseParameters(table, lease),
  );
  return rows.length > 0;
}

/** @throws Error for an attempt that must not begin. */
export function refuseEndless({ begunMax }: QueueTable, { attempt }: Lease): void {
  if (attempt > begunMax) throw new Error(`it was begun ${begunMax} times, and never ended`);
}

/** Asked at a transaction's end, when it holds locks: whether the job, ended or not, is still that of the attempt. */
export async function isOurs(query: Query, table: QueueTable, lease: Lease): Promise<boolean> {
  const { relation, key } = table;
  const sql = `SELECT 1 AS found FROM ${relation} WHERE ${key[0]} = $1 AND attempts = $2`;
  return (await query(sql, ...leaseParameters(table, lease))).length > 0;
}

/** Locks its row. @returns false when the attempt does not last any more. */
export async function hold(query: Query, table: QueueTable, lease: Lease): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM ${table.relation} WHERE ${held(table)} FOR UPDATE`;
  return (await query(sql, ...leaseParameters(table, lease))).length > 0;
}

interface Postponed {
  readonly reason: string;
  /** Attempts, at most. */
  readonly attemptsMax: number;
  /** SQL, of the row `q`: true where it must end instead. */
  readonly unless?: string;
}

/** Tries it again later. @returns false when it has been tried often enough, or must end. */
export async function postpone(
  query: Query,
  table: QueueTable,
  lease: Lease,
  { reason, attemptsMax, unless }: Postponed,
): Promise<boolean> {
  if (lease.attempt >= attemptsMax) return false;
  const { ms, msMax } = table.retry;
  const rows = await query(
    `UPDATE ${table.relation} q SET state = 'queued', reason = $3, ${table.with.change},
       not_before = clock_timestamp() + $4 * interval '1 millisecond'
     WHERE ${held(table)}${unless === undefined ? '' : ` AND NOT ${unless}`} RETURNING 1 AS found`,
    ...leaseParameters(table, lease),
    [OID.text, reason],
    [OID.float8, Math.min(ms * 2 ** (lease.attempt - 1), msMax)],
  );
  return rows.length > 0;
}

/** SQL that is true of a job that need not wait for its next try, at the transaction's instant. */
export const IS_DUE = '(not_before IS NULL OR not_before <= now())';

/**
 * Milliseconds until a job may be tried again that was not due when the transaction began; null when none waits. One
 * that is due and does not begin waits for another job, whose end is told.
 */
export async function msUntilRetry(query: Query, { relation }: QueueTable): Promise<number | null> {
  const [row] = await query(
    `SELECT extract(epoch FROM min(not_before) - clock_timestamp())::float8 AS seconds FROM ${relation}
     WHERE state = 'queued' AND not_before > now()`,
  );
  return row === undefined || row.seconds === null ? null : Math.max(0, 1000 * Number(row.seconds));
}

/** A model that does not answer is no fault of the job: it is waited for. */
export const isWaiting = (error: unknown): boolean =>
  error instanceof SqlError && error.condition === 'system_error';

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
