/** OWNER TO: everything belongs to the one role that signs in, but for the schema public. */
import { DATABASE_NAME, OWNER_ROLE_OID, ROLES, schemaOwner } from '../../../catalog/oids.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';

/**
 * @param role null for CURRENT_USER and its kin.
 * @throws SqlError 42704 for a role that is not there, 0A000 for another than the owner.
 */
export function checkOwner(role: string | null, owner = OWNER_ROLE_OID): void {
  const wanted = role === null ? OWNER_ROLE_OID : ROLES.find(({ name }) => name === role)?.oid;
  if (wanted === undefined) throw new SqlError('undefined_object', `role "${role}" does not exist`);
  if (wanted !== owner) throw notSupported('giving an object to another role');
}

/** ALTER SCHEMA or DATABASE … OWNER TO. @throws SqlError 3F000, 3D000. */
export function bindAlterOwner(
  statement: Extract<Statement, { kind: 'alter owner' }>,
  { catalog }: BindContext,
): BoundStatement {
  const { object, name, role } = statement;
  if (object === 'schema') {
    const schema = catalog.namespaces.find((namespace) => namespace.name === name);
    if (!schema) throw new SqlError('invalid_schema_name', `schema "${name}" does not exist`);
    checkOwner(role, schemaOwner(schema.oid));
  } else {
    if (name !== DATABASE_NAME) {
      throw new SqlError('invalid_catalog_name', `database "${name}" does not exist`);
    }
    checkOwner(role);
  }
  return { kind: 'catalog', tag: `ALTER ${object.toUpperCase()}`, edits: [], notices: [] };
}
