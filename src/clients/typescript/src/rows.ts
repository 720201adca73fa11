/** Rows as objects, and their types. */
import { InvalidArgumentError } from './errors.ts';
import { NULLS, NULLS_HERE, SORT_FIELD } from './query/compile.ts';
import type { FieldRef } from './query/expression.ts';
import type { Grouped, Whole } from './query/stages.ts';
import type { Schema, StoredOf, ValueOf } from './schema.ts';
import type { Rows } from './wire/connection.ts';

/** Selected columns, with types of fields from the schema. */
type Resolved<S extends Schema, Column> =
  Column extends FieldRef<infer Name> ? (Name extends keyof S ? ValueOf<S[Name]> : unknown) : Column;

/** A row of a query. */
export type Row<S extends Schema, R> = R extends Whole
  ? StoredOf<S>
  : R extends Grouped<infer G>
    ? { [Name in keyof G]: Resolved<S, G[Name]> }
    : { _id: string } & { [Name in keyof R as Name extends '_id' ? never : Name]?: Resolved<S, R[Name]> };

/** @internal One object a row; what is null is left out, but for fields of documents that were written so. */
export function rowsOf({ columns, values }: Rows): Record<string, unknown>[] {
  const isHidden = (name: string): boolean =>
    name.startsWith(SORT_FIELD) || name === NULLS || name === NULLS_HERE;
  return values.map((row) => {
    const object: Record<string, unknown> = {};
    for (const [at, value] of row.entries()) {
      const name = columns[at];
      if (value !== null && name !== undefined && !isHidden(name)) object[name] = value;
    }
    for (const name of nullsOf(columns, row)) object[name] ??= null;
    return object;
  });
}

function nullsOf(columns: readonly string[], row: readonly unknown[]): readonly string[] {
  const [whole, here] = [row[columns.indexOf(NULLS)], row[columns.indexOf(NULLS_HERE)]];
  const names = (whole ?? here ?? []) as readonly string[];
  return whole == null ? names.filter((name) => columns.includes(name)) : names;
}

const NUMBERS_TEXTS_TIMES = new Set([
  18, 19, 20, 21, 23, 25, 700, 701, 1042, 1043, 1082, 1114, 1184, 1700, 2950,
]);
const JSONB = 3802;

/** @internal @throws InvalidArgumentError where rows are sorted by anything but numbers and texts. */
export function checkSortFields({ columns, types, values }: Rows): void {
  for (const [at, name] of columns.entries()) {
    if (!name.startsWith(SORT_FIELD) || NUMBERS_TEXTS_TIMES.has(types[at] ?? 0)) continue;
    const fits = (value: unknown): boolean =>
      value === null || typeof value === 'string' || typeof value === 'number';
    if (types[at] === JSONB && values.every((row) => fits(row[at]))) continue;
    throw new InvalidArgumentError('a sort key is a number or a string');
  }
}

/** @internal By `_id`. */
export const documentsOf = (rows: Rows): Record<string, Record<string, unknown>> =>
  Object.fromEntries(rowsOf(rows).map((row) => [String(row._id), row]));
