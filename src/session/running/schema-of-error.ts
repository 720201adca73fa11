/** Who raises an error about a table knows its name; drivers want its schema too. */
import { findRelation } from '../../catalog/lookup.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';

export function withSchemaOfTable(error: unknown, catalog: Catalog, searchPath: readonly string[]): unknown {
  if (!(error instanceof SqlError) || error.fields.table === undefined) return error;
  const relation = findRelation(catalog, null, error.fields.table, searchPath);
  const schema = catalog.namespaces.find(({ oid }) => oid === relation?.namespace)?.name;
  return schema === undefined ? error : error.with({ schema });
}
