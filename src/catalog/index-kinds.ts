/**
 * What each kind of index accepts: the one table that CREATE TABLE, CREATE INDEX, ALTER TABLE, the catalog
 * and the docs read. How an index works is in `index/`.
 */
import type { IndexKind } from './model.ts';

export interface IndexOption {
  readonly default: string;
  /** Allowed values; absent when the check needs more than a list. */
  readonly values?: readonly string[];
  readonly summary: string;
}

export interface IndexKindRow {
  readonly kind: IndexKind;
  /** Name in an inline clause, `keyword_index(…)`; null when there is none. */
  readonly clause: string | null;
  /** Names after USING. */
  readonly methods: readonly string[];
  /** Types (pg_type.typname) of columns it fits. */
  readonly types: readonly string[] | 'any';
  readonly options: Readonly<Record<string, IndexOption>>;
  readonly summary: string;
}

const TEXT_TYPES = ['text', 'varchar', 'bpchar'] as const;

export const INDEX_KINDS: Readonly<Record<IndexKind, IndexKindRow>> = {
  btree: {
    kind: 'btree',
    clause: null,
    methods: ['btree', 'hash', 'brin', 'spgist'],
    types: 'any',
    options: {},
    summary: 'Unique keys are kept by it. Others are accepted, so that schemas load; filters scan.',
  },
  gin: {
    kind: 'gin',
    clause: null,
    methods: ['gin'],
    types: ['jsonb', '_text', '_varchar', '_int2', '_int4', '_int8', '_uuid'],
    options: {},
    summary: 'Accepted on documents and arrays, so that schemas load; filters on them scan.',
  },
  keyword: {
    kind: 'keyword',
    clause: 'keyword_index',
    methods: ['keyword'],
    types: [...TEXT_TYPES, '_text'],
    options: {
      type: {
        default: 'text',
        values: ['text', 'exact'],
        summary: 'text: words, folded and stemmed; exact: the whole value as one case-sensitive term.',
      },
      language: { default: 'english', summary: 'Language of stemming and stop words.' },
    },
    summary: 'Inverted index with BM25.',
  },
  semantic: {
    kind: 'semantic',
    clause: 'semantic_index',
    methods: ['semantic'],
    types: TEXT_TYPES,
    options: {
      model: { default: 'all-minilm-l6-v2', summary: 'Embedding model.' },
      language: { default: 'english', summary: 'Language of its keyword half.' },
    },
    summary: 'Embeddings of the text, by passage; also keyword-searchable.',
  },
  vector: {
    kind: 'vector',
    clause: 'vector_index',
    methods: ['vector', 'hnsw', 'ivfflat'],
    types: ['vector'],
    options: {
      metric: {
        default: 'cosine',
        values: ['cosine', 'euclidean', 'dot_product', 'hamming'],
        summary: 'How vectors are compared.',
      },
    },
    summary: 'Nearest neighbours of a vector.',
  },
};
