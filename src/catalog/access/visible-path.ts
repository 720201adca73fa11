/** Schemas of a search path that a role may use: the others are passed over, as if they were not there. */
import { SqlError } from '../../errors.ts';
import type { Catalog } from '../model.ts';
import { isTemporarySchema } from '../temporary-names.ts';
import { privilegesOn } from './checks.ts';
import { PRIVILEGE } from './privileges.ts';
import { isSuperuser } from './roles.ts';

/** @param path in which the only temporary schema is the session's own. */
export function visiblePath(catalog: Catalog, role: number, path: readonly string[]): readonly string[] {
  if (isSuperuser(catalog, role)) return path;
  return path.filter((name) => isTemporarySchema(name) || mayUse(catalog, role, name));
}

export const schemaDenied = (schema: string, position?: number): SqlError =>
  new SqlError('insufficient_privilege', `permission denied for schema ${schema}`, { position });

/** True of a schema that is not there, too: whoever looks it up says so. */
export function mayUse(catalog: Catalog, role: number, schema: string): boolean {
  const found = catalog.namespaces.find(({ name }) => name === schema);
  if (found === undefined || isSuperuser(catalog, role)) return true;
  return (privilegesOn(catalog, role, { kind: 'schema', oid: found.oid }) & PRIVILEGE.usage) !== 0;
}
