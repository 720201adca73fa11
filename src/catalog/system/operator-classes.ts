/**
 * Operator classes: which each column of an index has, for clients that join pg_index with pg_opclass.
 * Names are PostgreSQL's and pgvector's where they have one.
 */
import { OID } from '../../types/oids.ts';
import { allTypes, findTypeByOid } from '../../types/registry.ts';
import type { Index } from '../model.ts';
import { accessMethodOid, generatedOid } from '../oids.ts';

export interface OperatorClass {
  readonly oid: number;
  readonly name: string;
  readonly method: number;
  readonly type: number;
  readonly default: boolean;
}

/** pgvector's suffix by metric. */
const METRIC_SUFFIXES: Readonly<Record<string, string>> = {
  cosine: 'cosine',
  euclidean: 'l2',
  dot_product: 'ip',
  hamming: 'hamming',
};

function className(kind: Index['kind'], type: string, options: Index['options']): string {
  if (kind === 'btree') return `${type}_ops`;
  if (kind === 'gin') return type === 'jsonb' ? 'jsonb_ops' : 'array_ops';
  if (kind !== 'vector') return `${kind}_ops`;
  return `${type}_${METRIC_SUFFIXES[options.metric ?? 'cosine'] ?? 'cosine'}_ops`;
}

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

/** The class of an index's column of that type. */
export function operatorClassOid(index: Index, type: number): number {
  const known = findTypeByOid(type);
  const typeName = known?.category === 'E' ? 'enum' : (known?.name ?? 'text');
  return classOid(index.kind, className(index.kind, typeName, index.options));
}

function rowOf(method: string, name: string, type: number, isDefault: boolean): OperatorClass {
  return { oid: classOid(method, name), name, method: accessMethodOid(method), type, default: isDefault };
}

export const OPERATOR_CLASSES: readonly OperatorClass[] = [
  ...allTypes()
    .filter((type) => type.compare !== undefined && !type.pseudo)
    .map((type) => rowOf('btree', `${type.name}_ops`, type.oid, true)),
  rowOf('btree', 'enum_ops', OID.anyenum, true),
  rowOf('gin', 'jsonb_ops', OID.jsonb, true),
  rowOf('gin', 'jsonb_path_ops', OID.jsonb, false),
  rowOf('gin', 'array_ops', OID.anyarray, true),
  rowOf('keyword', 'keyword_ops', OID.text, true),
  rowOf('semantic', 'semantic_ops', OID.text, true),
  ...['vector', 'hnsw'].flatMap((method) =>
    allTypes()
      .filter(
        (type) => type.oid === OID.bit || (/(vec|vector|matrix)$/.test(type.name) && type.oid >= OID.vector),
      )
      .flatMap((type) =>
        Object.values(METRIC_SUFFIXES).map((suffix) =>
          rowOf(method, `${type.name}_${suffix}_ops`, type.oid, suffix === 'l2'),
        ),
      ),
  ),
];
