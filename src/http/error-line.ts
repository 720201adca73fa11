/** An error as JSON: all that a client of the SQL port is told of it. */
import { kindOf } from '../error-kinds.ts';
import type { SqlError } from '../errors.ts';

/** Fields that are undefined are left out. */
export function errorLine(error: SqlError): Readonly<Record<string, unknown>> {
  const { message, sqlstate, fields } = error;
  const { position, hint, detail, where, schema, table, column, dataType, constraint } = fields;
  const place = { schema, table, column, data_type: dataType, constraint };
  const inner = { internal_position: fields.internalPosition, internal_query: fields.internalQuery };
  return { message, sqlstate, kind: kindOf(error), position, hint, detail, where, ...place, ...inner };
}
