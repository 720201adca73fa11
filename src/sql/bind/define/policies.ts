/**
 * CREATE, ALTER, RENAME and DROP POLICY, and ENABLE and FORCE ROW LEVEL SECURITY. A policy's conditions are kept as text,
 * with the schema of every relation in them, and bound where they hold (`relation/row-security.ts`).
 */
import type { Policy, RowSecurity } from '../../../catalog/access/model.ts';
import { owns } from '../../../catalog/access/checks.ts';
import { PUBLIC } from '../../../catalog/access/roles.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { currentRole, denied, roleOf } from '../access/actor.ts';
import type { CreatePolicy, PolicyCondition, QualifiedName, RoleSpec, Statement } from '../../ast.ts';
import { qualifiedBody } from '../../deparse/source.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { coerceBoolean } from '../expression/coerce.ts';
import { inClause, newLevel } from '../level.ts';
import { findStored, relationNotFound } from '../names.ts';
import { relationItem } from '../query/from-relation.ts';
import { newState } from '../state.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

type PolicyStatement = CreatePolicy | Of<'alter policy' | 'rename policy' | 'drop policy'>;

export function bindPolicy(statement: PolicyStatement, context: BindContext): BoundStatement {
  switch (statement.kind) {
    case 'create policy':
      return bindCreatePolicy(statement, context);
    case 'alter policy':
      return bindAlterPolicy(statement, context);
    case 'rename policy':
      return bindRenamePolicy(statement, context);
    case 'drop policy':
      return bindDropPolicy(statement, context);
  }
}

const done = (
  tag: string,
  edits: readonly CatalogEdit[],
  notices: readonly string[] = [],
): BoundStatement => ({
  kind: 'catalog',
  tag,
  edits,
  notices,
});

/** Whose the table is, is asked where PostgreSQL asks it. @throws SqlError 42601, 42704, 42P01, 42501, 42809. */
function bindCreatePolicy(statement: CreatePolicy, context: BindContext): BoundStatement {
  const { name, command, permissive, using, check } = statement;
  checkClauses(statement);
  const roles = rolesOf(context, statement.roles);
  const relation = tableOf(context, statement.table);
  const policy: Policy = {
    oid: 0,
    name,
    command,
    permissive,
    roles,
    using: conditionText(context, relation, using),
    check: conditionText(context, relation, check),
  };
  return done('CREATE POLICY', [{ edit: 'put policy', relation: relation.oid, policy }]);
}

/** @throws SqlError 42601: SELECT and DELETE write no rows, INSERT reads none. */
function checkClauses({ command, using, check }: Pick<Policy, 'command'> & ClausesOf): void {
  const wrong = (message: string): SqlError => new SqlError('syntax_error', message);
  if (check !== null && (command === 'select' || command === 'delete')) {
    throw wrong('WITH CHECK cannot be applied to SELECT or DELETE');
  }
  if (using !== null && command === 'insert') throw wrong('only WITH CHECK expression allowed for INSERT');
}

interface ClausesOf {
  readonly using: PolicyCondition | null;
  readonly check: PolicyCondition | null;
}

function bindAlterPolicy(statement: Of<'alter policy'>, context: BindContext): BoundStatement {
  const { using, check } = statement;
  const roles = statement.roles && rolesOf(context, statement.roles);
  const relation = tableOf(context, statement.table);
  const texts = {
    ...(using && { using: conditionText(context, relation, using) }),
    ...(check && { check: conditionText(context, relation, check) }),
  };
  const policy = policyOf(relation, statement.name);
  const { command } = policy;
  if (using !== null && command === 'insert') {
    throw new SqlError('syntax_error', 'only WITH CHECK expression allowed for INSERT');
  }
  if (check !== null && (command === 'select' || command === 'delete')) {
    throw new SqlError('syntax_error', 'only USING expression allowed for SELECT, DELETE');
  }
  const changed: Policy = { ...policy, ...(roles && { roles }), ...texts };
  return done('ALTER POLICY', [{ edit: 'put policy', relation: relation.oid, policy: changed }]);
}

function bindRenamePolicy(statement: Of<'rename policy'>, context: BindContext): BoundStatement {
  const relation = tableOf(context, statement.table);
  if (relation.policies?.some((one) => one.name === statement.to)) {
    const message = `policy "${statement.to}" for table "${relation.name}" already exists`;
    throw new SqlError('duplicate_object', message);
  }
  const policy = { ...policyOf(relation, statement.name), name: statement.to };
  return done('ALTER POLICY', [{ edit: 'put policy', relation: relation.oid, policy }]);
}

function bindDropPolicy(statement: Of<'drop policy'>, context: BindContext): BoundStatement {
  const { name, table, ifExists } = statement;
  const relation = findStored(context, table);
  if (relation === undefined && ifExists) {
    return done('DROP POLICY', [], [`relation "${table.name}" does not exist, skipping`]);
  }
  if (relation === undefined) throw relationNotFound(context, table);
  const policy = relation.policies?.find((one) => one.name === name);
  if (policy === undefined && ifExists) {
    const path = table.schema === null ? table.name : `${table.schema}.${table.name}`;
    return done('DROP POLICY', [], [`policy "${name}" for relation "${path}" does not exist, skipping`]);
  }
  const { oid } = policyOf(relation, name);
  checkOwned(context, relation, 'relation');
  return done('DROP POLICY', [{ edit: 'drop policy', relation: relation.oid, policy: oid }]);
}

type Switch = 'enable' | 'disable' | 'force' | 'no force';

/** PostgreSQL keeps both apart: forced policies that are not enabled do not hold. */
export const switchedRowSecurity = (
  { oid, rowSecurity = 'off' }: Relation,
  to: Switch,
): readonly CatalogEdit[] => [
  { edit: 'set row security', relation: oid, rowSecurity: SWITCHED[to][rowSecurity] },
];

const SWITCHED: Readonly<Record<Switch, Readonly<Record<RowSecurity, RowSecurity>>>> = {
  enable: { off: 'enabled', enabled: 'enabled', forced: 'forced', 'only forced': 'forced' },
  disable: { off: 'off', enabled: 'off', forced: 'only forced', 'only forced': 'only forced' },
  force: { off: 'only forced', enabled: 'forced', forced: 'forced', 'only forced': 'only forced' },
  'no force': { off: 'off', enabled: 'enabled', forced: 'enabled', 'only forced': 'off' },
};

function tableOf(context: BindContext, name: QualifiedName): Relation {
  const relation = findStored(context, name);
  if (relation === undefined) throw relationNotFound(context, name);
  checkOwned(context, relation);
  if (relation.kind === 'table' || relation.kind === 'collection') return relation;
  throw new SqlError('wrong_object_type', `"${relation.name}" is not a table`);
}

/** @throws SqlError 42501. */
export function checkOwned(context: BindContext, { oid, kind, name }: Relation, noun?: string): void {
  if (owns(context.catalog, currentRole(context), { kind: 'relation', oid })) return;
  throw denied(`must be owner of ${noun ?? (kind === 'collection' ? 'table' : kind)} ${name}`);
}

export function policyOf({ name: table, policies = [] }: Relation, name: string): Policy {
  const policy = policies.find((one) => one.name === name);
  if (policy !== undefined) return policy;
  throw new SqlError('undefined_object', `policy "${name}" for table "${table}" does not exist`);
}

/** PUBLIC with others is PUBLIC. @throws SqlError 42704. */
function rolesOf(context: BindContext, roles: readonly RoleSpec[]): readonly number[] {
  if (roles.length === 0 || roles.some(({ role }) => role === 'public')) return [PUBLIC];
  return [...new Set(roles.map((role) => roleOf(context, role).oid))];
}

function conditionText(
  context: BindContext,
  relation: Relation,
  condition: PolicyCondition | null,
): string | null {
  if (condition === null) return null;
  const state = newState({ ...context, parameterTypes: [] });
  const level = newLevel(state, null, null);
  const name = { schema: null, name: relation.name, partition: null, at: 0 };
  const ids = relation.columns.filter(({ dropped, hidden }) => !dropped && !hidden).map(() => state.nextId++);
  const item = relationItem(level, { relation, scan: null, ids, name, alias: null, use: undefined });
  level.items = [item];
  level.columns = item.columns;
  unplaced(() =>
    inClause(level, 'policy expressions', () =>
      coerceBoolean(state, bindExpression(level, condition.expression), 'argument of POLICY'),
    ),
  );
  return qualifiedBody(context, 'return', condition.text);
}

/** Errors in a condition have no place in the statement, as in PostgreSQL. */
function unplaced(bind: () => unknown): void {
  try {
    bind();
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    throw new SqlError(error.condition, error.message, { ...error.fields, position: undefined });
  }
}
