/** Errors of rights that are missing, as aclcheck_error of PostgreSQL words them. */
import { functionNameByOid } from '../../catalog/system/function-oids.ts';
import { systemRelationByOid } from '../../catalog/system/registry.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import type { ObjectKind } from '../../catalog/access/privileges.ts';
import type { Catalog, Relation } from '../../catalog/model.ts';
import { DATABASE_NAME } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { Right } from '../../plan/right.ts';

export function denied(catalog: Catalog, right: Right): SqlError {
  const called = right.called ?? CALLED[right.kind](catalog, right.oid);
  const message = right.needs === 'owner' ? `must be owner of ${called}` : `permission denied for ${called}`;
  return new SqlError('insufficient_privilege', message);
}

const relation = (catalog: Catalog, oid: number): string => {
  const found = catalog.relations.get(oid);
  if (found !== undefined) return `${wordOf(found)} ${found.name}`;
  const system = systemRelationByOid(oid);
  return `${system?.kind === 'v' ? 'view' : 'table'} ${system?.name ?? oid}`;
};

const wordOf = ({ kind }: Relation): string => (kind === 'collection' ? 'table' : kind);

const CALLED: Readonly<Record<ObjectKind, (catalog: Catalog, oid: number) => string>> = {
  relation,
  column: relation,
  sequence: relation,
  database: () => `database ${DATABASE_NAME}`,
  function: (catalog, oid) => `function ${catalog.functions.get(oid)?.name ?? functionNameByOid(oid) ?? oid}`,
  schema: (catalog, oid) => `schema ${namespaceName(catalog, oid) ?? oid}`,
  type: (catalog, oid) => `type ${catalog.enums.get(oid)?.name ?? oid}`,
  language: () => 'language sql',
  tablespace: () => 'tablespace pg_default',
  parameter: () => 'parameter',
};
