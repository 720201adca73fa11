/**
 * Kinds of index and what each accepts: the one table that CREATE TABLE, CREATE INDEX, ALTER TABLE, the catalog
 * and the docs read. What a kind is made of, and how that works, is in `index/` (`registry.ts`).
 */
import { SqlError } from '../errors.ts';
import { CANDIDATES_MAX, MATRIX_DIMENSION_MAX } from '../limits.ts';
import { checkStopWords, createAnalyser } from '../language/analyse.ts';

export type IndexKind = 'btree' | 'gin' | 'keyword' | 'semantic' | 'vector' | 'multi_vector' | 'ngram';

export interface IndexOption {
  /** Null: not kept when it is not given. */
  readonly default: string | null;
  /** Allowed values; absent when the check needs more than a list. */
  readonly values?: readonly string[];
  /** Values that fit a column's type, the first of them its default; instead of `default` and `values`. */
  readonly byType?: Readonly<Record<string, readonly string[]>>;
  /** Whole numbers from, to. */
  readonly range?: readonly [number, number];
  /** Values of other engines that Quern lacks. */
  readonly lacking?: readonly string[];
  /** @throws SqlError 22023 when a value is wrong. */
  readonly check?: (value: string) => void;
  readonly summary: string;
}

/** A row of pg_opclass. */
export interface OperatorClassRow {
  readonly name: string;
  /** Its type (pg_type.typname), of which it may be the default. */
  readonly type: string;
  readonly default: boolean;
  /** Where it is named after USING another kind's method, the index is of this kind all the same. */
  readonly method?: string;
}

export interface IndexKindRow {
  readonly kind: IndexKind;
  /** `an index` of the kind, in messages; a where it is left out. */
  readonly article?: 'an';
  /** Name in an inline clause, `keyword_index(…)`; null for PostgreSQL's own kinds, which have none. */
  readonly clause: string | null;
  /** Names after USING, with their OIDs in pg_am. */
  readonly methods: Readonly<Record<string, number>>;
  /** One for every type that has an order, one for every metric of a type, or these. */
  readonly classes: 'orders' | 'metrics' | readonly OperatorClassRow[];
  /** Types (pg_type.typname) of columns it fits. */
  readonly types: readonly string[] | 'any';
  readonly options: Readonly<Record<string, IndexOption>>;
  readonly summary: string;
}

const TEXT_TYPES = ['text', 'varchar', 'bpchar'] as const;

const DENSE_METRICS = ['cosine', 'euclidean', 'dot_product', 'l1'] as const;
const SPARSE_METRICS = ['dot_product', 'cosine', 'euclidean', 'l1'] as const;
const BINARY_METRICS = ['hamming', 'jaccard'] as const;

/** Metrics of a vector index by the type of its column. */
const VECTOR_METRICS: Readonly<Record<string, readonly string[]>> = {
  vector: DENSE_METRICS,
  halfvec: DENSE_METRICS,
  f8_vector: DENSE_METRICS,
  u8_vector: DENSE_METRICS,
  i8_vector: DENSE_METRICS,
  sparsevec: SPARSE_METRICS,
  f32_sparse_vector: SPARSE_METRICS,
  u8_sparse_vector: SPARSE_METRICS,
  bit: BINARY_METRICS,
  binary_vector: BINARY_METRICS,
};

/** Options of the graph that large segments get; names and ranges are pgvector's. */
const GRAPH_OPTIONS: IndexKindRow['options'] = {
  m: { default: null, range: [2, 100], summary: 'Neighbours that each vector is linked to; 16.' },
  ef_construction: {
    default: null,
    range: [4, 1000],
    summary: 'Vectors kept in view while one is inserted; 128, and at least twice m.',
  },
  quantization: {
    default: null,
    values: ['int8'],
    lacking: ['none', 'binary', 'float16'],
    summary: 'What is compared first; the best are compared as float32.',
  },
};

const MATRIX_TYPES = ['f32_matrix', 'f16_matrix', 'f8_matrix', 'u8_matrix', 'i8_matrix'] as const;

const LANGUAGE: IndexOption = {
  default: 'english',
  check: (language) => createAnalyser({ language }),
  summary: 'Language of stemming and stop words.',
};
const SYNONYMS: IndexOption = {
  default: '',
  check: (synonyms) => createAnalyser({ synonyms }),
  summary: 'Rules like `car, automobile; tv => television`: words that count as one, or as others.',
};

const STOP_WORDS: IndexOption = {
  default: null,
  check: checkStopWords,
  summary:
    'Words that are looked for only by themselves: none, those of a language, or a list; the language’s own.',
};

/** The greatest weight of a column among others that are searched with it. */
export const COLUMN_WEIGHT_MAX = 1000;
export const isColumnWeight = (weight: number): boolean => weight >= 0 && weight <= COLUMN_WEIGHT_MAX;

const WEIGHT: IndexOption = {
  default: null,
  check(weight) {
    if (/^[0-9.]+$/.test(weight) && isColumnWeight(Number(weight))) return;
    throw new SqlError('invalid_parameter_value', `invalid value for parameter "weight": "${weight}"`, {
      hint: `It is a number between 0 and ${COLUMN_WEIGHT_MAX}.`,
    });
  },
  summary: 'What a word in the column counts where several columns are searched together; 1.',
};

export const INDEX_KINDS: Readonly<Record<IndexKind, IndexKindRow>> = {
  btree: {
    kind: 'btree',
    clause: null,
    methods: { btree: 403, hash: 405, brin: 3580, spgist: 4000 },
    classes: 'orders',
    types: 'any',
    options: {},
    summary: 'Finds rows by the order of its first column; unique keys are kept by it.',
  },
  gin: {
    kind: 'gin',
    clause: null,
    methods: { gin: 2742 },
    classes: [
      { name: 'jsonb_ops', type: 'jsonb', default: true },
      { name: 'jsonb_path_ops', type: 'jsonb', default: false },
      { name: 'array_ops', type: 'anyarray', default: true },
    ],
    types: ['jsonb', 'tsvector', '_text', '_varchar', '_int2', '_int4', '_int8', '_uuid'],
    options: {},
    summary: 'Accepted on documents, tsvector and arrays, so that schemas load; filters on them scan.',
  },
  keyword: {
    kind: 'keyword',
    clause: 'keyword_index',
    methods: { keyword: 13_020 },
    classes: [{ name: 'keyword_ops', type: 'text', default: true }],
    types: [...TEXT_TYPES, '_text'],
    options: {
      type: {
        default: 'text',
        values: ['text', 'exact'],
        summary: 'text: words, folded and stemmed; exact: the whole value as one case-sensitive term.',
      },
      language: LANGUAGE,
      synonyms: SYNONYMS,
      stop_words: STOP_WORDS,
      weight: WEIGHT,
    },
    summary: 'Inverted index with BM25.',
  },
  semantic: {
    kind: 'semantic',
    clause: 'semantic_index',
    methods: { semantic: 13_021 },
    classes: [{ name: 'semantic_ops', type: 'text', default: true }],
    types: TEXT_TYPES,
    options: {
      model: {
        default: null,
        summary: 'Embedding model; the setting quern.embedding_model names the usual one.',
      },
      language: LANGUAGE,
      synonyms: SYNONYMS,
      stop_words: STOP_WORDS,
      weight: WEIGHT,
      ...GRAPH_OPTIONS,
    },
    summary: 'Embeddings of the text, by passage; also keyword-searchable.',
  },
  vector: {
    kind: 'vector',
    clause: 'vector_index',
    methods: { vector: 13_022, hnsw: 13_023, ivfflat: 13_024 },
    classes: 'metrics',
    types: Object.keys(VECTOR_METRICS),
    options: {
      metric: { default: 'cosine', byType: VECTOR_METRICS, summary: 'How vectors are compared.' },
      ...GRAPH_OPTIONS,
    },
    summary: 'Nearest neighbours of a vector.',
  },
  multi_vector: {
    kind: 'multi_vector',
    clause: 'multi_vector_index',
    methods: { multi_vector: 13_025 },
    classes: MATRIX_TYPES.map((type) => ({ name: `${type}_ops`, type, default: true })),
    types: MATRIX_TYPES,
    options: {
      metric: { default: 'maxsim', values: ['maxsim'], summary: 'How matrices are compared.' },
      quantization: {
        default: null,
        values: ['1bit', '2bit', 'scalar'],
        lacking: ['none'],
        summary:
          'How many bits of a number estimates go by, at most; of small dimensions there are up to 4. The best are exact.',
      },
      top_k: {
        default: null,
        range: [1, CANDIDATES_MAX],
        summary: 'How many matrices are scored exactly where the call does not say; as many as are needed.',
      },
      width: {
        default: null,
        range: [1, MATRIX_DIMENSION_MAX],
        summary: 'How many numbers of a vector estimates go by, from the first; all.',
      },
    },
    summary: 'Late interaction: nearest matrices by MaxSim.',
  },
  ngram: {
    kind: 'ngram',
    article: 'an',
    clause: 'ngram_index',
    methods: { ngram: 13_026 },
    classes: [
      { name: 'ngram_ops', type: 'text', default: true },
      { name: 'gin_trgm_ops', type: 'text', default: false, method: 'gin' },
    ],
    types: ['text', 'varchar'],
    options: {},
    summary: 'Parts of texts: LIKE, ILIKE, regular expressions. `USING gin (… gin_trgm_ops)` is the same.',
  },
};

const KINDS: readonly IndexKindRow[] = Object.values(INDEX_KINDS);

/** Names after USING. */
export const INDEX_METHODS: readonly string[] = KINDS.flatMap(({ methods }) => Object.keys(methods));

/** By the name after USING, and the operator class where one is given; undefined when there is none. */
export function kindWith(method: string, operatorClass: string | null): IndexKindRow | undefined {
  const named = KINDS.find(
    ({ classes }) =>
      Array.isArray(classes) && classes.some((c) => c.method === method && c.name === operatorClass),
  );
  return named ?? KINDS.find(({ methods }) => Object.hasOwn(methods, method));
}

/** True for PostgreSQL's own kinds: kept as written, over several columns or expressions. */
export const isOrdinary = (kind: IndexKind): boolean => INDEX_KINDS[kind].clause === null;

/** Values that an option may have on a column of the type; null: any. */
export function optionValues(option: IndexOption, type: string): readonly string[] | null {
  return option.byType?.[type] ?? option.values ?? null;
}

/** Default of an option on a column of the type. */
export function optionDefault(option: IndexOption, type: string): string | null {
  return option.byType?.[type]?.[0] ?? option.default;
}

/** The types of columns that it fits, as statements write them. */
export function fittingTypes({ types }: IndexKindRow): string {
  if (types === 'any') return types;
  return types.map((name) => (name.startsWith('_') ? `${name.slice(1)}[]` : name)).join(', ');
}
