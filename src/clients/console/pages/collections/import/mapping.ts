/** Which column of a file goes to which of the collection, and as what. */
import type { Json } from '../../../server/messages.ts';
import type { Relation } from '../relation.ts';
import { documentJson } from '../rows/row-value.ts';
import type { SourceRecord } from './source.ts';

export interface Mapped {
  /** A column of the file. */
  readonly from: string;
  /** Null: it is left out. */
  readonly to: string | null;
  /** SQL type: the column's, or what the values look like. */
  readonly type: string;
  /** The collection has it. */
  readonly isKnown: boolean;
}

const GUESSES: readonly (readonly [RegExp, string])[] = [
  [/^-?\d{1,18}$/, 'bigint'],
  [/^-?\d*\.?\d+(?:[eE][+-]?\d+)?$/, 'double precision'],
  [/^(?:true|false)$/i, 'boolean'],
  [
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/,
    'timestamp with time zone',
  ],
];

/** The type that texts of a column look like; an id with zeros before it is a text. */
function guessText(texts: readonly string[]): string {
  if (texts.length === 0 || texts.some((text) => /^-?0\d/.test(text))) return 'text';
  return GUESSES.find(([pattern]) => texts.every((text) => pattern.test(text)))?.[1] ?? 'text';
}

function guessType(values: readonly Json[]): string {
  const given = values.filter((value) => value !== null && value !== '');
  if (given.every((value) => typeof value === 'string')) return guessText(given as readonly string[]);
  if (given.every((value) => typeof value === 'number')) {
    return given.every((value) => Number.isSafeInteger(value)) ? 'bigint' : 'double precision';
  }
  if (given.every((value) => typeof value === 'boolean')) return 'boolean';
  return given.every((value) => Array.isArray(value)) ? listType(given.flat()) : 'jsonb';
}

function listType(elements: readonly Json[]): string {
  if (elements.every((element) => typeof element === 'string')) return 'text[]';
  if (!elements.every((element) => typeof element === 'number')) return 'jsonb';
  return elements.every((element) => Number.isSafeInteger(element)) ? 'bigint[]' : 'double precision[]';
}

/** In the order in which the records have them. */
function columnsOf(records: readonly SourceRecord[]): readonly string[] {
  return [...new Set(records.flatMap(({ values }) => [...values.keys()]))];
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');

export function guessMapping(relation: Relation, records: readonly SourceRecord[]): readonly Mapped[] {
  const open = relation.columns.filter(({ isGenerated }) => !isGenerated);
  const taken = new Set<string>();
  return columnsOf(records).map((from): Mapped => {
    const match =
      open.find(({ name }) => name === from) ??
      open.find(({ name }) => plain(name) === plain(from) && !taken.has(name));
    const type = guessType(records.map(({ values }) => values.get(from) ?? null));
    if (match !== undefined) {
      taken.add(match.name);
      return { from, to: match.name, type: match.type, isKnown: true };
    }
    return { from, to: relation.isCollection ? newName(from) : null, type, isKnown: false };
  });
}

/** Names that begin with _ are the server's, and dots are paths. */
const newName = (from: string): string => from.replace(/^_+/, '').replaceAll('.', '_');

/** A mapping changed to another column, or to a new one of that name. */
export function mappedTo(mapped: Mapped, to: string | null, relation: Relation): Mapped {
  const column = relation.columns.find(({ name }) => name === to);
  return { ...mapped, to, type: column?.type ?? mapped.type, isKnown: column !== undefined };
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A record as a document of the collection; empty texts of CSV are left out. */
export function documentOf(record: SourceRecord, mapping: readonly Mapped[], relation: Relation): string {
  const fields = mapping.flatMap(({ from, to, type, isKnown }) => {
    const value = record.values.get(from) ?? null;
    if (to === null || value === null || value === '') return [];
    const isDeclared = isKnown && !relation.undeclared.has(to);
    // A value of JSON says itself what it is, where nothing else is known of the column.
    const json =
      typeof value === 'string'
        ? documentJson(value, to === '_id' ? 'text' : type, isDeclared)
        : valueJson(value, to);
    return [`${JSON.stringify(to)}:${json}`];
  });
  if (relation.isCollection && !mapping.some(({ to }) => to === '_id'))
    fields.unshift(`"_id":"${record.line}"`);
  return `{${fields.join(',')}}`;
}

const valueJson = (value: Json, to: string): string =>
  to === '_id' ? JSON.stringify(textOf(value)) : JSON.stringify(value);
