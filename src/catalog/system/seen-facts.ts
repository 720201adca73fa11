/**
 * Facts of the engine as far as a role may know them. Of a relation of which it does not see every row, its numbers of rows,
 * sizes, samples of values and segments would tell of the others: they are not known to it.
 */
import { privilegesOn } from '../access/checks.ts';
import { PRIVILEGE } from '../access/privileges.ts';
import { isSuperuser } from '../access/roles.ts';
import type { Catalog } from '../model.ts';
import { documentsAround, hidesRows } from '../policies.ts';
import type { SystemFacts } from './context.ts';

const UNKNOWN = { rows: null, bytes: null, changedMs: null };

export function seenFacts(facts: SystemFacts, catalog: Catalog, role: number): SystemFacts {
  if (isSuperuser(catalog, role)) return facts;
  const seesAll = (oid: number): boolean => seesAllRows(catalog, role, oid);
  const hides = (oid: number): boolean => {
    const relation = catalog.relations.get(oid);
    return relation === undefined || hidesRows(catalog, relation, role);
  };
  return {
    ...facts,
    size: (relation, partition) => (seesAll(relation) ? facts.size(relation, partition) : UNKNOWN),
    statistics: (relation) => {
      const { rows, analysis } = facts.statistics(relation);
      return {
        rows: seesAll(relation) ? rows : null,
        analysis: analysis === undefined || hides(relation) ? null : analysis,
      };
    },
    segments: (relation) => (seesAll(relation) ? facts.segments(relation) : []),
  };
}

/** True where its rows may be counted: of a dataset's inner relations, where its documents may be read. */
function seesAllRows(catalog: Catalog, role: number, oid: number): boolean {
  const relation = catalog.relations.get(oid);
  if (relation === undefined) return false;
  const read = documentsAround(catalog, relation) ?? relation;
  const reads = (privilegesOn(catalog, role, { kind: 'relation', oid: read.oid }) & PRIVILEGE.select) !== 0;
  return reads && !hidesRows(catalog, read, role);
}
