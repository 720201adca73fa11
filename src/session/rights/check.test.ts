/** Statements whose rights nobody has collected are a superuser's alone. */
import { expect, it } from 'vitest';
import { KEY_ROLES } from '../../catalog/access/roles.ts';
import { emptyCatalog } from '../../catalog/edit/edit.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { checkBound } from './check.ts';

const UNKNOWN: BoundStatement = { kind: 'truncate', relations: [] };

it('are refused, closed, to all others', () => {
  const catalog = emptyCatalog();
  const { owner, admin, writer, reader } = KEY_ROLES;
  for (const role of [admin, writer, reader, 99_999]) {
    expect(() => checkBound(catalog, role, UNKNOWN)).toThrow('permission denied');
  }
  for (const role of [OWNER_ROLE_OID, owner]) checkBound(catalog, role, UNKNOWN);
});
