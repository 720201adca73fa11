/** `pg_stats`: what ANALYZE knows of columns. */
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { FormatSettings } from '../../../types/type.ts';
import { privilegesOn } from '../../access/checks.ts';
import { PRIVILEGE } from '../../access/privileges.ts';
import { type Catalog, liveColumns } from '../../model.ts';
import { OWNER_ROLE_OID } from '../../oids.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';

export const STATISTICS_ROWS: RowSources = { pg_stats: (context) => columnStatistics(context) };

function* columnStatistics({
  catalog,
  role = OWNER_ROLE_OID,
  facts,
  settings,
}: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    const { analysis } = facts.statistics(relation.oid);
    const schema = catalog.namespaces.find(({ oid }) => oid === relation.namespace);
    if (!analysis || schema === undefined) continue;
    for (const { attribute, name } of liveColumns(relation)) {
      const found = analysis.columns.get(attribute);
      if (found === undefined || !mayRead(catalog, role, relation.oid, attribute)) continue;
      const { common, bounds, type } = found;
      const shares = common.map(({ share }) => share);
      yield {
        schemaname: schema.name,
        tablename: relation.name,
        attname: name,
        inherited: false,
        null_frac: found.nullFraction,
        avg_width: found.width,
        n_distinct: found.distinct,
        most_common_vals: valuesOrNull(
          type,
          common.map(({ value }) => value),
          settings,
        ),
        most_common_freqs: arrayOrNull(OID.float4, shares),
        histogram_bounds: valuesOrNull(type, bounds, settings),
        correlation: found.correlation,
      };
    }
  }
}

/** Statistics are samples of a column's values. */
function mayRead(catalog: Catalog, role: number, oid: number, column: number): boolean {
  const objects = [{ kind: 'relation', oid } as const, { kind: 'column', oid, column } as const];
  return objects.some((object) => (privilegesOn(catalog, role, object) & PRIVILEGE.select) !== 0);
}

/** There are no arrays of arrays: values of an array column are shown as texts, as PostgreSQL's look. */
function valuesOrNull(oid: number, values: readonly Datum[], settings: FormatSettings): Datum {
  const type = findTypeByOid(oid);
  if (type?.category !== 'A') return arrayOrNull(oid, values);
  const texts = values.map((value) => (value === null ? null : type.format(value, settings)));
  return arrayOrNull(OID.text, texts);
}

function arrayOrNull(elementType: number, elements: readonly Datum[]): Datum {
  if (elements.length === 0) return null;
  const dimensions = [{ length: elements.length, lowerBound: 1 }];
  return { datum: 'array', elementType, dimensions, elements };
}
