/** Values as a form has them, as text, and as documents and statements take them. */
import type { Json } from '../../../server/messages.ts';
import { isWholeNumber, typeClass } from '../types.ts';

/** Null for NULL. */
export type Text = string | null;

export function textOf(value: Json): Text {
  if (value === null) return null;
  if (typeof value === 'object') return JSON.stringify(value, null, Array.isArray(value) ? 0 : 2);
  return String(value);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const quoted = (text: string): string => JSON.stringify(text);

const ELEMENT_TAG: Readonly<Record<string, string>> = {
  vector: '$f32_vector',
  halfvec: '$f16_vector',
  sparsevec: '$f32_sparse_vector',
};

function bytesJson(text: string): string {
  const digits = /^\\x((?:[\da-f]{2})*)$/i.exec(text)?.[1];
  if (digits === undefined) return quoted(text);
  const bytes = (digits.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return JSON.stringify({ $bytes: btoa(bytes.join('')) });
}

/**
 * A number as JSON has it, digit by digit; what is none is left to the server, which says what is wrong with
 * it.
 */
function numberJson(text: string, type: string): string {
  if (!NUMBER.test(text))
    return /^[+-]?(?:NaN|Infinity)$/.test(text) ? JSON.stringify({ $float: text }) : quoted(text);
  return isWholeNumber(type) || /[.eE]/.test(text) ? text : `${text}.0`;
}

/**
 * A value in a document (`docs/documents.md`).
 * @param isDeclared the column's type reads it; otherwise the value says of which type it is.
 */
export function documentJson(text: Text, type: string, isDeclared: boolean): string {
  if (text === null) return 'null';
  switch (typeClass(type)) {
    case 'number':
      return numberJson(text.trim(), type);
    case 'boolean':
      return text === 'true' || text === 'false' ? text : quoted(text);
    case 'bytes':
      return bytesJson(text);
    case 'json':
    case 'list':
      return isJson(text) ? text : quoted(text);
    case 'vector':
      if (!isJson(text)) return quoted(text);
      return isDeclared
        ? text
        : `{${quoted(ELEMENT_TAG[type.replace(/\(.*$/, '')] ?? `$${type.replace(/\(.*$/, '')}`)}: ${text}}`;
    case 'time':
      return isDeclared ? quoted(text) : JSON.stringify({ $timestamp: isoOf(text) });
    default:
      return quoted(text);
  }
}

/** `2026-11-28 09:56:24+00` as ISO 8601 has it. */
const isoOf = (text: string): string =>
  text
    .trim()
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00');

/** For a parameter of a statement: JSON arrays become arrays there. */
export function parameterOf(text: Text, type: string): unknown {
  if (text === null) return null;
  if (typeClass(type) === 'list' && isJson(text)) return JSON.parse(text) as unknown;
  return text;
}

type Struct = { readonly [name: string]: Json };

const isStruct = (value: Json | undefined): value is Struct =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The patch that a merge has to be given to make `before` into `after`: members that went are null. */
export function mergePatch(before: Json, after: Json): Json {
  if (!isStruct(before) || !isStruct(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries([
    ...gone.map((name) => [name, null] as const),
    ...changed.map(([name, value]) => [name, mergePatch(before[name] ?? null, value)] as const),
  ]);
}
