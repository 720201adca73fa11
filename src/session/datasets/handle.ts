/** Names of what is asked of ingestion: UUIDs of version 7, which tell when they were given. */
import { unixMs } from '../../epoch.ts';
import { HANDLE_DAYS_KEPT } from '../../limits.ts';

const DAY_MS = 86_400_000;
const HANDLE = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True when it was given so long ago that it may have been forgotten. */
export function mayBeForgotten(handle: string, clockMicros: bigint): boolean {
  const [, high, low] = HANDLE.exec(handle) ?? [];
  if (high === undefined || low === undefined) return false;
  return unixMs(clockMicros) - Number.parseInt(high + low, 16) >= HANDLE_DAYS_KEPT * DAY_MS;
}
