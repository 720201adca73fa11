/**
 * Values of a result as JSON has them, from the server's text by the type's OID. What JSON's numbers, which most
 * readers take for doubles, would not keep is a string: large integers, long decimals, NaN.
 */
import { array } from '../../typescript/src/wire/decode.ts';
import type { ResultColumn, StatementResult } from './session.ts';

type ToJson = (text: string) => unknown;

const same: ToJson = (text) => text;
const boolean: ToJson = (text) => text === 't';
const float: ToJson = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** Digits and exponent without what does not count: `1.50` and `15e-1` are the same. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** A number where a double has the very same value. */
function decimal(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) && canonical(String(value)) === canonical(text) ? value : text;
}

/** PostgreSQL's `2024-05-06 07:08:09.5+00` as ISO 8601; what is no such date (infinity, BC) stays as it is. */
function timestamp(text: string): string {
  const [, day, time, zone = ''] =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-][\d:]+)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  if (zone === '' || /^[+-]00$/.test(zone)) return `${day}T${time}${zone === '' ? '' : 'Z'}`;
  return `${day}T${time}${zone.length === 3 ? `${zone}:00` : zone}`;
}

/** Numbers within keep all their digits: the document is the user's. */
const json: ToJson = (text) =>
  JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' &&
    context?.source !== undefined &&
    canonical(String(value)) !== canonical(context.source)
      ? rawJson(context.source)
      : value,
  );

const rawJson = (text: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

const numbers: ToJson = (text) => (/[a-z]/i.test(text) ? text : (JSON.parse(text) as unknown));

/** `[0:1]={1,2}` has bounds of its own, which JSON has not. */
const listOf =
  (element: ToJson): ToJson =>
  (text) =>
    array(text.slice(text.indexOf('{')), element);

/** Each with the OIDs of the types that it reads, and of arrays of them. */
const SCALARS: readonly (readonly [ToJson, readonly number[], readonly number[]])[] = [
  [boolean, [16], [1000]],
  [decimal, [20, 21, 23, 26, 1700], [1005, 1007, 1016, 1028, 1231]],
  [float, [700, 701], [1021, 1022]],
  [timestamp, [1114, 1184], [1115, 1185]],
  [json, [114, 3802], [199, 3807]],
  [same, [], [1001, 1002, 1009, 1014, 1015, 1182, 1183, 1187, 1270, 2951]],
];
/** Dense vectors and matrices, whose OIDs are fixed in `types/oids.ts`. */
const NUMBER_LISTS = [16000, 16002, 16006, 16008, 16010, 16012, 16018, 16020, 16022, 16024, 16026];

/** By OID; what is not here is text. */
const READERS: ReadonlyMap<number, ToJson> = new Map([
  ...SCALARS.flatMap(([read, oids]) => oids.map((oid) => [oid, read] as const)),
  ...SCALARS.flatMap(([read, , oids]) => oids.map((oid) => [oid, listOf(read)] as const)),
  ...NUMBER_LISTS.map((oid) => [oid, numbers] as const),
]);

/** OIDs of types that are read as numbers from right to left. */
const NUMBER_OIDS = new Set([20, 21, 23, 26, 700, 701, 1700]);
export const isNumber = ({ type }: ResultColumn): boolean => NUMBER_OIDS.has(type);

/** Rows as objects; of a statement without rows its command, and how many rows it was about. */
export function resultJson({ columns, rows, command, count }: StatementResult): unknown {
  if (columns.length === 0) return { command, ...(count !== null && { rows: count }) };
  const names = distinct(columns.map(({ name }) => name));
  const readers = columns.map(({ type }) => READERS.get(type) ?? same);
  return rows.map((row) =>
    Object.fromEntries(names.map((name, at) => [name, cellJson(row[at] ?? null, readers[at] ?? same)])),
  );
}

const cellJson = (text: string | null, read: ToJson): unknown => (text === null ? null : read(text));

/** Columns may share a name, members of an object may not: the second is `name_2`. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let at = 2; taken.has(own) || (own !== name && names.includes(own)); at++) own = `${name}_${at}`;
    taken.add(own);
    return own;
  });
}
