/** Changes of options of relations, for `edit.ts`. */
import type { Catalog, Relation } from '../model.ts';

export type RelationOptionsEdit =
  | { readonly edit: 'set outside'; readonly relation: number; readonly staysHere: boolean }
  /** Gives a view these in place of all that it has. */
  | ({ readonly edit: 'set view options'; readonly relation: number } & Pick<
      Relation,
      'options' | 'checkOption'
    >);

export const isOptionsEdit = <Edit extends { readonly edit: string }>(
  edit: Edit | RelationOptionsEdit,
): edit is RelationOptionsEdit => edit.edit === 'set outside' || edit.edit === 'set view options';

export function changeOptions(catalog: Catalog, relation: Relation, edit: RelationOptionsEdit): Catalog {
  const relations = new Map(catalog.relations).set(relation.oid, changed(relation, edit));
  return { ...catalog, relations };
}

function changed(relation: Relation, edit: RelationOptionsEdit): Relation {
  if (edit.edit === 'set outside') {
    const { staysHere: _, ...rest } = relation;
    return edit.staysHere ? { ...rest, staysHere: true } : rest;
  }
  const { options: _, checkOption: __, ...rest } = relation;
  const { edit: ___, relation: ____, ...given } = edit;
  return { ...rest, ...given };
}
