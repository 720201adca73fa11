/**
 * CREATE, ALTER and DROP API KEY. Keys live outside of the catalog and of transactions: what is done to one is done at
 * once. A key is told once, as a row, to who made it, and never again.
 */
import { roleByName, KEY_ROLES } from '../../catalog/access/roles.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import { audited } from '../audit/actor.ts';
import type { AuditEvent } from '../audit/entry.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import type { SessionState } from '../session-state.ts';
import { type KeyOptions, keyOptions } from '../sign-in/key-options.ts';
import type { ApiKey } from '../sign-in/key-record.ts';
import { requireEndWithin, requireKeyName, requireManager } from '../sign-in/key-rights.ts';
import { NO_SCOPE } from '../sign-in/key-scope.ts';
import { unknownKey } from '../sign-in/keys.ts';
import type { StatementCall, StatementOf } from './statement-call.ts';

const SCOPE_OPTIONS = [
  'expires',
  'collections',
  'partitions',
  'datasets',
  'read_only',
  'outside',
  'addresses',
  'attributes',
];
const USUAL_ROLE = 'reader';

export const KEY_COLUMNS: readonly OutputColumn[] = [column('name', OID.text), column('key', OID.text)];

/** Only a new key is answered. */
export const alterKeyColumns = ({ action }: StatementOf<'alter key'>): readonly OutputColumn[] | null =>
  action.action === 'rotate' ? KEY_COLUMNS : null;

export async function createKey({ session, tree }: StatementCall<'create key'>): Promise<Running> {
  begin(session, 'CREATE API KEY');
  const given = optionsOf(session, tree.options, ['role', ...SCOPE_OPTIONS]);
  const role = roleOf(session, given.role ?? USUAL_ROLE);
  requireManager(session, role, 'create API key');
  const expiresMs = given.expiresMs ?? null;
  requireEndWithin(session, expiresMs);
  if (tree.name !== null) requireKeyName(session.catalog(), tree.name);
  const scope = { ...NO_SCOPE, ...given.scope };
  const wanted = { name: tree.name, role, expiresMs, scope };
  const detail = { role: given.role ?? USUAL_ROLE, expires: expiresMs, ...given.scope };
  const { name, key } = await audited(
    session,
    { action: 'create key', objects: named(tree.name), detail },
    () => session.directory.keys.create(wanted),
  );
  return new FixedResult('CREATE API KEY', KEY_COLUMNS, [[name, key]]);
}

export async function alterKey({ session, tree }: StatementCall<'alter key'>): Promise<Running> {
  begin(session, 'ALTER API KEY');
  const { keys } = session.directory;
  const { name, action } = tree;
  const known = keys.find(name);
  requireManager(session, known?.role ?? OWNER_ROLE_OID, 'alter API key');
  if (known === undefined) throw unknownKey(name);
  session.changesKeys = true;
  const what = action.action === 'rotate' ? 'rotate key' : 'alter key';
  return await audited(session, { action: what, objects: named(name), detail: detailOf(action) }, () =>
    altered(session, known, action),
  );
}

async function altered(
  session: SessionState,
  known: ApiKey,
  action: StatementOf<'alter key'>['action'],
): Promise<Running> {
  const { keys } = session.directory;
  const { name } = known;
  switch (action.action) {
    case 'rename':
      requireKeyName(session.catalog(), action.to);
      await keys.alter(name, { name: action.to });
      break;
    case 'expire':
      await keys.alter(name, { expiresMs: keys.now() });
      break;
    case 'set':
      await set(session, known, optionsOf(session, action.options, SCOPE_OPTIONS));
      break;
    case 'rotate': {
      const { overlapMs = 0 } = optionsOf(session, action.options, ['overlap']);
      const key = await keys.rotate(name, overlapMs);
      return new FixedResult('ALTER API KEY', KEY_COLUMNS, [[name, key]]);
    }
  }
  return new FixedResult('ALTER API KEY');
}

async function set(session: SessionState, { name, scope }: ApiKey, given: KeyOptions): Promise<void> {
  const { expiresMs } = given;
  if (expiresMs !== undefined) requireEndWithin(session, expiresMs);
  const isScope = Object.keys(given.scope).length > 0;
  await session.directory.keys.alter(name, {
    ...(expiresMs !== undefined && { expiresMs }),
    ...(isScope && { scope: { ...scope, ...given.scope } }),
  });
}

export async function dropKey({ session, statement, tree }: StatementCall<'drop key'>): Promise<Running> {
  begin(session, 'DROP API KEY');
  const { keys } = session.directory;
  const known = keys.find(tree.name);
  requireManager(session, known?.role ?? OWNER_ROLE_OID, 'drop API key');
  if (known === undefined) {
    if (!tree.ifExists) throw unknownKey(tree.name);
    const message = `API key "${tree.name}" does not exist, skipping`;
    statement.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
    return new FixedResult('DROP API KEY');
  }
  session.changesKeys = true;
  await audited(session, { action: 'drop key', objects: named(tree.name) }, () => keys.drop(tree.name));
  return new FixedResult('DROP API KEY');
}

const named = (name: string | null): readonly string[] => (name === null ? [] : [`key ${name}`]);

const detailOf = (action: StatementOf<'alter key'>['action']): AuditEvent['detail'] =>
  action.action === 'rename' ? { to: action.to } : { change: action.action };

/** @throws SqlError 25001: it could not be taken back. */
function begin({ block }: SessionState, what: string): void {
  if (block.inBlock || !block.standsAlone) {
    throw new SqlError('active_sql_transaction', `${what} cannot run inside a transaction block`);
  }
}

function optionsOf(
  session: SessionState,
  options: StatementOf<'create key'>['options'],
  allowed: readonly string[],
): KeyOptions {
  return keyOptions(options, allowed, {
    settings: session.formatSettings(),
    nowMs: session.directory.keys.now(),
  });
}

/** Keys of owners sign in as `quern`, whose what is there is. @throws SqlError 42704. */
function roleOf(session: SessionState, name: string): number {
  const role = roleByName(session.catalog(), name);
  if (role === undefined) throw new SqlError('undefined_object', `role "${name}" does not exist`);
  return role.oid === KEY_ROLES.owner ? OWNER_ROLE_OID : role.oid;
}
