/** Access lists as GRANT and REVOKE change them: PostgreSQL's rules of grant options. */
import { describe, expect, it } from 'vitest';
import { SqlError } from '../../errors.ts';
import { emptyCatalog } from '../edit/edit.ts';
import { aclOfNewOwner, defaultAcl } from './acl.ts';
import { bestGrantor, changedAcl } from './granting.ts';
import type { AclItem } from './model.ts';
import { PRIVILEGE } from './privileges.ts';

const [OWNER, ANN, BOB, CY] = [20_001, 20_002, 20_003, 20_004];
const catalog = emptyCatalog();
const SELECT = PRIVILEGE.select;

const item = (grantee: number, grantor: number, privileges: number, grantable = 0): AclItem => ({
  grantee,
  grantor,
  privileges,
  grantable,
});

function change(
  acl: readonly AclItem[],
  [verb, grantor, grantee]: readonly ['grant' | 'revoke', number, number],
  { grantOption = false, cascade = false, privileges = SELECT } = {},
): readonly AclItem[] {
  const isGrant = verb === 'grant';
  const what = { isGrant, grantOption, grantees: [grantee], grantor, privileges };
  return changedAcl(acl, what, { catalog, owner: OWNER, cascade });
}

const stateOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    return error instanceof SqlError ? error.sqlstate : String(error);
  }
};

describe('a list', () => {
  const usual = defaultAcl('relation', OWNER);
  const toAnn = change(usual, ['grant', OWNER, ANN], { grantOption: true });
  const toBob = change(toAnn, ['grant', ANN, BOB]);

  it('of many grantees at once is as of one after the other', () => {
    const all = [BOB, ANN, CY, BOB];
    const held = change(toBob, ['grant', OWNER, CY], { privileges: SELECT | PRIVILEGE.insert });
    for (const [isGrant, grantOption] of [
      [true, false],
      [true, true],
      [false, false],
      [false, true],
    ] as const) {
      const how = { grantOption, cascade: true };
      const verb = isGrant ? 'grant' : 'revoke';
      const apart = all.reduce((acl, grantee) => change(acl, [verb, OWNER, grantee], how), held);
      const what = { isGrant, grantOption, grantees: all, grantor: OWNER, privileges: SELECT };
      expect(changedAcl(held, what, { catalog, owner: OWNER, cascade: true })).toEqual(apart);
    }
  });

  it('has one item for a pair of grantee and grantor', () => {
    const more = change(toAnn, ['grant', OWNER, ANN], { privileges: PRIVILEGE.insert });
    expect(more.at(-1)).toEqual(item(ANN, OWNER, SELECT | PRIVILEGE.insert, SELECT));
    expect(more).toHaveLength(2);
  });

  it('keeps what depends on a grant option, or loses it with CASCADE', () => {
    expect(stateOf(() => change(toBob, ['revoke', OWNER, ANN]))).toBe('2BP01');
    expect(change(toBob, ['revoke', OWNER, ANN], { cascade: true })).toEqual(usual);
    const option = change(toBob, ['revoke', OWNER, ANN], { grantOption: true, cascade: true });
    expect(option).toEqual([...usual, item(ANN, OWNER, SELECT)]);
  });

  it('keeps what a grantee may still grant by another grantor', () => {
    const byCy = [...toBob, item(ANN, CY, SELECT, SELECT)];
    expect(change(byCy, ['revoke', OWNER, ANN])).toEqual([
      ...usual,
      item(BOB, ANN, SELECT),
      item(ANN, CY, SELECT, SELECT),
    ]);
  });

  it('has no grants that hold each other', () => {
    const options = change(toAnn, ['grant', ANN, BOB], { grantOption: true });
    expect(stateOf(() => change(options, ['grant', BOB, ANN], { grantOption: true }))).toBe('0LP01');
    expect(stateOf(() => change(options, ['grant', BOB, ANN]))).toBe('none');
  });

  it('gives grant options to nobody but roles', () => {
    expect(stateOf(() => change(usual, ['grant', OWNER, 0], { grantOption: true }))).toBe('0LP01');
  });

  it('goes to another owner with all that the first had', () => {
    const both = [...toAnn, item(OWNER, ANN, PRIVILEGE.insert)];
    expect(aclOfNewOwner(both, OWNER, ANN)).toEqual([
      { ...item(ANN, ANN, (usual[0]?.privileges ?? 0) | SELECT | PRIVILEGE.insert, SELECT) },
    ]);
  });
});

describe('who grants', () => {
  const acl = [...defaultAcl('relation', OWNER), item(ANN, OWNER, SELECT, SELECT)];
  const wanted = SELECT | PRIVILEGE.insert;

  it('is the owner for a superuser, or who may grant most', () => {
    const as = (role: number) => bestGrantor(catalog, { role, owner: OWNER, acl }, wanted);
    expect(as(10)).toEqual({ grantor: OWNER, grantable: wanted });
    expect(as(OWNER)).toEqual({ grantor: OWNER, grantable: wanted });
    expect(as(ANN)).toEqual({ grantor: ANN, grantable: SELECT });
    expect(as(BOB)).toEqual({ grantor: BOB, grantable: 0 });
  });

  it('is a role that the user inherits from', () => {
    const membership = {
      oid: 1,
      role: ANN,
      member: BOB,
      grantor: 10,
      admin: false,
      inherit: true,
      set: true,
    };
    const member = { ...catalog, memberships: [membership] };
    const found = bestGrantor(member, { role: BOB, owner: OWNER, acl }, SELECT);
    expect(found).toEqual({ grantor: ANN, grantable: SELECT });
  });
});
