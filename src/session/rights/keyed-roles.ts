/** Roles that API keys act as stay: a key outlives the catalog's transactions, and would be without its role. */
import type { Catalog } from '../../catalog/model.ts';
import { roleByOid } from '../../catalog/access/roles.ts';
import { SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { Keys } from '../sign-in/keys.ts';

/** @throws SqlError 2BP01. */
export function refuseKeyedRoles(keys: Keys, catalog: Catalog, bound: BoundStatement): void {
  if (bound.kind !== 'catalog') return;
  for (const edit of bound.edits) {
    if (edit.edit !== 'drop role') continue;
    const held = keys.all.filter(({ role }) => role === edit.role);
    if (held.length === 0) continue;
    const name = roleByOid(catalog, edit.role)?.name ?? String(edit.role);
    const message = `role "${name}" cannot be dropped because some objects depend on it`;
    throw new SqlError('dependent_objects_still_exist', message, {
      detail: held.map((key) => `API key ${key.name}`).join('\n'),
      hint: 'Drop these keys first (DROP API KEY).',
    });
  }
}
