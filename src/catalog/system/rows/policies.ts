/** Policies of rows, as PostgreSQL's catalog shows them. */
import { arrayDatum } from '../../../types/composite/array.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import type { Policy, PolicyCommand } from '../../access/model.ts';
import { PUBLIC, roleByOid } from '../../access/roles.ts';
import { namespaceName } from '../../lookup.ts';
import type { Catalog, Relation } from '../../model.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';

const LETTERS: Readonly<Record<PolicyCommand, string>> = {
  all: '*',
  select: 'r',
  insert: 'a',
  update: 'w',
  delete: 'd',
};

export const POLICY_ROWS: RowSources = {
  *pg_policy({ catalog }) {
    for (const { relation, policy } of policiesOf(catalog)) {
      yield {
        oid: policy.oid,
        polname: policy.name,
        polrelid: relation.oid,
        polcmd: LETTERS[policy.command],
        polpermissive: policy.permissive,
        polroles: arrayDatum(OID.oid, [...policy.roles]),
        polqual: parenthesised(policy.using),
        polwithcheck: parenthesised(policy.check),
      };
    }
  },
  *pg_policies({ catalog }: SystemContext): Generator<NamedRow> {
    for (const { relation, policy } of policiesOf(catalog)) {
      yield {
        schemaname: namespaceName(catalog, relation.namespace) ?? null,
        tablename: relation.name,
        policyname: policy.name,
        permissive: policy.permissive ? 'PERMISSIVE' : 'RESTRICTIVE',
        roles: arrayDatum(
          OID.name,
          policy.roles
            .map((role) => (role === PUBLIC ? 'public' : (roleByOid(catalog, role)?.name ?? String(role))))
            .toSorted((a, b) => (a < b ? -1 : 1)),
        ),
        cmd: policy.command.toUpperCase(),
        qual: parenthesised(policy.using),
        with_check: parenthesised(policy.check),
      };
    }
  },
};

/** Clients write it behind USING and WITH CHECK as it comes. */
const parenthesised = (text: string | null): Datum => (text === null ? null : `(${text})`);

function* policiesOf(catalog: Catalog): Generator<{ readonly relation: Relation; readonly policy: Policy }> {
  for (const relation of catalog.relations.values()) {
    for (const policy of relation.policies ?? []) yield { relation, policy };
  }
}
