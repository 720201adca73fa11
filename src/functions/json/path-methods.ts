/** Item methods of SQL/JSON paths: `.size()`, `.double()`, `.keyvalue()` … Source: jsonpath_exec.c. */
import { type Condition, SqlError } from '../../errors.ts';
import { BOOLEAN } from '../../types/number/boolean.ts';
import type { NumericDatum } from '../../types/datum.ts';
import { DOUBLE } from '../../types/number/float.ts';
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  sortedMembers,
} from '../../types/json/json.ts';
import type { MethodName, PathArgument } from '../../types/json/path.ts';
import {
  absNumeric,
  ceilNumeric,
  floorNumeric,
  formatNumeric,
  numericFromNumber,
  numericOf,
  numericToBigint,
  parseNumeric,
} from '../../types/number/numeric.ts';
import { NUMERIC } from '../../types/number/numeric-type.ts';
import type { FormatSettings } from '../../types/type.ts';
import { Moment, type MomentContext, momentAs, parseMoment } from './path-moments.ts';
import { jsonTypeName } from './values.ts';

/** Items that a path walks over: JSON, and moments that `.datetime()` and its kin make. */
export type PathItem = JsonValue | Moment;

export interface MethodContext extends MomentContext {
  readonly settings: FormatSettings;
  /** A number for an object, the same for the same one: `.keyvalue()` tells it. */
  objectId(object: JsonValue): number;
}

export const isArrayItem = (item: PathItem): item is readonly JsonValue[] =>
  !(item instanceof Moment) && isJsonArray(item);
export const isNumberItem = (item: PathItem): item is NumericDatum =>
  !(item instanceof Moment) && isJsonNumber(item);
export const isObjectItem = (item: PathItem): item is ReadonlyMap<string, JsonValue> =>
  !(item instanceof Moment) && isJsonObject(item);

function cannotApply(
  method: MethodName,
  to: string,
  condition: Condition = 'non_numeric_sql_json_item',
): SqlError {
  return new SqlError(condition, `jsonpath item method .${method}() can only be applied to ${to}`);
}

function notOfType(text: string, method: MethodName, type: string): SqlError {
  return new SqlError(
    'non_numeric_sql_json_item',
    `argument "${text}" of jsonpath item method .${method}() is invalid for type ${type}`,
  );
}

/** Reads a text or number as `type`; any complaint of the type becomes the method's own. */
function reading<T>(text: string, method: MethodName, type: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SqlError) throw notOfType(text, method, type);
    throw error;
  }
}

function finite(value: NumericDatum, method: MethodName): NumericDatum {
  if (value.special === undefined) return value;
  throw new SqlError(
    'non_numeric_sql_json_item',
    `NaN or Infinity is not allowed for jsonpath item method .${method}()`,
  );
}

const rounding =
  (method: MethodName, apply: (value: NumericDatum) => NumericDatum) =>
  (item: PathItem): PathItem => {
    if (isNumberItem(item)) return apply(item);
    throw cannotApply(method, 'a numeric value');
  };

/** The text of a string or number. */
function numberText(item: PathItem, method: MethodName): string {
  if (typeof item === 'string') return item;
  if (isNumberItem(item)) return formatNumeric(item);
  throw cannotApply(method, 'a string or numeric value');
}

const INT8: readonly [bigint, bigint] = [-(2n ** 63n), 2n ** 63n - 1n];
const INT4: readonly [bigint, bigint] = [-(2n ** 31n), 2n ** 31n - 1n];

const whole =
  (method: MethodName, [min, max]: readonly [bigint, bigint]) =>
  (item: PathItem): PathItem => {
    const text = numberText(item, method);
    if (typeof item === 'string' && !/^\s*[+-]?\d+\s*$/.test(text)) throw notOfType(text, method, method);
    return numericOf(
      reading(text, method, method, () => numericToBigint(parseNumeric(text), method, min, max)),
    );
  };

function double(item: PathItem, settings: FormatSettings): PathItem {
  const text = numberText(item, 'double');
  const value = reading(text, 'double', 'double precision', () => DOUBLE.parse(text, -1, settings) as number);
  return finite(numericFromNumber(value), 'double');
}

function decimal(item: PathItem, method: MethodName, args: readonly number[]): PathItem {
  const text = numberText(item, method);
  const value = finite(
    reading(text, method, 'numeric', () => parseNumeric(text)),
    method,
  );
  const modifier = args.length === 0 ? -1 : (NUMERIC.packModifier?.(args) ?? -1);
  return reading(text, method, 'numeric', () => NUMERIC.coerce?.(value, modifier, true) as NumericDatum);
}

function boolean(item: PathItem, settings: FormatSettings): PathItem {
  if (typeof item === 'boolean') return item;
  if (isNumberItem(item)) {
    const text = formatNumeric(item);
    return (
      reading(text, 'boolean', 'boolean', () => numericToBigint(parseInteger(text), 'integer', ...INT4)) !==
      0n
    );
  }
  if (typeof item !== 'string') throw cannotApply('boolean', 'a boolean, string, or numeric value');
  return reading(item, 'boolean', 'boolean', () => BOOLEAN.parse(item, -1, settings) as boolean);
}

/** @throws SqlError 22003 for a number with decimals. */
function parseInteger(text: string): NumericDatum {
  if (/^-?\d+$/.test(text)) return parseNumeric(text);
  throw new SqlError('numeric_value_out_of_range', 'integer out of range');
}

function string(item: PathItem): string {
  if (typeof item === 'string') return item;
  if (isNumberItem(item)) return formatNumeric(item);
  if (typeof item === 'boolean' || item instanceof Moment) return String(item);
  throw cannotApply('string', 'a boolean, string, numeric, or datetime value');
}

function* keyvalue(item: PathItem, context: MethodContext): Generator<PathItem> {
  if (!isObjectItem(item)) throw cannotApply('keyvalue', 'an object', 'sql_json_object_not_found');
  const id = numericOf(BigInt(context.objectId(item)));
  for (const [key, value] of sortedMembers(item)) {
    yield new Map<string, JsonValue>([
      ['id', id],
      ['key', key],
      ['value', value],
    ]);
  }
}

const TYPE_NAMES = {
  date: 'date',
  time: 'time without time zone',
  timetz: 'time with time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
} as const;

function moment(
  item: PathItem,
  method: MethodName,
  [arg]: readonly PathArgument[],
  context: MethodContext,
): Moment {
  if (typeof item !== 'string') {
    throw cannotApply(method, 'a string', 'invalid_argument_for_sql_json_datetime_function');
  }
  if (method === 'datetime') return parseMoment(item, (arg as string | undefined) ?? null, context.zone);
  return momentAs(item, method, (arg as number | undefined) ?? null, context);
}

type Method = (item: PathItem, args: readonly PathArgument[], context: MethodContext) => Iterable<PathItem>;

const one =
  (apply: (item: PathItem, args: readonly PathArgument[], context: MethodContext) => PathItem): Method =>
  (item, args, context) => [apply(item, args, context)];

const momentMethod = (method: MethodName): Method =>
  one((item, args, context) => moment(item, method, args, context));

/** `size` and `type` look at arrays themselves; all others are applied to each element in lax mode. */
export const METHOD_IMPLEMENTATIONS: Readonly<Record<MethodName, Method>> = {
  abs: one(rounding('abs', absNumeric)),
  bigint: one(whole('bigint', INT8)),
  boolean: one((item, _, { settings }) => boolean(item, settings)),
  ceiling: one(rounding('ceiling', ceilNumeric)),
  date: momentMethod('date'),
  datetime: momentMethod('datetime'),
  decimal: one((item, args) => decimal(item, 'decimal', args as readonly number[])),
  double: one((item, _, { settings }) => double(item, settings)),
  floor: one(rounding('floor', floorNumeric)),
  integer: one(whole('integer', INT4)),
  keyvalue: (item, _, context) => keyvalue(item, context),
  number: one((item) => decimal(item, 'number', [])),
  size: one((item) => numericOf(BigInt(isArrayItem(item) ? item.length : 1))),
  string: one(string),
  time: momentMethod('time'),
  time_tz: momentMethod('time_tz'),
  timestamp: momentMethod('timestamp'),
  timestamp_tz: momentMethod('timestamp_tz'),
  type: one((item) => (item instanceof Moment ? TYPE_NAMES[item.type] : jsonTypeName(item))),
};
