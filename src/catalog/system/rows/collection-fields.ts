/**
 * A collection's fields as JSON, from which clients make their schema again as it was declared. Types have the names
 * of the clients' helpers; a type that they have no helper for has its SQL name. `docs/clients-sql.md` shows it.
 */
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { INDEX_KINDS } from '../../index-kinds.ts';
import { type Column, type Index, liveColumns, type Relation, type StructField } from '../../model.ts';

interface FieldType {
  readonly type: string;
  readonly value_type?: string;
  readonly dimension?: number;
  readonly fields?: readonly FieldJson[];
}

interface IndexJson {
  readonly name: string;
  readonly kind: string;
  readonly options: Readonly<Record<string, string | number>>;
}

interface FieldJson extends FieldType {
  readonly name: string;
  /** The type in SQL. */
  readonly sql: string;
  readonly required: boolean;
  readonly indexes?: readonly IndexJson[];
}

/** By pg_type.typname. */
const HELPERS: Readonly<Record<string, FieldType>> = {
  text: { type: 'text' },
  int8: { type: 'int' },
  float8: { type: 'float' },
  bool: { type: 'bool' },
  bytea: { type: 'bytes' },
  timestamp: { type: 'timestamp' },
  _text: { type: 'list', value_type: 'text' },
  _int8: { type: 'list', value_type: 'integer' },
  _float8: { type: 'list', value_type: 'float' },
  jsonb: { type: 'struct' },
  vector: { type: 'f32_vector' },
  halfvec: { type: 'f16_vector' },
  f8_vector: { type: 'f8_vector' },
  u8_vector: { type: 'u8_vector' },
  i8_vector: { type: 'i8_vector' },
  binary_vector: { type: 'binary_vector' },
  f32_sparse_vector: { type: 'f32_sparse_vector' },
  u8_sparse_vector: { type: 'u8_sparse_vector' },
  f32_matrix: { type: 'matrix', value_type: 'f32' },
  f16_matrix: { type: 'matrix', value_type: 'f16' },
  f8_matrix: { type: 'matrix', value_type: 'f8' },
  u8_matrix: { type: 'matrix', value_type: 'u8' },
  i8_matrix: { type: 'matrix', value_type: 'i8' },
};

const WITH_DIMENSION = /^(?:f8_|u8_|i8_|binary_)?(?:vector|halfvec)$|_matrix$/;

function typeOf(type: TypeRef): FieldType {
  const name = findTypeByOid(type.oid)?.name ?? '';
  const helper = HELPERS[name] ?? { type: formatType(type) };
  return WITH_DIMENSION.test(name) && type.modifier > 0 ? { ...helper, dimension: type.modifier } : helper;
}

/** Columns that are declared, `_id` aside, in their order. */
export function declaredFields(relation: Relation): readonly FieldJson[] {
  return liveColumns(relation)
    .filter(({ name, undeclared }) => !undeclared && name !== '_id')
    .map((column) => fieldOf(relation, column, { attribute: column.attribute, path: [] }));
}

/** Columns that documents brought. */
export function undeclaredFields(relation: Relation): readonly FieldJson[] {
  return liveColumns(relation)
    .filter(({ undeclared }) => undeclared)
    .map((column) => fieldOf(relation, column, { attribute: column.attribute, path: [] }));
}

interface Place {
  readonly attribute: number;
  readonly path: readonly string[];
}

function fieldOf(
  relation: Relation,
  { name, type, notNull, struct }: Pick<Column & StructField, 'name' | 'type' | 'notNull' | 'struct'>,
  { attribute, path }: Place,
): FieldJson {
  const indexes = indexesOf(relation, { attribute, path });
  const fields = struct?.map((field) => {
    return fieldOf(relation, field, { attribute, path: [...path, field.name] });
  });
  return {
    name,
    ...typeOf(type),
    sql: formatType(type),
    required: notNull,
    ...(fields && { fields }),
    ...(indexes.length > 0 && { indexes }),
  };
}

function indexesOf(relation: Relation, { attribute, path }: Place): readonly IndexJson[] {
  const isOwn = ({ kind, columns, path: own = [], standby }: Index): boolean =>
    INDEX_KINDS[kind].clause !== null &&
    standby === undefined &&
    columns[0] === attribute &&
    own.join('\0') === path.join('\0');
  return relation.indexes.filter(isOwn).map(({ name, kind, options }) => ({
    name,
    kind,
    options: Object.fromEntries(
      Object.entries(options)
        .filter(([, value]) => value !== '')
        .map(([option, value]) => [option, INDEX_KINDS[kind].options[option]?.range ? Number(value) : value]),
    ),
  }));
}
