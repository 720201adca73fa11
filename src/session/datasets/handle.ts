/** Names of what is asked of ingestion: UUIDs of version 7 (RFC 9562), which tell when they were given. */
import { HANDLE_DAYS_KEPT } from '../../limits.ts';

const DAY_MS = 86_400_000;
/** 2000-01-01, the server's, as milliseconds of Unix. */
const EPOCH_MS = 946_684_800_000;
const HANDLE = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const unixMs = (micros: bigint): number => Number(micros / 1000n) + EPOCH_MS;

/** @param random 16 bytes. */
export function newHandle(clockMicros: bigint, random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(unixMs(clockMicros), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Whether it was given so long ago that it may have been forgotten. */
export function mayBeForgotten(handle: string, clockMicros: bigint): boolean {
  const [, high, low] = HANDLE.exec(handle) ?? [];
  if (high === undefined || low === undefined) return false;
  return unixMs(clockMicros) - Number.parseInt(high + low, 16) >= HANDLE_DAYS_KEPT * DAY_MS;
}
