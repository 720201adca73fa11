/** Faults of a schema: all of them, before anything is sent. */
import { type Fault, SchemaValidationError } from './errors.ts';
import { type DataType, FieldSpec, type FieldIndex, type Schema } from './schema.ts';

const DENSE_DIMENSION_MAX = 16_384;
const MATRIX_DIMENSION_MAX = 1024;
const DEPTH_MAX = 16;

const DENSE = ['f8_vector', 'f16_vector', 'f32_vector', 'u8_vector', 'i8_vector'];
const DENSE_METRICS = ['cosine', 'euclidean', 'dot_product'];
/** Metrics by the type that they fit. */
const METRICS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(DENSE.map((type) => [type, DENSE_METRICS])),
  f32_sparse_vector: ['dot_product'],
  u8_sparse_vector: ['dot_product'],
  binary_vector: ['hamming'],
};
/** The types that an index takes. */
const INDEXED: Readonly<Record<FieldIndex['kind'], readonly string[]>> = {
  semantic: ['text'],
  keyword: ['text', 'list of text'],
  ngram: ['text'],
  vector: Object.keys(METRICS),
  multi_vector: ['matrix'],
};

type SchemaFault = Fault & { readonly message: string };

/** @throws SchemaValidationError whose `errors` are all faults. */
export function checkSchema(schema: Schema): void {
  const faults = [...schemaFaults(schema, '', 1)];
  if (faults.length === 0) return;
  const message = faults.slice(0, 5).map((one) => one.message);
  throw new SchemaValidationError(message.join('; '), { kind: 'schema_validation', errors: faults });
}

function* schemaFaults(schema: Schema, before: string, depth: number): Generator<SchemaFault> {
  for (const [name, spec] of Object.entries(schema)) {
    const field = `${before}${name}`;
    yield* nameFaults(name, field, depth);
    const type = typeOf(spec);
    if (type === null) {
      yield { kind: 'missing_data_type', field, message: `field "${field}" has no data type` };
      continue;
    }
    yield* dimensionFaults(field, type);
    if (spec instanceof FieldSpec) yield* indexFaults(field, type, spec.indexes);
    if (type.kind !== 'struct') continue;
    if (depth < DEPTH_MAX) yield* schemaFaults(type.fields, `${field}.`, depth + 1);
    else
      yield {
        kind: 'struct_too_deep',
        field,
        message: `field "${field}": structs are nested more than ${DEPTH_MAX} deep`,
      };
  }
}

function typeOf(spec: unknown): DataType | null {
  if (spec instanceof FieldSpec) return spec.dataType;
  return typeof spec === 'object' && spec !== null ? { kind: 'struct', fields: spec as Schema } : null;
}

function* nameFaults(name: string, field: string, depth: number): Generator<SchemaFault> {
  if (name === '') yield { kind: 'empty_field_name', field, message: "a field's name must not be empty" };
  else if (name.startsWith('_') && depth === 1) {
    yield {
      kind: 'reserved_field',
      field,
      message: `field "${field}": names that begin with "_" are reserved`,
    };
  } else if (name.includes('.')) {
    yield { kind: 'dotted_field_name', field, message: `field "${field}": a name must not have a "."` };
  }
}

function* dimensionFaults(field: string, type: DataType): Generator<SchemaFault> {
  if (!('dimension' in type)) return;
  const { kind, dimension } = type;
  const most = kind === 'matrix' ? MATRIX_DIMENSION_MAX : DENSE_DIMENSION_MAX;
  if (Number.isInteger(dimension) && dimension >= 1 && dimension <= most) return;
  const message = `field "${field}": the dimension of a ${kind} is from 1 to ${most}, not ${dimension}`;
  yield { kind: 'invalid_dimension', field, message, type: kind, dimension };
}

function* indexFaults(field: string, type: DataType, indexes: readonly FieldIndex[]): Generator<SchemaFault> {
  const kind = type.kind === 'list' ? `list of ${type.valueType}` : type.kind;
  for (const index of indexes) {
    const name = `${index.kind}_index`;
    const about = { field, index: name, type: kind };
    const fits = INDEXED[index.kind];
    if (!fits.includes(kind)) {
      const message = `field "${field}": ${name} takes ${fits.join(', ')}, not ${kind}`;
      yield { kind: 'invalid_index', message, ...about };
    } else if (index.kind === 'vector' && !METRICS[kind]?.includes(index.metric)) {
      const which = `the metric ${index.metric} of ${name} does not fit the type ${kind}`;
      yield {
        kind: 'invalid_metric',
        message: `field "${field}": ${which}, but ${METRICS[kind]?.join(', ')}`,
        ...about,
      };
    }
  }
}
