/** Where time begins: instants of SQL count microseconds from 2000-01-01 UTC, as PostgreSQL's do; Unix counts from 1970-01-01. */

/** From Unix's beginning to PostgreSQL's. */
export const UNIX_EPOCH_MS = 946_684_800_000;
export const UNIX_EPOCH_MICROS = 946_684_800_000_000n;

/** @param micros since 2000-01-01 UTC. @returns whole milliseconds since 1970-01-01 UTC. */
export const unixMs = (micros: bigint): number => Number(micros / 1000n) + UNIX_EPOCH_MS;
