/** ALTER on views: what can be done to them (PostgreSQL's ATSimplePermissions, tablecmds.c), and their options. */
import { hasQuery, type Relation } from '../../../catalog/model.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { SqlError } from '../../../errors.ts';
import type { AlterAction } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { changedOptions } from '../relation/view-options.ts';
import { simpleView } from '../write/simple-view.ts';

type Action = AlterAction['action'];

const OF_ALL: readonly Action[] = [
  'rename table',
  'rename column',
  'set schema',
  'set owner',
  'set options',
  'unsupported',
];
const OF_VIEWS: readonly Action[] = [...OF_ALL, 'set default', 'drop default'];

/** As PostgreSQL names them, where that is not the action in capitals. */
const NAMES: Readonly<Partial<Record<Action, string>>> = {
  'set type': 'ALTER COLUMN ... SET DATA TYPE',
  'set not null': 'ALTER COLUMN ... SET NOT NULL',
  'drop not null': 'ALTER COLUMN ... DROP NOT NULL',
  'set default': 'ALTER COLUMN ... SET DEFAULT',
  'drop default': 'ALTER COLUMN ... SET DEFAULT',
  'add identity': 'ALTER COLUMN ... ADD IDENTITY',
  'set identity': 'ALTER COLUMN ... SET IDENTITY',
  'drop identity': 'ALTER COLUMN ... DROP IDENTITY',
};

/** @throws SqlError 42809 for what only tables can have done to them. */
export function checkAlterable(relation: Relation, altering: AlterAction): void {
  const { action } = altering;
  if (!hasQuery(relation)) return;
  if ((relation.kind === 'view' ? OF_VIEWS : OF_ALL).includes(action)) return;
  const named = NAMES[action] ?? action.toUpperCase();
  const name = altering.action === 'row security' ? `${altering.to.toUpperCase()} ${named}` : named;
  const message = `ALTER action ${name} cannot be performed on relation "${relation.name}"`;
  throw new SqlError('wrong_object_type', message, {
    detail: `This operation is not supported for ${relation.kind}s.`,
  });
}

/** @throws SqlError 22023, 0A000. */
export function setViewOptions(
  context: BindContext,
  view: Relation,
  { options, reset }: Extract<AlterAction, { action: 'set options' }>,
): readonly CatalogEdit[] {
  const changed = changedOptions(view, options, reset);
  const { checkOption: _, options: __, ...rest } = view;
  checkChecked({ ...context, role: OWNER_ROLE_OID, inStoredText: true }, { ...rest, ...changed });
  return [{ edit: 'set view options', relation: view.oid, ...changed }];
}

/** @throws SqlError 0A000 for one with WITH CHECK OPTION that cannot be written through. */
export function checkChecked(context: BindContext, view: Relation): void {
  const hint = view.checkOption === undefined ? null : simpleView(context, view);
  if (typeof hint !== 'string') return;
  const message = 'WITH CHECK OPTION is supported only on automatically updatable views';
  throw new SqlError('feature_not_supported', message, { hint });
}
