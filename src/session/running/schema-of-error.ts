/**
 * Who raises an error about a table knows its name; drivers want its schema too. Values in its detail may be of a row that
 * policies hide, so they are not told where there are any. Source: BuildIndexValueDescription in PostgreSQL's genam.c.
 */
import { findRelation } from '../../catalog/lookup.ts';
import type { Catalog } from '../../catalog/model.ts';
import { isRuled } from '../../catalog/policies.ts';
import { type Condition, SqlError } from '../../errors.ts';

export interface ErrorReader {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  /** OID of the role that is told. */
  readonly role: number;
}

export function withSchemaOfTable(error: unknown, { catalog, searchPath, role }: ErrorReader): unknown {
  if (!(error instanceof SqlError) || error.fields.table === undefined) return error;
  const relation = findRelation(catalog, null, error.fields.table, searchPath);
  const isHidden =
    relation !== undefined && ROW_CONDITIONS.has(error.condition) && isRuled(catalog, relation, role);
  const schema = catalog.namespaces.find(({ oid }) => oid === relation?.namespace)?.name;
  if (schema === undefined) return error;
  const told = isHidden
    ? new SqlError(error.condition, error.message, { ...error.fields, detail: undefined })
    : error;
  return told.with({ schema });
}

/** Their detail has values of rows. */
const ROW_CONDITIONS: ReadonlySet<Condition> = new Set([
  'unique_violation',
  'check_violation',
  'not_null_violation',
  'foreign_key_violation',
]);
