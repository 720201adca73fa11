/** Options of CREATE and ALTER API KEY: one row each says how its value is read. */
import { SqlError } from '../../errors.ts';
import { UNIX_EPOCH_MS } from '../../epoch.ts';
import type { KeyOption } from '../../sql/ast.ts';
import type { IntervalDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { KeyScope } from './key-scope.ts';
import { isNetwork } from '../../network-address.ts';

const ITEMS_COUNT_MAX = 1000;
const ATTRIBUTES_COUNT_MAX = 100;
const VALUE_CHARACTERS_MAX = 10_000;
const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;

/** All of them as far as they are given. */
export interface KeyOptions {
  readonly role?: string;
  /** In Unix milliseconds; null: never. */
  readonly expiresMs?: number | null;
  readonly overlapMs?: number;
  readonly scope: Partial<KeyScope>;
}

interface Clock {
  readonly settings: FormatSettings;
  readonly nowMs: number;
}

type Read = (option: KeyOption, clock: Clock) => KeyOptions;

const list =
  (field: 'collections' | 'partitions' | 'datasets'): Read =>
  (option) => ({ scope: { [field]: itemsOf(option) } });

const OPTIONS: Readonly<Record<string, Read>> = {
  role: (option) => ({ role: textOf(option), scope: {} }),
  expires: (option, clock) => ({ expiresMs: expiryOf(option, clock), scope: {} }),
  overlap: (option, { settings }) => ({ overlapMs: intervalMs(option, textOf(option), settings), scope: {} }),
  collections: list('collections'),
  partitions: list('partitions'),
  datasets: list('datasets'),
  read_only: (option) => ({ scope: { readOnly: booleanOf(option) } }),
  outside: (option) => ({ scope: { staysHere: !booleanOf(option) } }),
  addresses: (option) => ({ scope: { addresses: networksOf(option) } }),
  attributes: (option) => ({ scope: { attributes: attributesOf(option) } }),
};

/** @param allowed those that the statement takes. @throws SqlError 22023, 42601, 22007 and what else a value is not. */
export function keyOptions(
  options: readonly KeyOption[],
  allowed: readonly string[],
  clock: Clock,
): KeyOptions {
  let all: KeyOptions = { scope: {} };
  const seen = new Set<string>();
  for (const option of options) {
    const read = allowed.includes(option.name) ? OPTIONS[option.name] : undefined;
    if (read === undefined) throw unknownOption(option, allowed);
    if (seen.has(option.name)) throw repeated(option);
    seen.add(option.name);
    const { scope, ...rest } = read(option, clock);
    all = { ...all, ...rest, scope: { ...all.scope, ...scope } };
  }
  return all;
}

function textOf({ name, value, at }: KeyOption): string {
  if (typeof value === 'string' && value.length <= VALUE_CHARACTERS_MAX) return value;
  throw invalid(at, `option "${name}" takes one value`);
}

/** Null: no limit. An empty list: nothing is left. */
function itemsOf({ name, value, at }: KeyOption): readonly string[] | null {
  if (value === null) return null;
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  if (items.some((item) => item === '')) throw invalid(at, `option "${name}" has an empty name`);
  if (items.length > ITEMS_COUNT_MAX) {
    throw invalid(at, `option "${name}" has more than ${ITEMS_COUNT_MAX} names`);
  }
  return [...new Set(items)];
}

function networksOf(option: KeyOption): readonly string[] | null {
  const networks = itemsOf(option);
  const wrong = networks?.find((network) => !isNetwork(network));
  if (wrong === undefined) return networks;
  throw invalid(option.at, `"${wrong}" is no network`, 'Write networks as 10.0.0.0/8 or 2001:db8::/32.');
}

function booleanOf(option: KeyOption): boolean {
  const text = textOf(option).toLowerCase();
  if (['true', 'on', 'yes', '1'].includes(text)) return true;
  if (['false', 'off', 'no', '0'].includes(text)) return false;
  throw invalid(option.at, `option "${option.name}" is true or false, not "${text}"`);
}

/** A JSON object of values that are texts, numbers or booleans; all are kept as text. */
function attributesOf(option: KeyOption): Readonly<Record<string, string>> {
  if (option.value === null) return {};
  const entries = Object.entries(jsonObject(option));
  if (entries.length > ATTRIBUTES_COUNT_MAX) {
    throw invalid(option.at, `there are more than ${ATTRIBUTES_COUNT_MAX} attributes`);
  }
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)];
      throw invalid(option.at, `attribute "${name}" is no text, number or boolean`);
    }),
  );
}

function jsonObject(option: KeyOption): object {
  const text = textOf(option);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below, as all that is no object.
  }
  throw invalid(option.at, 'attributes are a JSON object', `For example '{"tenant": "a"}'.`);
}

/** A time, or an interval from now. */
function expiryOf(option: KeyOption, { settings, nowMs }: Clock): number | null {
  if (option.value === null) return null;
  const text = textOf(option);
  if (/^\s*(infinity|never)\s*$/i.test(text)) return null;
  const end = isInterval(text)
    ? nowMs + intervalMs(option, text, settings)
    : Number((typeByOid(OID.timestamptz).parse(text, -1, settings) as bigint) / 1000n) + UNIX_EPOCH_MS;
  if (!(end > nowMs) || !Number.isSafeInteger(end))
    throw invalid(option.at, `"${text}" is not in the future`);
  return end;
}

const isInterval = (text: string): boolean =>
  /^\s*(P[\dT]|\d+(?:\.\d+)?\s*(s|m|h|d|w|mon|y|sec|min|hour|day|week|month|year))/i.test(text);

function intervalMs({ at, name }: KeyOption, text: string, settings: FormatSettings): number {
  const { months, days, micros } = typeByOid(OID.interval).parse(text, -1, settings) as IntervalDatum;
  const ms = (months * MONTH_DAYS + days) * DAY_MS + Number(micros) / 1000;
  if (ms >= 0 && Number.isSafeInteger(Math.round(ms))) return Math.round(ms);
  throw invalid(at, `option "${name}" is an interval from now on`);
}

function unknownOption({ name, at }: KeyOption, allowed: readonly string[]): SqlError {
  return new SqlError('syntax_error', `option "${name}" is not recognized`, {
    hint: `There are ${allowed.join(', ')}.`,
    position: at || undefined,
  });
}

const repeated = ({ at }: KeyOption): SqlError =>
  new SqlError('syntax_error', 'conflicting or redundant options', { position: at || undefined });

function invalid(at: number, message: string, hint?: string): SqlError {
  return new SqlError('invalid_parameter_value', message, {
    position: at || undefined,
    ...(hint !== undefined && { hint }),
  });
}
