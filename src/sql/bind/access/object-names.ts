/** Objects as PostgreSQL describes them in details of errors: `column a of table t`. */
import type { RoleDependency } from '../../../catalog/access/dependencies.ts';
import { columnByAttribute } from '../../../catalog/model.ts';
import { CLASS_OID, DATABASE_NAME } from '../../../catalog/oids.ts';
import { catalogServices } from '../../../catalog/services.ts';
import type { BindContext } from '../context.ts';
import { roleName } from './actor.ts';
import { kindOf } from '../define/dependent-views.ts';

type Described = Pick<RoleDependency, 'classOid' | 'oid' | 'column'>;
type Describe = (context: BindContext, object: Described) => string;

const DESCRIBED: Readonly<Record<number, Describe>> = {
  [CLASS_OID.pg_class]: relationText,
  [CLASS_OID.pg_proc]: (context, { oid }) => `function ${services(context).functionName(oid)}`,
  [CLASS_OID.pg_type]: (context, { oid }) => `type ${services(context).typeName(oid, -1)}`,
  [CLASS_OID.pg_namespace]: (context, { oid }) => `schema ${services(context).namespaceName(oid)}`,
  [CLASS_OID.pg_database]: () => `database ${DATABASE_NAME}`,
  [CLASS_OID.pg_language]: (_, { oid }) => `language ${oid === 14 ? 'sql' : oid}`,
  [CLASS_OID.pg_default_acl]: defaultText,
  [CLASS_OID.pg_policy]: policyText,
  [CLASS_OID.pg_auth_members]: membershipText,
};

const services = (context: BindContext) => catalogServices(context.catalog, context.searchPath);

export function objectText(context: BindContext, object: Described): string {
  return DESCRIBED[object.classOid]?.(context, object) ?? `object ${object.oid}`;
}

function relationText(context: BindContext, { oid, column }: Described): string {
  const relation = context.catalog.relations.get(oid);
  const name = services(context).relationName(oid) ?? String(oid);
  const whole = `${relation === undefined ? 'table' : kindOf(relation)} ${name}`;
  if (column === 0 || relation === undefined) return whole;
  return `column ${columnByAttribute(relation, column)?.name ?? column} of ${whole}`;
}

function policyText(context: BindContext, { oid }: Described): string {
  for (const relation of context.catalog.relations.values()) {
    const policy = relation.policies?.find((one) => one.oid === oid);
    if (policy === undefined) continue;
    const on = relationText(context, { classOid: CLASS_OID.pg_class, oid: relation.oid, column: 0 });
    return `policy ${policy.name} on ${on}`;
  }
  return `policy ${oid}`;
}

const DEFAULT_KINDS: Readonly<Record<string, string>> = {
  relation: 'relations',
  sequence: 'sequences',
  function: 'functions',
  type: 'types',
  schema: 'schemas',
};

function defaultText(context: BindContext, { oid }: Described): string {
  const found = context.catalog.defaultAccess.find((access) => access.oid === oid);
  if (found === undefined) return `default privileges ${oid}`;
  const of = `default privileges on new ${DEFAULT_KINDS[found.kind]} belonging to role`;
  const where = found.namespace === 0 ? '' : ` in schema ${services(context).namespaceName(found.namespace)}`;
  return `${of} ${roleName(context, found.role)}${where}`;
}

function membershipText(context: BindContext, { oid }: Described): string {
  const found = context.catalog.memberships.find((membership) => membership.oid === oid);
  if (found === undefined) return `membership ${oid}`;
  return `membership of role ${roleName(context, found.member)} in role ${roleName(context, found.role)}`;
}
