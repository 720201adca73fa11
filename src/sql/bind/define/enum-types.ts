/** CREATE TYPE … AS ENUM and ALTER TYPE. */
import { unreachable } from '../../../assert.ts';
import { findEnum, newLabels, withLabel, withRenamedLabel } from '../../../catalog/enums.ts';
import type { EnumType } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { findType } from '../../../types/registry.ts';
import type { AlterType, QualifiedName, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { creationNamespace, isSystemSchema } from '../names.ts';
import { roleOf } from '../access/actor.ts';
import { givenTo } from '../access/owner.ts';
import { withRewrittenTexts } from './rewritten-texts.ts';

type CreateEnum = Extract<Statement, { kind: 'create enum' }>;

export function bindCreateEnum(statement: CreateEnum, context: BindContext): BoundStatement {
  const { name } = statement;
  const namespace = creationNamespace(context, name.schema, name.at);
  const labels = newLabels(statement.labels);
  const type: EnumType = { oid: 0, namespace, name: wholeName(name), labels };
  return { kind: 'catalog', tag: 'CREATE TYPE', edits: [{ edit: 'put enum', type }], notices: [] };
}

export function bindAlterType(statement: AlterType, context: BindContext): BoundStatement {
  const { change } = statement;
  if (change.action === 'set owner') roleOf(context, change.role);
  const type = enumNamed(context, statement.name);
  if (change.action === 'add value' && change.ifNotExists) {
    const known = type.labels.some(({ label }) => label === change.label);
    const notices = known ? [`enum label "${change.label}" already exists, skipping`] : [];
    if (known) return { kind: 'catalog', tag: 'ALTER TYPE', edits: [], notices };
  }
  if (change.action === 'set owner') {
    const { oid, name, namespace } = type;
    const owned = { kind: 'type', oid, name, noun: 'type', namespace } as const;
    const edits = givenTo(context, owned, change.role);
    return { kind: 'catalog', tag: 'ALTER TYPE', edits, notices: [] };
  }
  const changed = alteredType(type, change, context);
  const edits = withRewrittenTexts(context, [{ edit: 'put enum', type: changed }]);
  return { kind: 'catalog', tag: 'ALTER TYPE', edits, notices: [] };
}

function alteredType(
  type: EnumType,
  change: Exclude<AlterType['change'], { action: 'set owner' }>,
  context: BindContext,
): EnumType {
  switch (change.action) {
    case 'add value':
      return withLabel(type, change.label, change.place);
    case 'rename value':
      return withRenamedLabel(type, change.from, change.to);
    case 'rename':
      return { ...type, name: change.to };
    case 'set schema':
      return { ...type, namespace: creationNamespace(context, change.schema, 0) };
    default:
      return unreachable(change);
  }
}

/** @throws SqlError 42704 for no such type, 42809 for one that is no enum. */
export function enumNamed(context: BindContext, name: QualifiedName): EnumType {
  const type = findEnum(context.catalog, name.schema, wholeName(name), context.searchPath);
  if (type !== undefined) return type;
  const builtIn = name.schema === null || isSystemSchema(name.schema) ? findType(name.name) : undefined;
  if (builtIn !== undefined) {
    throw new SqlError('wrong_object_type', `${builtIn.displayName} is not an enum`);
  }
  throw new SqlError('undefined_object', `type "${writtenTypeName(name)}" does not exist`);
}

export function writtenTypeName(name: QualifiedName): string {
  return name.schema === null ? wholeName(name) : `${name.schema}.${wholeName(name)}`;
}

/** Types have no partitions: what follows a `$` belongs to the name. */
export function wholeName({ name, partition }: QualifiedName): string {
  return partition === null ? name : `${name}$${partition}`;
}
