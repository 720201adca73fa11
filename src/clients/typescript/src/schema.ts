/** A collection's fields: types, whether they must be there, indexes. Specs are values: compare them by content. */

import { InvalidArgumentError } from './errors.ts';
import { entriesOf, type Options, optionsOf } from './options.ts';
import { INSPECT, shownCall } from './shown.ts';

export type Metric = 'cosine' | 'euclidean' | 'dot_product' | 'hamming';
export type Quantization = '1bit' | '2bit' | 'scalar';

export type FieldIndex =
  | { readonly kind: 'keyword'; readonly type: 'text' | 'exact' }
  | { readonly kind: 'semantic'; readonly model: string | null }
  | { readonly kind: 'vector'; readonly metric: Metric }
  | {
      readonly kind: 'multi_vector';
      readonly metric: 'maxsim';
      readonly quantization: Quantization | null;
      readonly width: number | null;
      readonly topK: number | null;
    }
  | { readonly kind: 'ngram' };

export type VectorType =
  | 'f8_vector'
  | 'f16_vector'
  | 'f32_vector'
  | 'u8_vector'
  | 'i8_vector'
  | 'binary_vector';

export type DataType =
  | {
      readonly kind:
        | 'text'
        | 'int'
        | 'float'
        | 'bool'
        | 'bytes'
        | 'timestamp'
        | 'f32_sparse_vector'
        | 'u8_sparse_vector';
    }
  | { readonly kind: 'list'; readonly valueType: ListType }
  | { readonly kind: 'struct'; readonly fields: Schema }
  | { readonly kind: VectorType; readonly dimension: number }
  | {
      readonly kind: 'matrix';
      readonly dimension: number;
      readonly valueType: MatrixType;
    };

declare const VALUE: unique symbol;

/** One field. `Value` is what documents hold there, `Required` whether they must. */
export class FieldSpec<Value = unknown, Required extends boolean = boolean> {
  /** For types alone. */
  declare readonly [VALUE]: Value;
  readonly dataType: DataType;
  readonly isRequired: Required;
  readonly indexes: readonly FieldIndex[];

  constructor(dataType: DataType, isRequired: Required, indexes: readonly FieldIndex[] = []) {
    this.dataType = dataType;
    this.isRequired = isRequired;
    this.indexes = indexes;
  }

  /** Documents without it are refused. */
  required(): FieldSpec<Value, true> {
    return new FieldSpec<Value, true>(this.dataType, true, this.indexes);
  }

  optional(): FieldSpec<Value, false> {
    return new FieldSpec<Value, false>(this.dataType, false, this.indexes);
  }

  /** With these indexes, beside those that it has. */
  index(...indexes: readonly FieldIndex[]): FieldSpec<Value, Required> {
    const have = new Set(this.indexes.map((one) => JSON.stringify(one)));
    const more = indexes.filter((one) => !have.has(JSON.stringify(one)));
    return new FieldSpec<Value, Required>(this.dataType, this.isRequired, [...this.indexes, ...more]);
  }

  /** As it is written. */
  toString(): string {
    const { kind, ...given } = this.dataType;
    const { dimension, valueType, fields } = given as Record<string, unknown>;
    const isMatrix = kind === 'matrix' && valueType !== 'f32';
    const type = shownCall(camel(kind), dimension ?? fields ?? valueType, isMatrix ? valueType : undefined);
    const indexes = this.indexes.map((one) => `.index(${indexText(one)})`).join('');
    return `${type}${this.isRequired ? '.required()' : ''}${indexes}`;
  }
  [INSPECT](): string {
    return this.toString();
  }
}

const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function indexText({ kind, ...given }: FieldIndex): string {
  const told = Object.entries(given).filter(([, value]) => value !== null);
  return shownCall(`${camel(kind)}Index`, told.length === 0 ? undefined : Object.fromEntries(told));
}

/** Fields by name; a mapping within is a struct. */
export interface Schema {
  readonly [field: string]: FieldSpec<unknown, boolean> | Schema;
}

type Optional<Value> = FieldSpec<Value, false>;
type Numbers = ArrayLike<number>;

const field = <Value>(dataType: DataType): Optional<Value> => new FieldSpec<Value, false>(dataType, false);

export const text = (): Optional<string> => field({ kind: 'text' });
export const int = (): Optional<number> => field({ kind: 'int' });
export const float = (): Optional<number> => field({ kind: 'float' });
export const bool = (): Optional<boolean> => field({ kind: 'bool' });
export const bytes = (): Optional<Uint8Array> => field({ kind: 'bytes' });
/** Whole milliseconds since 1970 UTC; a `Date` is taken too. */
export const timestamp = (): Optional<number> => field({ kind: 'timestamp' });

type ListValue<Of extends ListType> = Of extends 'text' ? string[] : number[];

type ListType = 'text' | 'integer' | 'float';
const LIST_TYPES: readonly ListType[] = ['text', 'integer', 'float'];

/** A list of texts unless told, as in Python. */
export function list<Of extends ListType = 'text'>(
  of?: Of | Options<{ readonly valueType: Of }>,
): Optional<ListValue<Of>> {
  const { valueType = 'text' } = optionsByFirst<{ readonly valueType: ListType }>('list', of, ['valueType']);
  if (LIST_TYPES.includes(valueType)) return field({ kind: 'list', valueType });
  throw new InvalidArgumentError(`a list is of ${LIST_TYPES.join(', ')}, not ${String(valueType)}`);
}

export const struct = <Fields extends Schema>(
  fields: Fields | ReadonlyMap<string, Schema[string]>,
): Optional<StructOf<Fields>> =>
  field({ kind: 'struct', fields: Object.fromEntries(entriesOf<Schema[string]>('a struct', fields)) });

/** How many elements: a number, or by name. */
type Dimension = number | { readonly dimension: number };

const dimensionOf = (given: Dimension): number => (typeof given === 'number' ? given : given.dimension);

const vector =
  (kind: VectorType) =>
  (dimension: Dimension): Optional<number[]> =>
    field({ kind, dimension: dimensionOf(dimension) });

/** E4M3. */
export const f8Vector: (of: Dimension) => Optional<number[]> = vector('f8_vector');
export const f16Vector: (of: Dimension) => Optional<number[]> = vector('f16_vector');
export const f32Vector: (of: Dimension) => Optional<number[]> = vector('f32_vector');
export const u8Vector: (of: Dimension) => Optional<number[]> = vector('u8_vector');
export const i8Vector: (of: Dimension) => Optional<number[]> = vector('i8_vector');
/** Packed bits; the dimension counts bytes. */
export const binaryVector: (of: Dimension) => Optional<number[]> = vector('binary_vector');
export const f32SparseVector = (): Optional<Record<number, number>> => field({ kind: 'f32_sparse_vector' });
export const u8SparseVector = (): Optional<Record<number, number>> => field({ kind: 'u8_sparse_vector' });

type MatrixType = 'f32' | 'f16' | 'f8' | 'u8' | 'i8';
type MatrixShape = { readonly dimension: number; readonly valueType?: MatrixType | null };

/** Any number of rows of `dimension` elements, f32 unless told. */
export function matrix(shape: number | MatrixShape, valueType?: MatrixType | null): Optional<number[][]> {
  const of: MatrixShape = typeof shape === 'number' ? { dimension: shape } : shape;
  return field({
    kind: 'matrix',
    dimension: of.dimension,
    valueType: valueType ?? of.valueType ?? 'f32',
  });
}

/** Options; a text by itself is the first of them. */
const optionsByFirst = <T extends object>(
  call: string,
  given: string | Options<T>,
  names: readonly [keyof T & string, ...(keyof T & string)[]],
): Partial<T> =>
  typeof given === 'string'
    ? ({ [names[0]]: given } as unknown as Partial<T>)
    : optionsOf<T>(call, given, names);

type KeywordType = 'text' | 'exact';

/** Words, or with `exact` the value as it is: `keywordIndex('exact')`, `keywordIndex({ type: 'exact' })`. */
export function keywordIndex(options?: KeywordType | Options<{ readonly type: KeywordType }>): FieldIndex {
  const { type = 'text' } = optionsByFirst<{ readonly type: KeywordType }>('keywordIndex', options, ['type']);
  if (type === 'text' || type === 'exact') return { kind: 'keyword', type };
  throw new InvalidArgumentError(`the type of a keyword index is text or exact, not ${String(type)}`);
}

export function semanticIndex(options?: string | Options<{ readonly model: string }>): FieldIndex {
  const { model = null } = optionsByFirst<{ readonly model: string }>('semanticIndex', options, ['model']);
  return { kind: 'semantic', model };
}

/** cosine and dot_product give a similarity, euclidean the squared distance, hamming the count of bits. */
export function vectorIndex(options: Metric | { readonly metric: Metric }): FieldIndex {
  const { metric } = optionsByFirst<{ readonly metric: Metric }>('vectorIndex', options, ['metric']);
  if (typeof metric === 'string') return { kind: 'vector', metric };
  throw new InvalidArgumentError('a vector index has a metric: cosine, dot_product, euclidean, hamming');
}

export const ngramIndex = (): FieldIndex => ({ kind: 'ngram' });

interface MultiVectorOptions {
  readonly metric: 'maxsim';
  readonly quantization: Quantization;
  readonly width: number;
  readonly topK: number;
}

export function multiVectorIndex(options?: 'maxsim' | Options<MultiVectorOptions>): FieldIndex {
  const names = ['metric', 'quantization', 'width', 'topK'] as const;
  const {
    metric = 'maxsim',
    quantization = null,
    width = null,
    topK = null,
  } = optionsByFirst<MultiVectorOptions>('multiVectorIndex', options, [...names]);
  return { kind: 'multi_vector', metric, quantization, width, topK };
}

/** Type of the value that a document of the schema holds at a field. */
export type ValueOf<Spec> =
  Spec extends FieldSpec<infer Value, boolean> ? Value : Spec extends Schema ? StructOf<Spec> : unknown;

type RequiredFields<S> = {
  [F in keyof S]: S[F] extends FieldSpec<unknown, true> ? F : never;
}[keyof S];

type StructOf<S> = { [F in RequiredFields<S>]: ValueOf<S[F]> } & {
  [F in Exclude<keyof S, RequiredFields<S>>]?: ValueOf<S[F]>;
};

/** Types that may be written where a value is read: exact types from `quern-client/data`, typed arrays, dates. */
type Writable<Value> = Value extends number[]
  ? Value | Numbers | import('./data.ts').List
  : Value extends number[][]
    ? Value | import('./data.ts').Matrix
    : Value extends Record<number, number>
      ? Value | import('./data.ts').SparseVector
      : Value extends number
        ? Value | bigint | Date
        : Value;

/** Type of a document; it may have any other fields. */
export type DocumentOf<S extends Schema> = { readonly _id: string } & {
  readonly [F in RequiredFields<S>]: Writable<ValueOf<S[F]>>;
} & { readonly [F in Exclude<keyof S, RequiredFields<S>>]?: Writable<ValueOf<S[F]>> | null };

/** A document as it is read. */
export type StoredOf<S extends Schema> = { _id: string } & StructOf<S> & { [undeclared: string]: unknown };
