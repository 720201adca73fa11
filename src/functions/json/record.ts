/**
 * json[b]_to_record(set) and json[b]_populate_record(set): members of an object become fields of a row. The
 * row's fields are the caller's (`shaped` of SetFunction), so that a type is known for each. Source:
 * populate_record and its kin in jsonfuncs.c of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { jsonItems, jsonKind, jsonMembers, plainText } from '../../types/json/text.ts';
import { OID } from '../../types/oids.ts';
import { formatType, typeByOid } from '../../types/registry.ts';
import type { FormatSettings, SqlType } from '../../types/type.ts';
import type { SetFunction } from '../function.ts';

type Kind = 'json' | 'jsonb';

/** Values as they are written, the last of equal keys. */
type Members = ReadonlyMap<string, string>;

/** The fields wanted: `types` and `names` of the record, a modifier for each. */
interface Shape {
  readonly record: RecordDatum;
  readonly modifiers: ArrayDatum;
}

interface Field {
  readonly key: string;
  readonly modifier: number;
  readonly settings: FormatSettings;
}

/** @param base gives names, and the fields for keys that the object lacks; null for none. */
function rowOf(
  object: Members,
  { record, modifiers }: Shape,
  base: RecordDatum | null,
  settings: FormatSettings,
): readonly Datum[] {
  return record.types.map((oid, i) => {
    const key = base === null ? (record.names?.[i] ?? '') : (base.names?.[i] ?? `f${i + 1}`);
    const value = object.get(key);
    if (value === undefined) return base?.fields[i] ?? null;
    return datumOf(value, typeByOid(oid), { key, modifier: modifiers.elements[i] as number, settings });
  });
}

function datumOf(value: string, type: SqlType, field: Field): Datum {
  const kind = jsonKind(value);
  if (kind === 'null') return null;
  if (type.oid === OID.json || type.oid === OID.jsonb) {
    return type.parse(value, field.modifier, field.settings);
  }
  const isArray = type.category === 'A' && type.elementOid !== undefined;
  if (isArray && kind !== 'string') return arrayOf(value, typeByOid(type.elementOid), field);
  return type.parse(plainText(value) ?? '', field.modifier, field.settings);
}

/** How deep arrays nest at the first element of each. */
function depthOf(value: string | undefined): number {
  if (value === undefined || jsonKind(value) !== 'array') return 0;
  const [first] = jsonItems(value);
  return 1 + depthOf(first);
}

/** Nested arrays are dimensions. @throws SqlError 22P02. */
function arrayOf(value: string, element: SqlType, field: Field): ArrayDatum {
  const depth = Math.max(1, depthOf(value));
  const lengths: number[] = [];
  const elements: Datum[] = [];
  const read = (item: string, place: readonly number[]): void => {
    const level = place.length;
    if (level === depth) {
      elements.push(datumOf(item, element, field));
      return;
    }
    if (jsonKind(item) !== 'array') throw notArray(field.key, place);
    const items = [...jsonItems(item)];
    lengths[level] ??= items.length;
    if (lengths[level] !== items.length) throw ragged();
    for (const [i, inner] of items.entries()) read(inner, [...place, i]);
  };
  read(value, []);
  const dimensions = elements.length === 0 ? [] : lengths.map((length) => ({ length, lowerBound: 1 }));
  return { datum: 'array', elementType: element.oid, dimensions, elements };
}

function notArray(key: string, place: readonly number[]): SqlError {
  const element = place.map((i) => `[${i}]`).join('');
  return new SqlError('invalid_text_representation', 'expected JSON array', {
    hint:
      element === '' ? `See the value of key "${key}".` : `See the array element ${element} of key "${key}".`,
  });
}

const ragged = (): SqlError =>
  new SqlError('invalid_text_representation', 'malformed JSON array', {
    detail: 'Multidimensional arrays must have sub-arrays with matching dimensions.',
  });

const refused = (message: string): SqlError => new SqlError('invalid_parameter_value', message);

const membersOf = (text: string): Members =>
  new Map(jsonMembers(text).map((member) => [member.key, member.text]));

/** The one object of json[b]_to_record; for NULL one without members. @throws SqlError 22023. */
function objectOf(text: string | null): Members {
  const kind = text === null ? 'null' : jsonKind(text);
  if (text === null || kind === 'object') return membersOf(text ?? '{}');
  throw refused(`cannot call populate_composite on ${kind === 'array' ? 'an array' : 'a scalar'}`);
}

/** @throws SqlError 22023 naming the function. */
function objectsOf(text: string | null, kind: Kind, name: string): readonly Members[] {
  if (text === null) return [];
  const found = jsonKind(text);
  if (found !== 'array') {
    const given = kind === 'jsonb' ? 'a non-array' : found === 'object' ? 'an object' : 'a scalar';
    throw refused(`cannot call ${name} on ${given}`);
  }
  return [...jsonItems(text)].map((item) => {
    if (jsonKind(item) === 'object') return membersOf(item);
    throw refused(`argument of ${name} must be an array of objects`);
  });
}

/** A list of columns may name the fields of a given row, and not change them. @throws SqlError 42804. */
function checkShape(base: RecordDatum | null, { types }: RecordDatum): void {
  if (base === null) return;
  const detail = differenceOf(base.types, types);
  if (detail === null) return;
  throw new SqlError('datatype_mismatch', 'function return row and query-specified return row do not match', {
    detail,
  });
}

function differenceOf(given: readonly number[], wanted: readonly number[]): string | null {
  if (given.length !== wanted.length) {
    const attributes = given.length === 1 ? 'attribute' : 'attributes';
    return `Returned row contains ${given.length} ${attributes}, but query expects ${wanted.length}.`;
  }
  const place = given.findIndex((oid, i) => oid !== wanted[i] && !(isText(oid) && isText(wanted[i])));
  if (place < 0) return null;
  const shown = (oid: number | undefined): string => formatType({ oid: oid ?? OID.unknown, modifier: -1 });
  return `Returned type ${shown(given[place])} at ordinal position ${place + 1}, but query expects ${shown(wanted[place])}.`;
}

/** The same bytes mean the same. */
const isText = (oid: number | undefined): boolean => oid === OID.text || oid === OID.varchar;

const DEFINED = 'AS x(a int, b text)';

const defined = (kind: Kind): SetFunction[] => [
  {
    name: `${kind}_to_record`,
    args: [kind],
    returns: 'record',
    shaped: 'by definitions',
    strict: false,
    summary: "An object's members as the columns that a list defines.",
    example: [`SELECT b FROM ${kind}_to_record('{"a": 1, "b": "x"}') ${DEFINED}`, 'x'],
    rows: ({ settings }, text: string | null, record: RecordDatum, modifiers: ArrayDatum) => [
      rowOf(objectOf(text), { record, modifiers }, null, settings),
    ],
  },
  {
    name: `${kind}_to_recordset`,
    args: [kind],
    returns: 'record',
    shaped: 'by definitions',
    strict: false,
    summary: 'Objects of an array as rows of the columns that a list defines.',
    example: [`SELECT sum(a) FROM ${kind}_to_recordset('[{"a": 1}, {"a": 2}]') ${DEFINED}`, '3'],
    rows: ({ settings }, text: string | null, record: RecordDatum, modifiers: ArrayDatum) =>
      objectsOf(text, kind, `${kind}_to_recordset`).map((object) =>
        rowOf(object, { record, modifiers }, null, settings),
      ),
  },
];

const populated = (kind: Kind): SetFunction[] => [
  {
    name: `${kind}_populate_record`,
    args: ['anyelement', kind],
    returns: 'record',
    shaped: 'by first argument',
    strict: false,
    summary: "A row with an object's members in place of its fields of their names.",
    example: [`SELECT (${kind}_populate_record(ROW(1, 2), '{"f2": 3}')).f2::text`, '3'],
    rows: (
      { settings },
      base: RecordDatum | null,
      text: string | null,
      record: RecordDatum,
      modifiers: ArrayDatum,
    ) => {
      if (text !== null) checkShape(base, record);
      return [rowOf(objectOf(text), { record, modifiers }, base, settings)];
    },
  },
  {
    name: `${kind}_populate_recordset`,
    args: ['anyelement', kind],
    returns: 'record',
    shaped: 'by first argument',
    strict: false,
    summary: "Rows with the members of an array's objects in place of a row's fields of their names.",
    example: [`SELECT count(*) FROM ${kind}_populate_recordset(ROW(1, 2), '[{"f2": 3}, {}]')`, '2'],
    rows: (
      { settings },
      base: RecordDatum | null,
      text: string | null,
      record: RecordDatum,
      modifiers: ArrayDatum,
    ) => {
      if (text !== null) checkShape(base, record);
      return objectsOf(text, kind, `${kind}_populate_recordset`).map((object) =>
        rowOf(object, { record, modifiers }, base, settings),
      );
    },
  },
];

export const JSON_RECORD_SETS: readonly SetFunction[] = (['json', 'jsonb'] as const).flatMap((kind) => [
  ...defined(kind),
  ...populated(kind),
]);
