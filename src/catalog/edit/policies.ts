/** Changes of policies, for `edit.ts`. */
import { SqlError } from '../../errors.ts';
import type { Policy, RowSecurity } from '../access/model.ts';
import type { Catalog, Relation } from '../model.ts';
import { CLASS_OID } from '../oids.ts';

export type PolicyEdit =
  /** OID 0 is a new one, any other takes the place of the policy of that OID. */
  | { readonly edit: 'put policy'; readonly relation: number; readonly policy: Policy }
  | { readonly edit: 'drop policy'; readonly relation: number; readonly policy: number }
  | { readonly edit: 'set row security'; readonly relation: number; readonly rowSecurity: RowSecurity }
  | { readonly edit: 'set shared statistics'; readonly relation: number; readonly shared: boolean };

export const isPolicyEdit = <Edit extends { readonly edit: string }>(
  edit: Edit | PolicyEdit,
): edit is PolicyEdit =>
  edit.edit === 'put policy' ||
  edit.edit === 'drop policy' ||
  edit.edit === 'set row security' ||
  edit.edit === 'set shared statistics';

/** @throws SqlError 42710. */
export function changePolicy(catalog: Catalog, relation: Relation, edit: PolicyEdit): Catalog {
  const { policies = [] } = relation;
  if (edit.edit === 'set row security') {
    const { rowSecurity: _, ...rest } = relation;
    const changed = edit.rowSecurity === 'off' ? rest : { ...rest, rowSecurity: edit.rowSecurity };
    return withRelation(catalog, changed);
  }
  if (edit.edit === 'set shared statistics') {
    const { sharedStatistics: _, ...rest } = relation;
    return withRelation(catalog, edit.shared ? { ...rest, sharedStatistics: true } : rest);
  }
  if (edit.edit === 'drop policy') {
    const left = policies.filter(({ oid }) => oid !== edit.policy);
    const comments = catalog.comments.filter(
      ({ classOid, oid }) => classOid !== CLASS_OID.pg_policy || oid !== edit.policy,
    );
    return withPolicies({ ...catalog, comments }, relation, left);
  }
  const { policy } = edit;
  const others = policies.filter(({ oid }) => oid !== policy.oid);
  if (others.some(({ name }) => name === policy.name)) {
    const message = `policy "${policy.name}" for table "${relation.name}" already exists`;
    throw new SqlError('duplicate_object', message);
  }
  const oid = policy.oid || catalog.nextOid;
  const nextOid = Math.max(catalog.nextOid, oid + 1);
  return withPolicies({ ...catalog, nextOid }, relation, [...others, { ...policy, oid }]);
}

const withPolicies = (catalog: Catalog, relation: Relation, policies: readonly Policy[]): Catalog =>
  withRelation(catalog, { ...relation, policies });

const withRelation = (catalog: Catalog, relation: Relation): Catalog => ({
  ...catalog,
  relations: new Map(catalog.relations).set(relation.oid, relation),
});
