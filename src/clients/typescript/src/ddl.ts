/** Schemas as SQL, and as the server tells them. */
import { InvalidArgumentError } from './errors.ts';
import { entriesOf } from './options.ts';
import { checkSchema } from './schema-faults.ts';
import { type DataType, FieldSpec, type FieldIndex, type Schema } from './schema.ts';
import type { Rows } from './wire/connection.ts';
import type { Statement } from './wire/link.ts';
import type { PackedFields, PackedType } from './wire/encode.ts';
import { identifier, pathSql, textLiteral } from './wire/names.ts';

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
  typeof value === 'number' ? String(value) : textLiteral(value);

/** `name => value, …` of those that are given. */
const options = (given: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(given)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} => ${literal(value)}`]))
    .join(', ');

/** An index's options by the server's names. */
function indexOptions(index: FieldIndex): Readonly<Record<string, string | number | null>> {
  if (index.kind === 'multi_vector') {
    const { metric, quantization, width, topK } = index;
    return { metric, quantization, width, top_k: topK };
  }
  const { kind: _, ...given } = index;
  return given;
}

const indexSql = (index: FieldIndex): string => `INDEX ${index.kind}_index(${options(indexOptions(index))})`;

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
  entriesOf('a schema', schema);
  checkSchema(schema);
  const columns = columnsSql(schema);
  return `CREATE TABLE ${identifier(name)} ("_id" TEXT${columns === '' ? '' : `, ${columns}`})`;
};

/** A field that is added. @throws SchemaValidationError */
export const addedSql = (name: string, spec: FieldSpec | Schema): string => {
  checkSchema({ [name]: spec });
  return columnSql(name, spec);
};

/** @param field `a.b` is a field of a struct. */
export function createIndexSql(name: string, field: string, index: FieldIndex): string {
  const [column = '', ...path] = field.split('.');
  const at = pathSql(identifier(column), path);
  const of = path.length === 0 ? at : `(${at})`;
  const given = options(indexOptions(index)).replaceAll(' => ', ' = ');
  const using = `CREATE INDEX ON ${identifier(name)} USING ${index.kind} (${of})`;
  return given === '' ? using : `${using} WITH (${given})`;
}

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
  readonly name: string;
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

/** The model of `semantic_index()` where none is named. */
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

/** The server's name of a field's index. @throws InvalidArgumentError where there is none like it */
export function indexNameOf({ values }: Rows, field: string, index: FieldIndex): string {
  let fields: readonly ToldField[] = (values[0]?.[0] ?? []) as readonly ToldField[];
  let told: ToldField | undefined;
  for (const part of field.split('.')) {
    told = fields.find(({ name }) => name === part);
    fields = told?.fields ?? [];
  }
  const wanted = JSON.stringify(indexOptions(index));
  const found = told?.indexes?.find(
    (one) => one.kind === index.kind && JSON.stringify(indexOptions(indexOf(one))) === wanted,
  );
  if (found !== undefined) return found.name;
  throw new InvalidArgumentError(`field ${JSON.stringify(field)} has no such ${index.kind} index`);
}

/** Vectors whose elements JavaScript has arrays of, and sparse ones, which it has objects for. */
export function packedFieldsOf({ values }: Rows): PackedFields {
  const told = (values[0]?.[0] ?? []) as readonly ToldField[];
  return new Map(
    told.flatMap(({ name, type }) => {
      const [, element] = /^((?:f32|u8|i8)|(?:f32|u8)_sparse)_vector$/.exec(type) ?? [];
      return element === undefined ? [] : [[name, element as PackedType] as const];
    }),
  );
}
