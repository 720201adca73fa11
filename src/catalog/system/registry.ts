/**
 * Every system relation with its rows. A relation without a row source is there and empty: clients ask for
 * triggers, policies or publications that Quern does not have.
 */
import { present } from '../../assert.ts';
import type { Datum } from '../../types/datum.ts';
import { ACCESS_ROWS } from './rows/access.ts';
import { DEPENDENCY_ROWS } from './rows/dependencies.ts';
import { INFORMATION_SCHEMA_ROWS } from './rows/information-schema.ts';
import { POLICY_ROWS } from './rows/policies.ts';
import { QUERN_ROWS } from './rows/quern.ts';
import { RELATION_ROWS } from './rows/relations.ts';
import { SERVER_ROWS } from './rows/server.ts';
import { STATISTICS_ROWS } from './rows/statistics.ts';
import { TYPE_ROWS } from './rows/types.ts';
import { VIEW_USAGE_ROWS } from './rows/view-usage.ts';
import type { RowSources, SystemContext, SystemRelation } from './context.ts';
import { OWNER_ROLE_OID } from '../oids.ts';
import { seenCatalog } from './seen-catalog.ts';
import { seenFacts } from './seen-facts.ts';
import { orderRow, SYSTEM_TABLES, type SystemTable } from './columns/tables.ts';

/** Row sources by schema, then by relation. */
export const ROW_SOURCES: Readonly<Record<string, RowSources>> = {
  pg_catalog: {
    ...POLICY_ROWS,
    ...RELATION_ROWS,
    ...ACCESS_ROWS,
    ...DEPENDENCY_ROWS,
    ...STATISTICS_ROWS,
    ...TYPE_ROWS,
    ...SERVER_ROWS,
  },
  information_schema: { ...INFORMATION_SCHEMA_ROWS, ...VIEW_USAGE_ROWS },
  quern: QUERN_ROWS,
};

function relationOf(table: SystemTable): SystemRelation {
  const source = ROW_SOURCES[table.schema]?.[table.name];
  return {
    ...table,
    *rows(context) {
      if (source === undefined) return;
      const { catalog, role = OWNER_ROLE_OID } = context;
      const seen = {
        ...context,
        catalog: seenCatalog(catalog, role, table.schema),
        facts: seenFacts(context.facts, catalog, role),
      };
      for (const row of source(seen)) yield orderRow(table.columns, row);
    },
  };
}

export const SYSTEM_RELATIONS: readonly SystemRelation[] = SYSTEM_TABLES.map(relationOf);

const BY_OID: ReadonlyMap<number, SystemRelation> = new Map(
  SYSTEM_RELATIONS.map((relation) => [relation.oid, relation]),
);
const BY_NAME: ReadonlyMap<string, SystemRelation> = new Map(
  SYSTEM_RELATIONS.map((relation) => [`${relation.schema}.${relation.name}`, relation]),
);

/** @param schema null: pg_catalog, which every search path begins with. */
export function findSystemRelation(schema: string | null, name: string): SystemRelation | undefined {
  return BY_NAME.get(`${schema ?? 'pg_catalog'}.${name}`);
}

export function systemRelationByOid(oid: number): SystemRelation | undefined {
  return BY_OID.get(oid);
}

/** Columns of all rows of a relation of pg_catalog. */
export function* systemColumns(
  context: SystemContext,
  name: string,
  columns: readonly string[],
): Generator<readonly Datum[]> {
  const relation = present(findSystemRelation('pg_catalog', name), `system relation ${name}`);
  const at = columns.map((wanted) => relation.columns.findIndex((column) => column.name === wanted));
  for (const row of relation.rows(context)) yield at.map((i) => row[i] ?? null);
}
