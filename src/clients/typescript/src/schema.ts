/** A collection's fields: types, whether they must be there, indexes. Specs are values: compare them by content. */

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

export const list = <Of extends ListType>(of: Of | { readonly valueType: Of }): Optional<ListValue<Of>> =>
  field({ kind: 'list', valueType: typeof of === 'string' ? of : of.valueType });

export const struct = <Fields extends Schema>(fields: Fields): Optional<StructOf<Fields>> =>
  field({ kind: 'struct', fields });

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
type MatrixShape = { readonly dimension: number; readonly valueType?: MatrixType };

/** Any number of rows of `dimension` elements, f32 unless told. */
export function matrix(shape: number | MatrixShape, valueType?: MatrixType): Optional<number[][]> {
  const of: MatrixShape = typeof shape === 'number' ? { dimension: shape } : shape;
  return field({
    kind: 'matrix',
    dimension: of.dimension,
    valueType: valueType ?? of.valueType ?? 'f32',
  });
}

export const keywordIndex = ({ type = 'text' }: { readonly type?: 'text' | 'exact' } = {}): FieldIndex => ({
  kind: 'keyword',
  type,
});
export const semanticIndex = ({ model = null }: { readonly model?: string | null } = {}): FieldIndex => ({
  kind: 'semantic',
  model,
});
/** cosine and dot_product give a similarity, euclidean the squared distance, hamming the count of bits. */
export const vectorIndex = ({ metric }: { readonly metric: Metric }): FieldIndex => ({
  kind: 'vector',
  metric,
});
export const ngramIndex = (): FieldIndex => ({ kind: 'ngram' });
export const multiVectorIndex = ({
  metric = 'maxsim',
  quantization = null,
  width = null,
  topK = null,
}: {
  readonly metric?: 'maxsim';
  readonly quantization?: Quantization | null;
  readonly width?: number | null;
  readonly topK?: number | null;
} = {}): FieldIndex => ({ kind: 'multi_vector', metric, quantization, width, topK });

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
