/**
 * Relations whose rows belong to whoever asked for them, and do not say so yet: what Quern keeps of requests, answers and
 * research, and the bytes of uploaded files. No grant opens them; rows that say whose they are, their role reads.
 */
import type { Catalog, Relation } from './model.ts';
import { NAMESPACE_OID } from './oids.ts';

/** Bytes of files, pictures in them, and passwords; functions give them to whoever may read the dataset's documents. */
const FILES: ReadonlySet<string> = new Set(['_files', '_pictures', '_passwords']);

/** Relations of schema quern whose rows say whose they are, with the column that does. */
const ROLE_COLUMNS: ReadonlyMap<string, string> = new Map([['outside_calls', 'role']]);

/** Column with the role of a row; undefined: rows do not say. */
export const roleColumn = ({ namespace, name }: Relation): string | undefined =>
  namespace === NAMESPACE_OID.quern ? ROLE_COLUMNS.get(name) : undefined;

export function isPrivate({ namespaces }: Catalog, { namespace, name }: Relation): boolean {
  if (namespace === NAMESPACE_OID.quern) return true;
  if (!FILES.has(name)) return false;
  return namespaces.find(({ oid }) => oid === namespace)?.dataset !== undefined;
}
