/**
 * Relations whose rows belong to whoever asked for them, and do not say so yet: what Quern keeps of requests, answers and
 * research, and the bytes of uploaded files. No grant opens them.
 */
import type { Catalog, Relation } from './model.ts';
import { NAMESPACE_OID } from './oids.ts';

/** Bytes of files, pictures in them, and passwords; functions give them to whoever may read the dataset's documents. */
const FILES: ReadonlySet<string> = new Set(['_files', '_pictures', '_passwords']);

export function isPrivate({ namespaces }: Catalog, { namespace, name }: Relation): boolean {
  if (namespace === NAMESPACE_OID.quern) return true;
  if (!FILES.has(name)) return false;
  return namespaces.find(({ oid }) => oid === namespace)?.dataset !== undefined;
}
