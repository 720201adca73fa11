/** JSON values of any SQL value, and the walks along paths that the operators share. */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import {
  compareJsonb,
  formatJsonb,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../types/json/json.ts';
import { formatNumeric, parseNumeric } from '../../types/number/numeric.ts';
import { OID } from '../../types/oids.ts';
import { pathIndex } from '../../types/json/text.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';

/** As to_jsonb: numbers and booleans stay, json is taken in, arrays and rows nest, the rest is text. */
export function jsonOfDatum(value: Datum, typeOid: number, settings: FormatSettings): JsonValue {
  if (value === null) return null;
  const type = typeByOid(typeOid);
  if (typeof value === 'object' && 'datum' in value) {
    if (value.datum === 'array') return jsonOfArray(value, value.elements, 0, settings);
    if (value.datum === 'record') return jsonOfRecord(value, settings);
    if (value.datum === 'numeric') return value.special === undefined ? value : formatNumeric(value);
  }
  if (typeof value === 'boolean') return value;
  if (typeOid === OID.json || typeOid === OID.jsonb) return parseJson(value as string);
  if (type.category === 'N') {
    const text = type.format(value, settings);
    return /^-?[\d.]/.test(text) ? parseNumeric(text) : text;
  }
  if (isTimeOfJson(typeOid)) return isoJsonTime(value, typeOid, settings);
  return type.format(value, settings);
}

const TIMES_OF_JSON: ReadonlySet<number> = new Set([OID.date, OID.timestamp, OID.timestamptz]);

export const isTimeOfJson = (typeOid: number): boolean => TIMES_OF_JSON.has(typeOid);

/** ISO 8601 whatever the DateStyle, with a T between date and time, and zones with minutes. */
export function isoJsonTime(value: NonNullable<Datum>, typeOid: number, settings: FormatSettings): string {
  const text = typeByOid(typeOid).format(value, { ...settings, dateStyle: 'ISO, MDY' });
  return text.replace(' ', 'T').replace(/(:\d\d(?:\.\d+)?[+-]\d\d)(?=$| BC)/, '$1:00');
}

function jsonOfArray(
  array: ArrayDatum,
  elements: readonly Datum[],
  depth: number,
  settings: FormatSettings,
): readonly JsonValue[] {
  const rest = array.dimensions.slice(depth + 1);
  if (rest.length === 0) return elements.map((element) => jsonOfDatum(element, array.elementType, settings));
  const size = rest.reduce((product, dimension) => product * dimension.length, 1);
  return Array.from({ length: array.dimensions[depth]?.length ?? 0 }, (_, i) =>
    jsonOfArray(array, elements.slice(i * size, (i + 1) * size), depth + 1, settings),
  );
}

function jsonOfRecord(record: RecordDatum, settings: FormatSettings): JsonObject {
  return new Map(
    record.fields.map((field, i) => [
      record.names?.[i] ?? `f${i + 1}`,
      jsonOfDatum(field, record.types[i] ?? OID.text, settings),
    ]),
  );
}

/** The member or element under a key or position; undefined when there is none. Negative counts back. */
export function child(value: JsonValue, step: string | number): JsonValue | undefined {
  if (isJsonArray(value)) {
    const index = typeof step === 'number' ? step : pathIndex(step);
    return index === undefined ? undefined : value.at(index);
  }
  return isJsonObject(value) && typeof step === 'string' ? value.get(step) : undefined;
}

export function descend(value: JsonValue, path: readonly Datum[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of path) {
    if (at === undefined || step === null) return undefined;
    at = child(at, step as string);
  }
  return at;
}

/** `@>`: everything in `part` is in `whole`, at the same depth. */
export function containsJson(whole: JsonValue, part: JsonValue, top = true): boolean {
  if (isJsonArray(whole)) {
    if (!isJsonArray(part)) return top && !isJsonObject(part) && whole.some((item) => sameScalar(item, part));
    return part.every((wanted) => whole.some((item) => containsJson(item, wanted, false)));
  }
  if (isJsonObject(whole)) {
    if (!isJsonObject(part)) return false;
    return [...part].every(([key, wanted]) => {
      const member = whole.get(key);
      return member !== undefined && containsJson(member, wanted, false);
    });
  }
  return sameScalar(whole, part);
}

function sameScalar(a: JsonValue, b: JsonValue): boolean {
  return typeof a === typeof b && compareJsonb(a, b) === 0;
}

/** `||`: members of both objects, the right one's winning; arrays one after the other. */
export function concatJson(a: JsonValue, b: JsonValue): JsonValue {
  if (isJsonObject(a) && isJsonObject(b)) return new Map([...a, ...b]);
  return [...(isJsonArray(a) ? a : [a]), ...(isJsonArray(b) ? b : [b])];
}

/** `value` with what stands at `path` replaced by what `change` makes of it. */
export function changeAt(
  value: JsonValue,
  path: readonly Datum[],
  change: (old: JsonValue | undefined) => JsonValue | undefined,
  depth = 1,
): JsonValue {
  const [step, ...rest] = path as readonly string[];
  if (step === undefined) return value;
  const inner = (old: JsonValue | undefined): JsonValue | undefined => {
    if (rest.length === 0) return change(old);
    return old === undefined ? undefined : changeAt(old, rest, change, depth + 1);
  };
  if (isJsonObject(value)) {
    const made = inner(value.get(step));
    const members = new Map(value);
    if (made === undefined) members.delete(step);
    else members.set(step, made);
    return members;
  }
  return isJsonArray(value) ? changeElement(value, indexStep(step, depth), inner) : value;
}

/** @param depth of the step, from 1. @throws SqlError 22P02. */
export function indexStep(step: string, depth: number): number {
  const index = pathIndex(step);
  if (index !== undefined) return index;
  const message = `path element at position ${depth} is not an integer: "${step}"`;
  throw new SqlError('invalid_text_representation', message);
}

function changeElement(
  array: readonly JsonValue[],
  given: number,
  inner: (old: JsonValue | undefined) => JsonValue | undefined,
): JsonValue {
  const index = given < 0 ? array.length + given : given;
  const made = inner(array[index]);
  const copy = [...array];
  if (made === undefined) {
    if (index >= 0 && index < array.length) copy.splice(index, 1);
  } else if (index < 0) copy.unshift(made);
  else if (index >= array.length) copy.push(made);
  else copy[index] = made;
  return copy;
}

/** @param inArrays elements of arrays too. */
export function stripNulls(value: JsonValue, inArrays: boolean): JsonValue {
  if (isJsonArray(value)) {
    return value.filter((item) => !inArrays || item !== null).map((item) => stripNulls(item, inArrays));
  }
  if (!isJsonObject(value)) return value;
  const kept = [...value].filter(([, member]) => member !== null);
  return new Map(kept.map(([key, member]) => [key, stripNulls(member, inArrays)]));
}

/** jsonb_pretty's form: four spaces a level. */
export function prettyJson(value: JsonValue, indent = 0): string {
  const pad = ' '.repeat(indent + 4);
  const end = ' '.repeat(indent);
  if (isJsonArray(value)) {
    if (value.length === 0) return '[\n]'.replace('\n', `\n${end}`);
    return `[\n${value.map((item) => pad + prettyJson(item, indent + 4)).join(',\n')}\n${end}]`;
  }
  if (isJsonObject(value)) {
    if (value.size === 0) return `{\n${end}}`;
    const members = [...value].map(
      ([key, member]) => `${pad}${JSON.stringify(key)}: ${prettyJson(member, indent + 4)}`,
    );
    return `{\n${members.join(',\n')}\n${end}}`;
  }
  return formatJsonb(value);
}

export function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  if (typeof value === 'object') return isJsonNumber(value) ? 'number' : 'object';
  return typeof value;
}
