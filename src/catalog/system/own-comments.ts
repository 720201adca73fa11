/** Comments of the system on its own objects, until a user sets another. */
import type { Catalog, Comment } from '../model.ts';
import { CLASS_OID, NAMESPACE_OID } from '../oids.ts';
import { extensions } from './extensions.ts';
import { FUNCTION_ENTRIES, functionSummary } from './function-oids.ts';

/** As PostgreSQL says it. */
const SCHEMA_COMMENTS: ReadonlyMap<number, string> = new Map([
  [NAMESPACE_OID.pg_catalog, 'system catalog schema'],
  [NAMESPACE_OID.public, 'standard public schema'],
]);

export function ownComment(catalog: Catalog, classOid: number, oid: number): string | null {
  switch (classOid) {
    case CLASS_OID.pg_namespace:
      return SCHEMA_COMMENTS.get(oid) ?? null;
    case CLASS_OID.pg_extension:
      return extensions(catalog).find((extension) => extension.oid === oid)?.comment ?? null;
    case CLASS_OID.pg_proc:
      return functionSummary(oid);
    default:
      return null;
  }
}

export function* ownComments(catalog: Catalog): Generator<Comment> {
  const said = new Set(catalog.comments.map(({ classOid, oid }) => `${classOid} ${oid}`));
  for (const [oid, text] of SCHEMA_COMMENTS) {
    const comment = { classOid: CLASS_OID.pg_namespace, oid, column: 0, text };
    if (!said.has(`${comment.classOid} ${oid}`)) yield comment;
  }
  for (const { oid, comment: text } of extensions(catalog)) {
    yield { classOid: CLASS_OID.pg_extension, oid, column: 0, text };
  }
  for (const { oid, summary: text } of FUNCTION_ENTRIES) {
    yield { classOid: CLASS_OID.pg_proc, oid, column: 0, text };
  }
}
