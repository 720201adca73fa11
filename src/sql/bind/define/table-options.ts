/** ALTER TABLE SET and RESET of a table's options: of those about storage, which there is none of here, none. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { WithOption } from '../../ast.ts';
import { checkRelationOptions, sharesStatistics, SHARED_STATISTICS } from '../relation/relation-options.ts';

/** @throws SqlError 22023, 42809, 0A000. */
export function setOptions(relation: Relation, options: readonly WithOption[]): readonly CatalogEdit[] {
  checkRelationOptions('table', options);
  return shared(
    relation,
    options.map(({ name }) => name),
    sharesStatistics(options) === true,
  );
}

/** @throws SqlError 42809, 0A000. */
export const resetOptions = (relation: Relation, names: readonly string[]): readonly CatalogEdit[] =>
  shared(relation, names, false);

function shared(relation: Relation, names: readonly string[], on: boolean): readonly CatalogEdit[] {
  const other = names.find((name) => name !== SHARED_STATISTICS);
  if (other !== undefined) throw notSupported(`ALTER TABLE SET (${other})`);
  if (relation.kind === 'view') {
    throw new SqlError('wrong_object_type', `"${relation.name}" is not a table or materialized view`);
  }
  return [{ edit: 'set shared statistics', relation: relation.oid, shared: on }];
}
