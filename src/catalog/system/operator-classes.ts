/**
 * Operator classes: which each column of an index has, for clients that join pg_index with pg_opclass.
 * Names are PostgreSQL's and pgvector's where they have one.
 */
import { OID } from '../../types/oids.ts';
import { allTypes, findTypeByOid } from '../../types/registry.ts';
import { INDEX_KINDS, optionValues } from '../index-kinds.ts';
import { type Index, type IndexElement, indexShape, type Relation } from '../model.ts';
import { accessMethodOid, generatedOid } from '../oids.ts';

export interface OperatorClass {
  readonly oid: number;
  readonly name: string;
  readonly method: number;
  readonly type: number;
  readonly default: boolean;
  /** Each class is a family of its own. */
  readonly family: number;
  /** pgvector's stand in the schema of the extension. */
  readonly extension: boolean;
}

/** pgvector's suffix by metric. */
const METRIC_SUFFIXES: Readonly<Record<string, string>> = {
  cosine: 'cosine',
  euclidean: 'l2',
  dot_product: 'ip',
  l1: 'l1',
  hamming: 'hamming',
  jaccard: 'jaccard',
};

/** Classes of vectors of a type, and the metrics they stand for: `halfvec_l2_ops` is euclidean. */
export function vectorClasses(type: string): ReadonlyMap<string, string> {
  const { types, options } = INDEX_KINDS.vector;
  if (types === 'any' || !types.includes(type) || options.metric === undefined) return new Map();
  const metrics = optionValues(options.metric, type) ?? [];
  return new Map(metrics.map((metric) => [`${type}_${METRIC_SUFFIXES[metric]}_ops`, metric]));
}

/** The class that a column of the type has in an index by the method. */
export function operatorClassName(method: string, type: string, options: Index['options']): string {
  if (method === 'gin') return type === 'jsonb' ? 'jsonb_ops' : 'array_ops';
  if (method === 'keyword' || method === 'semantic' || method === 'ngram') return `${method}_ops`;
  if (!VECTOR_METHODS.includes(method)) return method === 'brin' ? `${type}_minmax_ops` : `${type}_ops`;
  return `${type}_${METRIC_SUFFIXES[options.metric ?? 'cosine'] ?? 'cosine'}_ops`;
}

const VECTOR_METHODS: readonly string[] = ['vector', 'hnsw', 'ivfflat'];

/** Methods of PostgreSQL that are answered as ordinary indexes are. */
const PLAIN_METHODS = ['btree', 'hash', 'brin'] as const;

/** PostgreSQL's OIDs that clients know by heart. */
const KNOWN_OIDS: Readonly<Record<string, number>> = {
  'btree date_ops': 3122,
  'btree float8_ops': 3123,
  'btree int8_ops': 3124,
  'btree numeric_ops': 3125,
  'btree text_ops': 3126,
  'btree timestamptz_ops': 3127,
  'btree timestamp_ops': 3128,
  'btree int4_ops': 1978,
  'btree int2_ops': 1979,
  'btree oid_ops': 1981,
};

const classOid = (method: string, name: string): number =>
  KNOWN_OIDS[`${method} ${name}`] ?? generatedOid(`operator class ${method} ${name}`);

/** The class of an index's element. */
export function operatorClassOid(relation: Relation, index: Index, element: IndexElement): number {
  const typeName = findTypeByOid(element.type)?.name ?? 'text';
  const { method } = indexShape(relation, index);
  return classOid(method, element.operatorClass ?? operatorClassName(method, typeName, index.options));
}

function rowOf(method: string, name: string, type: number, isDefault: boolean): OperatorClass {
  return {
    oid: classOid(method, name),
    name,
    method: accessMethodOid(method),
    type,
    default: isDefault,
    family: generatedOid(`operator family ${method} ${name}`),
    extension: VECTOR_METHODS.includes(method),
  };
}

export const OPERATOR_CLASSES: readonly OperatorClass[] = [
  ...allTypes()
    .filter((type) => type.compare !== undefined && !type.pseudo)
    .flatMap((type) =>
      PLAIN_METHODS.map((method) => rowOf(method, operatorClassName(method, type.name, {}), type.oid, true)),
    ),
  rowOf('spgist', 'text_ops', OID.text, true),
  rowOf('btree', 'enum_ops', OID.anyenum, true),
  rowOf('gin', 'jsonb_ops', OID.jsonb, true),
  rowOf('gin', 'jsonb_path_ops', OID.jsonb, false),
  rowOf('gin', 'array_ops', OID.anyarray, true),
  rowOf('gin', 'gin_trgm_ops', OID.text, false),
  rowOf('ngram', 'ngram_ops', OID.text, true),
  rowOf('keyword', 'keyword_ops', OID.text, true),
  rowOf('semantic', 'semantic_ops', OID.text, true),
  ...VECTOR_METHODS.flatMap((method) =>
    allTypes().flatMap((type) =>
      [...vectorClasses(type.name)].map(([name, metric]) =>
        rowOf(method, name, type.oid, metric === 'euclidean'),
      ),
    ),
  ),
];

const EXTENSION_CLASSES: ReadonlySet<string> = new Set(
  OPERATOR_CLASSES.flatMap(({ name, extension }) => (extension ? [name] : [])),
);

/** One of pgvector's, by name. */
export const isExtensionClass = (name: string): boolean => EXTENSION_CLASSES.has(name);
