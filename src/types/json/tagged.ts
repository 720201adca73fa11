/**
 * Values that JSON has not, within JSON: an object with one member whose name is a tag, `{"$f32_vector": [1, 2]}`.
 * Documents bring values so (`docs/documents.md`), and undeclared columns whose documents differ in type, which are
 * jsonb, keep them so. One row a tag; a struct's member that is called like one has one more `$` before its name.
 */
import { UNIX_EPOCH_MICROS } from '../../epoch.ts';
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../composite/array.ts';
import { viewOf } from '../column/bytes.ts';
import type { ArrayDatum, Datum } from '../datum.ts';
import { formatNumeric, parseNumeric } from '../number/numeric.ts';
import { OID } from '../oids.ts';
import { typeByOid } from '../registry.ts';
import type { FormatSettings } from '../type.ts';
import { sparseDatum } from '../vector/sparse-vector.ts';
import { formatJsonb, parseJson } from './json.ts';
import { bracketDepth, jsonItems, jsonKind, jsonMembers, memberText, unquoted } from './text.ts';

export interface TypedValue {
  readonly oid: number;
  readonly value: Datum;
}

interface Tag {
  readonly name: string;
  readonly oid: number;
  /** The value of what stands behind the tag. @throws SqlError of its type, 22P02. */
  read(text: string, settings: FormatSettings): Datum;
}

const malformed = (tag: string, wanted: string): SqlError =>
  new SqlError('invalid_text_representation', `"${tag}" holds ${wanted}`);

/** Strings without their quotes, all else as it is written. */
const bare = (text: string): string => (text.startsWith('"') ? unquoted(text) : text);

/** @throws SqlError 22P02. */
function base64Bytes(tag: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (bytes.length === Math.floor(((text.length - padding) * 3) / 4)) return bytes;
  throw malformed(tag, 'bytes in base64');
}

/** Elements as clients have them, lowest byte first, in the order of binary forms. */
function swapped(bytes: Buffer, width: number, tag: string): Buffer {
  if (bytes.length % width !== 0) throw malformed(tag, `elements of ${width} bytes`);
  if (width === 4) bytes.swap32();
  if (width === 2) bytes.swap16();
  return bytes;
}

const DENSE_HEADER_BYTES = 4;
const MATRIX_HEADER_BYTES = 8;

function denseTag(name: string, oid: number, width: number): Tag {
  return {
    name,
    oid,
    read: (text, settings) => {
      if (!text.startsWith('"')) return typeByOid(oid).parse(text, -1, settings);
      const elements = swapped(base64Bytes(name, unquoted(text)), width, name);
      const form = new Uint8Array(DENSE_HEADER_BYTES + elements.length);
      viewOf(form).setUint16(0, elements.length / width);
      form.set(elements, DENSE_HEADER_BYTES);
      return typeByOid(oid).receive(form, -1, settings);
    },
  };
}

function matrixTag(name: string, oid: number, width: number): Tag {
  return {
    name,
    oid,
    read: (text, settings) => {
      if (jsonKind(text) !== 'object') return typeByOid(oid).parse(text, -1, settings);
      const dimension = Number(memberText(text, 'dimension'));
      const elements = swapped(base64Bytes(name, bare(memberText(text, 'data') ?? '')), width, name);
      const rows = elements.length / width / dimension;
      if (!Number.isInteger(rows)) throw malformed(name, 'whole rows of "dimension" elements in "data"');
      const form = new Uint8Array(MATRIX_HEADER_BYTES + elements.length);
      viewOf(form).setInt32(0, rows);
      viewOf(form).setInt32(4, dimension);
      form.set(elements, MATRIX_HEADER_BYTES);
      return typeByOid(oid).receive(form, -1, settings);
    },
  };
}

function sparseTag(name: string, oid: number, element: 'vector' | 'u8_vector'): Tag {
  const shown = name.replace('$', '');
  return {
    name,
    oid,
    read: (text, settings) => {
      const [indices, values] = [memberText(text, 'indices'), memberText(text, 'values')];
      const places: unknown = indices === undefined ? null : JSON.parse(indices);
      if (!Array.isArray(places) || values === undefined) throw malformed(name, '"indices" and "values"');
      if (!places.every((place) => Number.isSafeInteger(place))) throw malformed(name, 'whole "indices"');
      if (places.length === 0 && values.replaceAll(/\s/g, '') === '[]') return sparseDatum(0, [], shown);
      const elements = typeByOid(OID[element]).parse(values, -1, settings) as Float32Array;
      if (elements.length !== places.length) throw malformed(name, 'as many "values" as "indices"');
      const pairs = places.map((place: number, i) => [place, elements[i] as number] as const);
      return sparseDatum(0, pairs, shown);
    },
  };
}

function listTag(name: string, elementOid: number): Tag {
  return {
    name,
    oid: typeByOid(elementOid).arrayOid,
    read: (text, settings) => {
      if (jsonKind(text) !== 'array') throw malformed(name, 'a list');
      const { parse } = typeByOid(elementOid);
      const elements = Array.from(jsonItems(text), (item) => {
        if (jsonKind(item) === 'null') return null;
        if (elementOid === OID.text && jsonKind(item) !== 'string') throw malformed(name, 'texts');
        return parse(bare(item), -1, settings);
      });
      return arrayDatum(elementOid, elements);
    },
  };
}

const scalarTag = (name: string, oid: number): Tag => ({
  name,
  oid,
  read: (text, settings) => typeByOid(oid).parse(bare(text), -1, settings),
});

const UTC = { timeZone: 'UTC', dateStyle: 'ISO, MDY' } as const;
const MILLISECONDS = /^(-?)(\d+)(?:\.(\d{1,3}))?\d*$/;

/** Milliseconds since 1970 UTC; null for what is no number. */
function momentOf(milliseconds: string): bigint | null {
  const [, sign, whole, fraction = ''] = MILLISECONDS.exec(milliseconds) ?? [];
  if (whole === undefined) return null;
  const micros = BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'));
  return (sign === '-' ? -micros : micros) - UNIX_EPOCH_MICROS;
}

const timestampTag: Tag = {
  name: '$timestamp',
  oid: OID.timestamptz,
  read: (text, settings) => readMoment(text, settings),
};

/** Milliseconds since 1970 UTC, or text of ISO 8601, in UTC unless it says otherwise. @throws SqlError 22007, 22008. */
export function readMoment(text: string, settings: FormatSettings): Datum {
  const moment = momentOf(text);
  const { parse, format } = typeByOid(OID.timestamptz);
  const utc = { ...settings, ...UTC };
  if (moment === null) return parse(bare(text), -1, utc);
  // A moment out of range does not read back.
  parse(format(moment, utc), -1, utc);
  return moment;
}

const TAGS: readonly Tag[] = [
  scalarTag('$int', OID.int8),
  scalarTag('$float', OID.float8),
  { name: '$bytes', oid: OID.bytea, read: (text) => new Uint8Array(base64Bytes('$bytes', quoted(text))) },
  timestampTag,
  listTag('$text_list', OID.text),
  listTag('$int_list', OID.int8),
  listTag('$float_list', OID.float8),
  denseTag('$f32_vector', OID.vector, 4),
  denseTag('$f16_vector', OID.halfvec, 2),
  denseTag('$f8_vector', OID.f8_vector, 1),
  denseTag('$u8_vector', OID.u8_vector, 1),
  denseTag('$i8_vector', OID.i8_vector, 1),
  {
    name: '$binary_vector',
    oid: OID.binary_vector,
    read: (text, settings) => {
      const { parse, receive } = typeByOid(OID.binary_vector);
      if (!text.startsWith('"')) return parse(text, -1, settings);
      return receive(base64Bytes('$binary_vector', unquoted(text)), -1, settings);
    },
  },
  sparseTag('$f32_sparse_vector', OID.f32_sparse_vector, 'vector'),
  sparseTag('$u8_sparse_vector', OID.u8_sparse_vector, 'u8_vector'),
  matrixTag('$f32_matrix', OID.f32_matrix, 4),
  matrixTag('$f16_matrix', OID.f16_matrix, 2),
  matrixTag('$f8_matrix', OID.f8_matrix, 1),
  matrixTag('$u8_matrix', OID.u8_matrix, 1),
  matrixTag('$i8_matrix', OID.i8_matrix, 1),
];

function quoted(text: string): string {
  if (!text.startsWith('"')) throw malformed('$bytes', 'bytes in base64');
  return unquoted(text);
}

const BY_NAME: ReadonlyMap<string, Tag> = new Map(TAGS.map((tag) => [tag.name, tag]));
const BY_OID: ReadonlyMap<number, Tag> = new Map([
  ...TAGS.map((tag) => [tag.oid, tag] as const),
  [OID.timestamp, timestampTag],
  ...TAGS.filter(({ oid }) => oid === OID.f32_sparse_vector).map((tag) => [OID.sparsevec, tag] as const),
]);

/** The tag's word for a type, `f32_vector`; undefined where none has it. */
export const tagWord = (oid: number): string | undefined => BY_OID.get(oid)?.name.slice(1);

/** Null for what is no tagged value. @param text an object. @throws SqlError of the value's type. */
export function taggedValue(text: string, settings: FormatSettings): TypedValue | null {
  const second = text.indexOf('"', 1);
  if (text[second + 1] !== '$') return null;
  const [first, ...more] = jsonMembers(text);
  const tag = more.length > 0 ? undefined : BY_NAME.get(first?.key ?? '');
  return tag === undefined || first === undefined
    ? null
    : { oid: tag.oid, value: tag.read(first.text, settings) };
}

/** An object that is no tagged value. */
export function isStruct(text: string): boolean {
  if (jsonKind(text) !== 'object') return false;
  const [first, ...more] = jsonMembers(text);
  return more.length > 0 || !BY_NAME.has(first?.key ?? '');
}

/** @throws SqlError for a tagged value at any depth of a struct or list that does not read as its type. */
export function checkTagged(text: string, settings: FormatSettings): void {
  if (!text.includes('"$')) return;
  const kind = jsonKind(text);
  if (kind === 'array') for (const item of jsonItems(text)) checkTagged(item, settings);
  if (kind !== 'object' || taggedValue(text, settings) !== null) return;
  for (const member of jsonMembers(text)) checkTagged(member.text, settings);
}

/** True when structs and lists are nested in more levels; a tagged value is none of them. */
export function isDeeper(text: string, levels: number): boolean {
  // A level is two brackets: short texts, nearly all, are not gone through.
  if (text.length <= 2 * levels || bracketDepth(text) <= levels) return false;
  const kind = jsonKind(text);
  const isNested = kind === 'array' || isStruct(text);
  if (!isNested || levels === 0) return isNested;
  const within = kind === 'array' ? jsonItems(text) : jsonMembers(text).map((member) => member.text);
  return within.some((part) => isDeeper(part, levels - 1));
}

const PLAIN: ReadonlySet<number> = new Set([OID.jsonb, OID.json]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8]);
const TIMES: ReadonlySet<number> = new Set([OID.timestamp, OID.timestamptz]);

/** A value as jsonb's text, with a tag where JSON has none like it; the types without a tag as a string. */
export function taggedText(value: Datum, oid: number, settings: FormatSettings): string {
  if (value === null) return 'null';
  if (PLAIN.has(oid)) return value as string;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && 'datum' in value && value.datum === 'array') {
    return listText(value, oid, settings);
  }
  if (FLOATS.has(oid)) return floatText(value, oid, settings);
  const tag = BY_OID.get(oid);
  const type = typeByOid(oid);
  if (oid === OID.int8 || tag === undefined) {
    const text = type.format(value, settings);
    return type.category === 'N' && /^-?\d+(\.\d+)?$/.test(text) ? text : JSON.stringify(text);
  }
  return `{"${tag.name}": ${heldText(value, oid, settings)}}`;
}

/** Text behind a tag. */
function heldText(value: Datum, oid: number, settings: FormatSettings): string {
  if (oid === OID.bytea) return JSON.stringify(Buffer.from(value as Uint8Array).toString('base64'));
  if (TIMES.has(oid)) return JSON.stringify(momentText(value, settings));
  if (typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'sparse') {
    return `{"values": ${numbersText(value.values)}, "indices": [${value.indices.join(', ')}]}`;
  }
  return formatJsonb(parseJson(typeByOid(oid).format(value, settings)));
}

const numbersText = (values: Float32Array): string =>
  `[${Array.from(values, (value) => floatText(value, OID.float4, NO_SETTINGS).replace(/\.0$/, '')).join(', ')}]`;

/** Vectors are written alike whatever the settings. */
const NO_SETTINGS = {} as FormatSettings;

/** Always with a point, so that it is read back as a float. */
function floatText(value: Datum, oid: number, settings: FormatSettings): string {
  const text = typeByOid(oid).format(value, { ...settings, extraFloatDigits: 1 });
  if (!/\d$/.test(text)) return `{"$float": "${text}"}`;
  const plain = formatNumeric(parseNumeric(text));
  return plain.includes('.') ? plain : `${plain}.0`;
}

function momentText(value: Datum, settings: FormatSettings): string {
  const text = typeByOid(OID.timestamptz).format(value, { ...settings, ...UTC });
  return text.endsWith('+00') ? `${text.slice(0, -3).replace(' ', 'T')}Z` : text;
}

/** Row-major elements, nested as deep as the array has dimensions. */
function listText(array: ArrayDatum, oid: number, settings: FormatSettings): string {
  let parts = array.elements.map((element) => taggedText(element, array.elementType, settings));
  const tag = BY_OID.get(oid);
  if (tag !== undefined && array.dimensions.length < 2 && parts.some((part) => part.startsWith('{'))) {
    const numbers = parts.map((part) => part.replace(/^\{"\$float": (.*)\}$/, '$1'));
    return `{"${tag.name}": [${numbers.join(', ')}]}`;
  }
  for (const { length } of array.dimensions.slice(1).reverse()) {
    const groups: string[] = [];
    for (let start = 0; start < parts.length; start += length) {
      groups.push(`[${parts.slice(start, start + length).join(', ')}]`);
    }
    parts = groups;
  }
  return `[${parts.join(', ')}]`;
}
