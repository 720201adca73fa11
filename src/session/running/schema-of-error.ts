/**
 * Who raises an error about a table knows its name; drivers want its schema too. Values in its detail may be of a row, or
 * of columns, that the role may not read, so they are not told then. Source: BuildIndexValueDescription in PostgreSQL's
 * genam.c, ExecBuildSlotValueDescription in execMain.c.
 */
import { privilegesOn } from '../../catalog/access/checks.ts';
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import { findRelation } from '../../catalog/lookup.ts';
import { type Catalog, liveColumns, type Relation } from '../../catalog/model.ts';
import { isRuled } from '../../catalog/policies.ts';
import { type Condition, SqlError } from '../../errors.ts';

export interface ErrorReader {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  /** OID of the role that is told. */
  readonly role: number;
}

export function withSchemaOfTable(error: unknown, reader: ErrorReader): unknown {
  if (!(error instanceof SqlError) || error.fields.table === undefined) return error;
  const { catalog, searchPath } = reader;
  const { table } = error.fields;
  const told = toldTo(reader, error, table);
  // PostgreSQL does not name the table under a view.
  if (error.condition === 'with_check_option_violation') return told.with({ table: undefined });
  const relation = findRelation(catalog, null, table, searchPath);
  const schema = catalog.namespaces.find(({ oid }) => oid === relation?.namespace)?.name;
  return schema === undefined ? told : told.with({ schema });
}

/** The error without values that are hidden. Which table of that name it is about is not known: none may hide them. */
function toldTo({ catalog, role }: ErrorReader, error: SqlError, table: string): SqlError {
  if (!ROW_CONDITIONS.has(error.condition) || error.fields.detail === undefined) return error;
  const named = [...catalog.relations.values()].filter(({ name }) => name === table);
  const { constraint } = error.fields;
  const isTold = named.every(
    (relation) => !isRuled(catalog, relation, role) && mayRead(catalog, role, { relation, constraint }),
  );
  if (isTold) return error;
  return new SqlError(error.condition, error.message, { ...error.fields, detail: undefined });
}

interface Shown {
  readonly relation: Relation;
  readonly constraint: string | undefined;
}

/** True where the role may read the relation, or all columns that the error shows: those of the key, or all. */
function mayRead(catalog: Catalog, role: number, { relation, constraint }: Shown): boolean {
  const { oid } = relation;
  const reads = (privileges: number): boolean => (privileges & PRIVILEGE.select) !== 0;
  if (reads(privilegesOn(catalog, role, { kind: 'relation', oid }))) return true;
  const key = relation.constraints.find(({ name, kind }) => name === constraint && kind !== 'check');
  const columns = key?.columns ?? liveColumns(relation).map(({ attribute }) => attribute);
  return columns.every((column) => reads(privilegesOn(catalog, role, { kind: 'column', oid, column })));
}

/** Their detail has values of rows. */
const ROW_CONDITIONS: ReadonlySet<Condition> = new Set([
  'unique_violation',
  'check_violation',
  'not_null_violation',
  'foreign_key_violation',
  'with_check_option_violation',
]);
