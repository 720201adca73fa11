/** ALTER TABLE SET and RESET of a table's options: of those about storage, which there is none of here, none. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Relation } from '../../../catalog/model.ts';
import { notSupported } from '../../../errors.ts';
import type { AlterAction } from '../../ast.ts';
import { checkRelationOptions, isOn, OUTSIDE, SHARED_STATISTICS } from '../relation/relation-options.ts';

type SetOptions = Extract<AlterAction, { action: 'set options' }>;

/** @throws SqlError 22023, 42809, 0A000. */
export function setOptions(relation: Relation, { options, reset }: SetOptions): readonly CatalogEdit[] {
  if (!reset) checkRelationOptions('table', options);
  const other = options.find(({ name }) => !Object.hasOwn(EDITS, name));
  if (other !== undefined) throw notSupported(`ALTER TABLE ${reset ? 'RESET' : 'SET'} (${other.name})`);
  return options.flatMap((option) => EDITS[option.name]?.(relation.oid, reset ? null : isOn(option)) ?? []);
}

/** Options that can be changed. Null: as where nothing is said. */
const EDITS: Readonly<Record<string, (relation: number, value: boolean | null) => CatalogEdit>> = {
  [SHARED_STATISTICS]: (relation, value) => ({
    edit: 'set shared statistics',
    relation,
    shared: value === true,
  }),
  [OUTSIDE]: (relation, value) => ({ edit: 'set outside', relation, staysHere: value === false }),
};
