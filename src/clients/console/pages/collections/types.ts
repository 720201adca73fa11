/** Kinds of types by what one can do with their values: how they are filtered, written, ordered. */

export type TypeClass =
  | 'number'
  | 'text'
  | 'time'
  | 'boolean'
  | 'list'
  | 'json'
  | 'vector'
  | 'bytes'
  | 'other';

const CLASSES: readonly (readonly [RegExp, TypeClass])[] = [
  [/\[\]$/, 'list'],
  [/^(?:smallint|integer|bigint|numeric|real|double precision|money|oid)\b/, 'number'],
  [/^(?:text|character|citext|name|uuid|char\b|"char")/, 'text'],
  [/^(?:timestamp|date|time|interval)/, 'time'],
  [/^boolean$/, 'boolean'],
  [/^jsonb?$/, 'json'],
  [/vector|matrix/, 'vector'],
  [/^bytea$/, 'bytes'],
];

export const typeClass = (type: string): TypeClass =>
  CLASSES.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';

/** Rows can be gone through by its order, from any value on. */
export const isOrdered = (type: string): boolean =>
  ['number', 'text', 'time', 'boolean'].includes(typeClass(type));

/** Without its length or precision, which would change a value that is cast to it. */
export const bareType = (type: string): string => type.replace(/\(\d+(?:,\s*-?\d+)?\)/, '');

export const isWholeNumber = (type: string): boolean => /^(?:smallint|integer|bigint)$/.test(type);
