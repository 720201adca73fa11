/**
 * From which commit on a semantic index holds the passages of all rows: versions of rows that were written before
 * have none of it, so that an older snapshot would find nothing by it. Nothing is stored, as no snapshot outlives
 * the process. Structures of other kinds are made of the rows' own values.
 */
import type { Catalog, Index, Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';

export class IndexAges {
  /** Numbers of commits, by the index's OID. */
  readonly #wholeSince = new Map<number, number>();

  /** A commit that replaces a catalog is seen. */
  published(before: Catalog, after: Catalog, sequence: number): void {
    if (before === after) return;
    for (const relation of after.relations.values()) {
      const old = before.relations.get(relation.oid);
      if (old === undefined || old === relation) continue;
      for (const index of relation.indexes) {
        if (isWhole(index) && !wasWhole(old, index)) this.#wholeSince.set(index.oid, sequence);
      }
      for (const { oid } of old.indexes) {
        if (!relation.indexes.some((index) => index.oid === oid)) this.#wholeSince.delete(oid);
      }
    }
  }

  /** @throws SqlError 40001 when a snapshot of the commit is older than the index. */
  require({ oid, name }: Index, sequence: number): void {
    if (sequence >= (this.#wholeSince.get(oid) ?? 0)) return;
    throw new SqlError('serialization_failure', `index "${name}" is newer than the transaction's snapshot`, {
      hint: 'The transaction might succeed if retried.',
    });
  }
}

/** A former index is kept up to date. */
const isWhole = ({ kind, standby }: Index): boolean => kind === 'semantic' && standby?.state !== 'building';

function wasWhole({ indexes }: Relation, { oid }: Index): boolean {
  const known = indexes.find((index) => index.oid === oid);
  return known !== undefined && isWhole(known);
}
