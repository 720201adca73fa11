/**
 * One row read and written. It is written only where it still is as it was read: the condition stands in the
 * statement itself, so nothing comes between looking and writing.
 */
import type { Column, Fault, Json } from '../../../server/messages.ts';
import { quoteName, quoteText } from '../../../server/names.ts';
import { run } from '../../../server/statement.ts';
import { WORDS } from '../../../words.ts';
import type { Relation, RelationColumn } from '../relation.ts';
import { bareType, typeClass } from '../types.ts';
import { documentJson, mergePatch, parameterOf, type Text } from './row-value.ts';

const { import: words } = WORDS.collections;

export interface StoredRow {
  /** Another one when anything in the row is another. */
  readonly version: string;
  readonly columns: readonly Column[];
  readonly values: ReadonlyMap<string, Json>;
}

/** Texts of changed columns, and of columns that the row brings. */
export type Draft = ReadonlyMap<string, Text>;

const parameterFrom =
  (first: number) =>
  (i: number): string =>
    `$${first + i}`;

const VERSION = `md5(t::text)`;

/** @param stand what stands for the value of the key's column of that number. */
function keyCondition(relation: Relation, stand: (i: number) => string): string {
  const terms = relation.key.map((name, i) => {
    const type = relation.columns.find((column) => column.name === name)?.type ?? 'text';
    return `t.${quoteName(name)} = ${stand(i)}::${bareType(type)}`;
  });
  return terms.join(' AND ');
}

/** Null: it is not there. */
export async function readRow(
  relation: Relation,
  key: readonly string[],
  signal?: AbortSignal,
): Promise<StoredRow | null> {
  const statement = `SELECT ${VERSION}, t.* FROM ${relation.sql} t WHERE ${keyCondition(relation, parameterFrom(1))}`;
  const { columns, rows } = await run(statement, { params: key, signal });
  const row = rows[0];
  if (row === undefined) return null;
  const shown = columns.slice(1);
  const values = new Map(shown.map(({ name }, i) => [name, row[i + 1] ?? null]));
  return { version: String(row[0]), columns: shown, values };
}

/** Nobody writes these. */
export const isWritten = (relation: Relation, name: string): boolean => {
  const column = relation.columns.find((one) => one.name === name);
  if (relation.isCollection && name.startsWith('_')) return false;
  return column === undefined || !column.isGenerated;
};

const typeOf = (relation: Relation, name: string): string | null =>
  relation.columns.find((column) => column.name === name)?.type ?? null;

/** A column that is not there yet takes the value's own kind. */
function newColumnType(text: string): string {
  if (/^-?\d{1,18}$/.test(text)) return 'bigint';
  if (/^-?\d+\.\d+$/.test(text)) return 'double precision';
  if (text === 'true' || text === 'false') return 'boolean';
  return /^\s*[[{]/.test(text) ? 'jsonb' : 'text';
}

function fieldJson(relation: Relation, name: string, text: Text, before: Json): string {
  const type = typeOf(relation, name) ?? newColumnType(text ?? '');
  const isDeclared = !relation.undeclared.has(name) && typeOf(relation, name) !== null;
  const json = documentJson(text, type, isDeclared);
  if (typeClass(type) !== 'json' || text === null || !json.startsWith('{')) return json;
  return JSON.stringify(mergePatch(before, JSON.parse(json) as Json));
}

function documentOf(relation: Relation, draft: Draft, before: ReadonlyMap<string, Json>): string {
  const fields = [...draft].map(
    ([name, text]) => `${JSON.stringify(name)}: ${fieldJson(relation, name, text, before.get(name) ?? null)}`,
  );
  return `{${fields.join(', ')}}`;
}

export interface Change {
  readonly relation: Relation;
  readonly key: readonly string[];
  readonly draft: Draft;
  readonly stored: StoredRow;
}

const relationText = ({ sql }: Relation): string => sql;

/** @returns false where the row is no longer as it was read, or is gone. @throws StatementError. */
export async function saveRow(change: Change): Promise<boolean> {
  const { relation, key, draft, stored } = change;
  if (relation.isCollection) {
    const document = documentOf(relation, new Map([['_id', key[0] ?? ''], ...draft]), stored.values);
    const statement = `SELECT lsn FROM quern.update($1, (SELECT $2::text FROM ${relation.sql} t
  WHERE ${keyCondition(relation, parameterFrom(4))} AND ${VERSION} = $3))`;
    const { rows } = await run(statement, {
      params: [relationText(relation), document, stored.version, ...key],
    });
    return rows.length > 0;
  }
  const changed = [...draft];
  const sets = changed.map(
    ([name], i) =>
      `${quoteName(name)} = $${i + 2 + key.length}::${bareType(typeOf(relation, name) ?? 'text')}`,
  );
  const params = changed.map(([name, text]) => parameterOf(text, typeOf(relation, name) ?? 'text'));
  const statement = `UPDATE ${relation.sql} t SET ${sets.join(', ')}
  WHERE ${keyCondition(relation, parameterFrom(2))} AND ${VERSION} = $1`;
  const { done } = await run(statement, { params: [stored.version, ...key, ...params] });
  return done?.tag !== 'UPDATE 0';
}

/** @returns the key of what was added. @throws StatementError. */
export async function addRow(relation: Relation, draft: Draft): Promise<readonly string[]> {
  if (relation.isCollection) {
    const document = documentOf(relation, draft, new Map());
    await run('SELECT lsn FROM quern.upsert($1, $2::text)', { params: [relationText(relation), document] });
    return [draft.get('_id') ?? ''];
  }
  const given = [...draft].filter(([, text]) => text !== null);
  const names = given.map(([name]) => quoteName(name)).join(', ');
  const values = given
    .map(([name], i) => `$${i + 1}::${bareType(typeOf(relation, name) ?? 'text')}`)
    .join(', ');
  const what = given.length === 0 ? ' DEFAULT VALUES' : ` (${names}) VALUES (${values})`;
  const returned = relation.key.map((name) => `${quoteName(name)}::text`).join(', ');
  const { rows } = await run(`INSERT INTO ${relation.sql}${what} RETURNING ${returned}`, {
    params: given.map(([name, text]) => parameterOf(text, typeOf(relation, name) ?? 'text')),
  });
  return (rows[0] ?? []).map(String);
}

/** To be read and copied, with the key in it. */
export const deleteSql = (relation: Relation, key: readonly string[]): string =>
  `DELETE FROM ${relation.sql} t WHERE ${keyCondition(relation, (i) => quoteText(key[i] ?? ''))}`;

/** @throws StatementError. */
export async function deleteRow(relation: Relation, key: readonly string[]): Promise<void> {
  const statement = `DELETE FROM ${relation.sql} t WHERE ${keyCondition(relation, parameterFrom(1))}`;
  await run(statement, { params: key });
}

interface DocumentFault {
  readonly kind: string;
  readonly field?: string;
  readonly expected?: string | number;
  readonly got?: string | number;
  readonly message?: string;
}

/** Parts of an error by the field that they belong to; what belongs to none stays with the whole. */
export function faultsByField(
  fault: Fault,
  draft: Draft,
  columns: readonly RelationColumn[],
): ReadonlyMap<string, string> {
  if (fault.kind === 'document_validation' && fault.detail?.startsWith('[') === true) {
    const faults = JSON.parse(fault.detail) as readonly DocumentFault[];
    return new Map(
      faults.flatMap((one) => (one.field === undefined ? [] : [[one.field, words.reason(one)] as const])),
    );
  }
  const column = fault.column ?? /column "([^"]+)"/.exec(fault.message)?.[1];
  if (column !== undefined && columns.some(({ name }) => name === column))
    return new Map([[column, fault.message]]);
  // "invalid input syntax for type bigint: "x"" names the value alone.
  const value = /: "(.*)"$/s.exec(fault.message)?.[1];
  const named = [...draft].find(([, text]) => text !== null && text === value)?.[0];
  return new Map(named === undefined ? [] : [[named, fault.message]]);
}
