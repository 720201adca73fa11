/** Universally unique identifiers. Source: PostgreSQL 18, section 9.14. */
import { UNIX_EPOCH_MICROS, unixMs } from '../../epoch.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';

const VARIANT = ['8', '9', 'a', 'b'] as const;

/** Version 4: random but for the version and variant digits. */
function randomUuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = '4';
  digits[16] = VARIANT[Math.floor(random() * 4)] ?? '8';
  const text = digits.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  );
}

/**
 * Version 7: milliseconds of Unix time first, so that later ones sort later.
 * @param micros since 2000-01-01 UTC. @param random 16 bytes.
 */
export function timedUuid(micros: bigint, random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(unixMs(micros), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const randomBytes = (context: FunctionContext): Uint8Array =>
  Uint8Array.from({ length: 16 }, () => Math.floor(context.random() * 256));

const VERSION_DIGIT = 14;
const hasVersion = (uuid: string): boolean => /[89ab]/.test(uuid[19] ?? '');
/** Between 1582-10-15 and 2000-01-01. */
const GREGORIAN_MICROS = 13_165_977_600_000_000n;

/** When a UUID of version 1 or 7 was made. */
function uuidTime(uuid: string): bigint | null {
  if (!hasVersion(uuid)) return null;
  const digits = uuid.replaceAll('-', '');
  if (uuid[VERSION_DIGIT] === '7') return BigInt(`0x${digits.slice(0, 12)}`) * 1000n - UNIX_EPOCH_MICROS;
  if (uuid[VERSION_DIGIT] !== '1') return null;
  const ticks = BigInt(`0x${digits.slice(13, 16)}${digits.slice(8, 12)}${digits.slice(0, 8)}`);
  return ticks / 10n - GREGORIAN_MICROS;
}

export const UUID_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'uuidv7',
    args: [],
    returns: 'uuid',
    volatility: 'volatile',
    effect: 'none',
    summary: 'A UUID (version 7) that sorts by time.',
    example: ["SELECT uuidv7()::text LIKE '______________7%'", 't'],
    evaluateIn: (context) => timedUuid(context.clockMicros(), randomBytes(context)),
  },
  ...['gen_random_uuid', 'uuidv4'].map(
    (name): ScalarFunction => ({
      name,
      args: [],
      returns: 'uuid',
      volatility: 'volatile',
      effect: 'none',
      summary: 'A random UUID (version 4).',
      example: [`SELECT length(${name}()::text)`, '36'],
      evaluateIn: (context) => randomUuid(() => context.random()),
    }),
  ),
  {
    name: 'uuid_extract_version',
    args: ['uuid'],
    returns: 'int2',
    summary: "A UUID's version; NULL for variants that have none.",
    example: ["SELECT uuid_extract_version('41db1265-8bc1-4ab3-992f-885799a4af1d')", '4'],
    evaluate: (uuid: string) => (hasVersion(uuid) ? Number.parseInt(uuid[VERSION_DIGIT] ?? '', 16) : null),
  },
  {
    name: 'uuid_extract_timestamp',
    args: ['uuid'],
    returns: 'timestamptz',
    summary: 'When a UUID of version 1 or 7 was made.',
    example: ["SELECT uuid_extract_timestamp('019535d9-3df7-79fb-b466-fa907fa17f9e') > '2025-01-01'", 't'],
    evaluate: uuidTime,
  },
];
