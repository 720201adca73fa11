/**
 * Temporary relations stand in a schema of their session's own, `pg_temp_<process id>`, which comes first in
 * its search path and goes with it. Its OID follows from its name, so that what is to stand in it can be
 * bound before it is there.
 */

/** The name by which a session means its own. */
export const OWN_TEMPORARY_SCHEMA = 'pg_temp';
const PREFIX = 'pg_temp_';
/** Far from users' objects, and below the OIDs made of registry ids. */
const NAMESPACES_FROM = 0x2000_0000;

export function temporarySchema(processId: number): string {
  return `${PREFIX}${processId}`;
}

export function isTemporarySchema(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The session's own; undefined where there is no session. */
export function ownTemporarySchema(searchPath: readonly string[]): string | undefined {
  return searchPath.find(isTemporarySchema);
}

export function temporaryNamespaceOid(name: string): number {
  return NAMESPACES_FROM + Number(name.slice(PREFIX.length));
}
