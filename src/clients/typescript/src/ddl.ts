/** Schemas as SQL, and as the server tells them. */
import { checkSchema } from './schema-faults.ts';
import { type DataType, FieldSpec, type FieldIndex, type Schema } from './schema.ts';
import type { Rows } from './wire/connection.ts';
import type { Statement } from './wire/link.ts';
import type { PackedFields } from './wire/encode.ts';
import { identifier } from './wire/names.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  text: 'TEXT',
  int: 'BIGINT',
  float: 'DOUBLE PRECISION',
  bool: 'BOOLEAN',
  bytes: 'BYTEA',
  timestamp: 'TIMESTAMP',
  f32_sparse_vector: 'F32_SPARSE_VECTOR',
  u8_sparse_vector: 'U8_SPARSE_VECTOR',
};
const LISTS: Readonly<Record<string, string>> = {
  text: 'TEXT[]',
  integer: 'BIGINT[]',
  float: 'DOUBLE PRECISION[]',
};

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

/** `name => value, …` of those that are given. */
const options = (given: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(given)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} => ${literal(value)}`]))
    .join(', ');

function indexSql(index: FieldIndex): string {
  switch (index.kind) {
    case 'keyword':
      return `INDEX keyword_index(${options({ type: index.type })})`;
    case 'semantic':
      return `INDEX semantic_index(${options({ model: index.model })})`;
    case 'vector':
      return `INDEX vector_index(${options({ metric: index.metric })})`;
    case 'ngram':
      return 'INDEX ngram_index()';
    case 'multi_vector': {
      const { metric, quantization, width, topK } = index;
      return `INDEX multi_vector_index(${options({ metric, quantization, width, top_k: topK })})`;
    }
  }
}

function typeSql(type: DataType): string {
  switch (type.kind) {
    case 'list':
      return LISTS[type.valueType] ?? '';
    case 'struct':
      return `JSONB STRUCT (${columnsSql(type.fields)})`;
    case 'matrix':
      return `${type.valueType.toUpperCase()}_MATRIX(${type.dimension})`;
    default:
      if ('dimension' in type) return `${type.kind.toUpperCase()}(${type.dimension})`;
      return SIMPLE[type.kind] ?? '';
  }
}

function columnSql(name: string, spec: FieldSpec | Schema): string {
  if (!(spec instanceof FieldSpec)) {
    return `${identifier(name)} JSONB STRUCT (${columnsSql(spec)})`;
  }
  const required = spec.isRequired ? ' NOT NULL' : '';
  const indexes = spec.indexes.map((index) => ` ${indexSql(index)}`).join('');
  return `${identifier(name)} ${typeSql(spec.dataType)}${required}${indexes}`;
}

const columnsSql = (schema: Schema): string =>
  Object.entries(schema)
    .map(([name, spec]) => columnSql(name, spec))
    .join(', ');

/** @param name the collection's, checked. @throws SchemaValidationError */
export const createSql = (name: string, schema: Schema): string => {
  checkSchema(schema);
  const columns = columnsSql(schema);
  return `CREATE TABLE ${identifier(name)} ("_id" TEXT${columns === '' ? '' : `, ${columns}`})`;
};

/** A field as `quern.collections` tells it (`docs/structs.md`). */
interface ToldField {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly dimension?: number;
  readonly value_type?: string;
  readonly fields?: readonly ToldField[];
  readonly indexes?: readonly ToldIndex[];
}

interface ToldIndex {
  readonly kind: string;
  readonly options: Readonly<Record<string, string | number | undefined>>;
}

/** A schema as `quern.collections` tells it. */
export const schemaOf = (fields: readonly ToldField[]): Schema =>
  Object.fromEntries(fields.map((one) => [one.name, specOf(one)]));

const specOf = (told: ToldField): FieldSpec =>
  new FieldSpec(dataTypeOf(told), told.required ?? false, (told.indexes ?? []).map(indexOf));

function dataTypeOf({ type, dimension, value_type: valueType, fields }: ToldField): DataType {
  const parts = {
    ...(dimension !== undefined && { dimension }),
    ...(valueType !== undefined && { valueType }),
    ...(type === 'struct' && { fields: schemaOf(fields ?? []) }),
  };
  return { kind: type, ...parts } as DataType;
}

/** What `semantic_index()` means where no model is named. */
const USUAL_MODEL = 'all-minilm-l6-v2';

function indexOf({ kind, options: told }: ToldIndex): FieldIndex {
  const made: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    keyword: { type: told.type ?? 'text' },
    semantic: { model: told.model === USUAL_MODEL ? null : (told.model ?? null) },
    vector: { metric: told.metric },
    multi_vector: {
      metric: told.metric ?? 'maxsim',
      quantization: told.quantization ?? null,
      width: told.width ?? null,
      topK: told.top_k ?? null,
    },
  };
  return { kind, ...made[kind] } as FieldIndex;
}

/** The declared fields of a collection, as `quern.collections` tells them. */
export const fieldsOf = (name: string): Statement => ({
  sql: 'SELECT fields FROM quern.collections WHERE schema = current_schema() AND name = $1::text',
  params: [name],
});

/** Vectors whose elements JavaScript has arrays of. */
export function packedFieldsOf({ values }: Rows): PackedFields {
  const told = (values[0]?.[0] ?? []) as readonly ToldField[];
  return new Map(
    told.flatMap(({ name, type }) => {
      const [, element] = /^(f32|u8|i8)_vector$/.exec(type) ?? [];
      return element === undefined ? [] : [[name, element as 'f32' | 'u8' | 'i8'] as const];
    }),
  );
}
