/**
 * Semantic indexes that stand by beside the one that answers: made for another model, or kept for the way
 * back. Both are kept up to date by every write; which of them answers is one change of the catalog.
 */
import { assert } from '../../assert.ts';
import { NAME_BYTES_MAX } from '../../limits.ts';
import type { Catalog, Index, Relation } from '../model.ts';

/** Suffixes as PostgreSQL's REINDEX CONCURRENTLY has them; such an index is dropped by DROP INDEX. */
const SUFFIXES = { building: '_ccnew', former: '_ccold' } as const;

/** A free name for an index that stands by for `name`. */
export function standbyName(
  catalog: Catalog,
  { namespace }: Relation,
  name: string,
  state: keyof typeof SUFFIXES,
): string {
  const taken = new Set<string>();
  for (const relation of catalog.relations.values()) {
    if (relation.namespace !== namespace) continue;
    taken.add(relation.name);
    for (const index of relation.indexes) taken.add(index.name);
  }
  for (let count = 0; ; count++) {
    const suffix = `${SUFFIXES[state]}${count === 0 ? '' : count}`;
    let base = name;
    while (Buffer.byteLength(base + suffix) > NAME_BYTES_MAX) base = base.slice(0, -1);
    if (!taken.has(base + suffix)) return base + suffix;
  }
}

/** The index that stands by for another. */
export function standbyOf(
  relation: Relation,
  { oid }: Index,
  state: 'building' | 'former',
): Index | undefined {
  return relation.indexes.find(({ standby }) => standby?.of === oid && standby.state === state);
}

/**
 * The relation once an index that stood by answers in place of the other, at its place among the others (the
 * oldest answers), which is kept as the former one; a former one from before goes.
 */
export function promoteIndex(catalog: Catalog, relation: Relation, oid: number): Relation {
  const promoted = relation.indexes.find((index) => index.oid === oid);
  assert(promoted?.standby !== undefined, `index ${oid} stands by`);
  const { standby, ...own } = promoted;
  const current = relation.indexes.find((index) => index.oid === standby.of);
  const indexes = relation.indexes.flatMap((index): readonly Index[] => {
    if (index === promoted) return current === undefined ? [own] : [];
    if (index === current) {
      const name = standbyName(catalog, relation, index.name, 'former');
      return [
        { ...own, name: current.name },
        { ...index, name, standby: { state: 'former', of: oid } },
      ];
    }
    return current !== undefined && index.standby?.of === current.oid ? [] : [index];
  });
  return { ...relation, indexes };
}
