/** Change of the option `outside` of a relation, for `edit.ts`. */
import type { Catalog, Relation } from '../model.ts';

export interface OutsideEdit {
  readonly edit: 'set outside';
  readonly relation: number;
  readonly staysHere: boolean;
}

export function changeOutside(catalog: Catalog, relation: Relation, { staysHere }: OutsideEdit): Catalog {
  const { staysHere: _, ...rest } = relation;
  const changed: Relation = staysHere ? { ...rest, staysHere } : rest;
  return { ...catalog, relations: new Map(catalog.relations).set(relation.oid, changed) };
}
