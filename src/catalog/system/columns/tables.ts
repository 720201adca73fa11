/**
 * Names, OIDs and columns of all system relations, read once from the column lists.
 */
import { assert, unreachable } from '../../../assert.ts';
import type { ArrayDatum, Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { findType, typeByOid, typeRef } from '../../../types/registry.ts';
import { NAMESPACE_OID } from '../../oids.ts';
import { INFORMATION_SCHEMA_COLUMNS } from './information-schema.ts';
import { PG_CATALOG_COLUMNS } from './pg-catalog.ts';
import { PG_STAT_COLUMNS } from './pg-stat.ts';
import { QUERN_COLUMNS } from './quern.ts';
import type { NamedRow, SystemColumn, SystemRelation } from '../context.ts';

export interface SystemTable extends Omit<SystemRelation, 'rows'> {
  readonly namespace: number;
}

/** Types that PostgreSQL has and Quern has not, shown as one that it has. */
const STAND_INS: Readonly<Record<string, string>> = {
  int2vector: 'int2[]',
  oidvector: 'oid[]',
  regproc: 'oid',
  oid: 'int8',
  xid: 'oid',
  'regtype[]': 'oid[]',
};

function columnType(name: string): number {
  const type = findType(name) ?? findType(STAND_INS[name] ?? 'text') ?? findType('text');
  assert(type !== undefined, 'there is a type text');
  return type.oid;
}

/** The domain yes_or_no of information_schema is character varying(3). */
const YES_OR_NO = typeRef(OID.varchar, 7);

/** `oid:oid! relname:name!` → columns. */
function columnsOf(words: readonly string[]): SystemColumn[] {
  return words.map((word) => {
    const [name = '', type = ''] = word.split(':');
    const notNull = type.endsWith('!');
    if (type === 'yes_or_no') return { name, type: YES_OR_NO, notNull };
    return { name, type: typeRef(columnType(notNull ? type.slice(0, -1) : type)), notNull };
  });
}

function tablesOf(schema: keyof typeof NAMESPACE_OID, text: string): SystemTable[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((entry) => {
      const [name = '', oid = '', kind = '', ...columns] = entry.split(/\s+/);
      assert(kind === 'r' || kind === 'v', `${name} is a table or a view`);
      return {
        oid: Number(oid),
        schema,
        namespace: NAMESPACE_OID[schema],
        name,
        kind,
        columns: columnsOf(columns),
      };
    });
}

export const SYSTEM_TABLES: readonly SystemTable[] = [
  ...tablesOf('pg_catalog', PG_CATALOG_COLUMNS),
  ...tablesOf('pg_catalog', PG_STAT_COLUMNS),
  ...tablesOf('information_schema', INFORMATION_SCHEMA_COLUMNS),
  ...tablesOf('quern', QUERN_COLUMNS),
];

/** int2vector and oidvector: arrays whose first element is number 0. */
export function vectorDatum(elementType: number, values: readonly number[]): ArrayDatum {
  const dimensions = values.length === 0 ? [] : [{ length: values.length, lowerBound: 0 }];
  return { datum: 'array', elementType, dimensions, elements: values };
}

/** Value of a NOT NULL column when a row says nothing of it. */
function zero(column: SystemColumn): Datum {
  if (!column.notNull) return null;
  const { vector } = typeByOid(column.type.oid);
  switch (vector) {
    case 'bool':
      return false;
    case 'int32':
    case 'float64':
      return 0;
    case 'int64':
      return 0n;
    case 'text':
      return '';
    case 'object':
      return vectorDatum(OID.oid, []);
    default:
      return unreachable(vector);
  }
}

/** A row in column order. */
export function orderRow(columns: readonly SystemColumn[], row: NamedRow): readonly Datum[] {
  return columns.map((column) => {
    const value = row[column.name];
    return value === undefined ? zero(column) : value;
  });
}
