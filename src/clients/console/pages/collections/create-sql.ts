/** CREATE TABLE of what a form says. */
import { quoteName } from '../../server/names.ts';

export type IndexKind = 'none' | 'keyword' | 'semantic' | 'both' | 'vector' | 'multi';

export interface FieldDraft {
  /** For lists: it stays when others go. */
  readonly id: number;
  readonly name: string;
  readonly type: string;
  /** That of vectors and matrices. */
  readonly dimension: string;
  readonly isRequired: boolean;
  readonly index: IndexKind;
}

export interface CollectionDraft {
  readonly name: string;
  readonly fields: readonly FieldDraft[];
}

export interface FieldType {
  readonly sql: string;
  readonly hasDimension: boolean;
  readonly indexes: readonly IndexKind[];
}

const VALUE: Omit<FieldType, 'sql'> = { hasDimension: false, indexes: ['none'] };
const VECTOR: Omit<FieldType, 'sql'> = { hasDimension: true, indexes: ['none', 'vector'] };

export const FIELD_TYPES: readonly FieldType[] = [
  { sql: 'text', hasDimension: false, indexes: ['none', 'keyword', 'semantic', 'both'] },
  ...[
    'bigint',
    'double precision',
    'numeric',
    'boolean',
    'timestamptz',
    'date',
    'uuid',
    'jsonb',
    'bytea',
  ].map((sql) => ({ sql, ...VALUE })),
  ...['text[]', 'bigint[]', 'double precision[]'].map((sql) => ({ sql, ...VALUE })),
  ...['f32_vector', 'f16_vector', 'i8_vector', 'binary_vector', 'f32_sparse_vector'].map((sql) => ({
    sql,
    ...VECTOR,
  })),
  { sql: 'f16_matrix', hasDimension: true, indexes: ['none', 'multi'] },
];

export const fieldType = (sql: string): FieldType =>
  FIELD_TYPES.find((type) => type.sql === sql) ?? { sql, ...VALUE };

const INDEX_SQL: Readonly<Record<IndexKind, string>> = {
  none: '',
  keyword: ' INDEX keyword_index()',
  semantic: ' INDEX semantic_index()',
  both: ' INDEX keyword_index() INDEX semantic_index()',
  vector: ' INDEX vector_index()',
  multi: ' INDEX multi_vector_index()',
};

function fieldSql({ name, type, dimension, isRequired, index }: FieldDraft): string {
  const size = fieldType(type).hasDimension && dimension.trim() !== '' ? `(${dimension.trim()})` : '';
  const kind = fieldType(type).indexes.includes(index) ? index : 'none';
  return `  ${quoteName(name)} ${type}${size}${isRequired ? ' NOT NULL' : ''}${INDEX_SQL[kind]}`;
}

export function createSql({ name, fields }: CollectionDraft): string {
  const named = fields
    .filter((field) => field.name.trim() !== '')
    .map((field) => ({ ...field, name: field.name.trim() }));
  const lines = ['  _id text', ...named.map(fieldSql)];
  return `CREATE TABLE ${quoteName(name.trim() === '' ? 'name' : name.trim())} (\n${lines.join(',\n')}\n)`;
}

export type DraftFault = 'noName' | 'reserved' | 'twice' | 'dimension';

/** A fault that needs no server to be found; null: there is none. */
export function fieldFault(field: FieldDraft, fields: readonly FieldDraft[]): DraftFault | null {
  const name = field.name.trim();
  if (name.startsWith('_')) return 'reserved';
  if (name !== '' && fields.some((other) => other.id !== field.id && other.name.trim() === name))
    return 'twice';
  if (fieldType(field.type).hasDimension && !/^\d*$/.test(field.dimension.trim())) return 'dimension';
  return null;
}

export const emptyField = (id: number): FieldDraft => ({
  id,
  name: '',
  type: 'text',
  dimension: '',
  isRequired: false,
  index: 'none',
});
