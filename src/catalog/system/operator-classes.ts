/**
 * Operator classes: which each column of an index has, for clients that join pg_index with pg_opclass.
 * Names are PostgreSQL's and pgvector's where they have one.
 */
import { OID } from '../../types/oids.ts';
import { allTypes, findType, findTypeByOid } from '../../types/registry.ts';
import {
  INDEX_KINDS,
  type IndexKindRow,
  kindWith,
  type OperatorClassRow,
  optionValues,
} from '../index-kinds.ts';
import { type Index, type IndexElement, indexShape, type Relation } from '../model.ts';
import { generatedOid } from '../oids.ts';
import { accessMethodOid } from './access-methods.ts';

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
  const classes = kindWith(method, null)?.classes ?? 'orders';
  if (classes === 'metrics') return `${type}_${METRIC_SUFFIXES[options.metric ?? 'cosine'] ?? 'cosine'}_ops`;
  const usual = classes === 'orders' ? undefined : usualClass(classes, type);
  return usual ?? (method === 'brin' ? `${type}_minmax_ops` : `${type}_ops`);
}

/** The type's own, or the last one for others. */
function usualClass(classes: readonly OperatorClassRow[], type: string): string | undefined {
  const usual = classes.filter((row) => row.default);
  return (usual.find((row) => row.type === type) ?? usual.at(-1))?.name;
}

const VECTOR_METHODS: readonly string[] = Object.keys(INDEX_KINDS.vector.methods);

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

function namedClasses({ methods, classes }: IndexKindRow): readonly OperatorClass[] {
  if (classes === 'orders' || classes === 'metrics') return [];
  return Object.keys(methods).flatMap((own) =>
    classes.map((row) => rowOf(row.method ?? own, row.name, findType(row.type)?.oid ?? 0, row.default)),
  );
}

export const OPERATOR_CLASSES: readonly OperatorClass[] = [
  ...allTypes()
    .filter((type) => type.compare !== undefined && !type.pseudo)
    .flatMap((type) =>
      PLAIN_METHODS.map((method) => rowOf(method, operatorClassName(method, type.name, {}), type.oid, true)),
    ),
  rowOf('spgist', 'text_ops', OID.text, true),
  rowOf('btree', 'enum_ops', OID.anyenum, true),
  ...Object.values(INDEX_KINDS).flatMap(namedClasses),
  ...VECTOR_METHODS.flatMap((method) =>
    allTypes().flatMap((type) =>
      [...vectorClasses(type.name)].map(([name, metric]) =>
        rowOf(method, name, type.oid, metric === 'euclidean'),
      ),
    ),
  ),
];

export const isOperatorClass = (method: string, name: string): boolean =>
  OPERATOR_CLASSES.some((known) => known.name === name && known.method === accessMethodOid(method));

const EXTENSION_CLASSES: ReadonlySet<string> = new Set(
  OPERATOR_CLASSES.flatMap(({ name, extension }) => (extension ? [name] : [])),
);

/** One of pgvector's, by name. */
export const isExtensionClass = (name: string): boolean => EXTENSION_CLASSES.has(name);
