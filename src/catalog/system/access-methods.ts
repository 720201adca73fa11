/** pg_am: PostgreSQL's heap, and the names that USING takes (`index-kinds.ts`). */
import { INDEX_KINDS } from '../index-kinds.ts';
import { HEAP_OID } from '../oids.ts';

interface AccessMethod {
  readonly oid: number;
  readonly name: string;
  /** Kind: tables or indexes. */
  readonly type: 't' | 'i';
}

export const ACCESS_METHODS: readonly AccessMethod[] = [
  { oid: HEAP_OID, name: 'heap', type: 't' as const },
  ...Object.values(INDEX_KINDS).flatMap(({ methods }) =>
    Object.entries(methods).map(([name, oid]) => ({ oid, name, type: 'i' as const })),
  ),
].sort((a, b) => a.oid - b.oid);

/** @returns 0 when there is none. */
export function accessMethodOid(name: string): number {
  return ACCESS_METHODS.find((method) => method.name === name)?.oid ?? 0;
}
