/** CREATE and ALTER SEQUENCE, and IDENTITY of columns. Source: sequence.c and tablecmds.c, PostgreSQL 18. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { type Column, columnByName, type Relation, type SequenceDefinition } from '../../../catalog/model.ts';
import { sequenceDefault } from '../../../catalog/sequence-default.ts';
import { definitionOf, ownedSequence, ownerOf } from '../../../catalog/sequences.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement, SequenceValue } from '../../../plan/statement.ts';
import type { AlterAction, SequenceOptions, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import type { Alteration } from '../define/alter-rows.ts';
import { existingRelation, schemaToWrite, takenNames } from '../define/create-table.ts';
import { freeName } from './indexes.ts';
import { creationPlace, findStored, relationNotFound, storedRelation } from '../names.ts';
import { columnSequence, defineSequence, sequenceRelation } from './sequence-definition.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

type Owner = SequenceDefinition['owner'];

/** OWNED BY; undefined where it is not said. @throws SqlError 42601, 42703, 42809, 55000. */
function ownerFrom(
  context: BindContext,
  path: readonly string[] | undefined,
  namespace: number,
): Owner | undefined {
  if (path === undefined) return undefined;
  const [column = '', table, schema = null] = path.toReversed();
  if (table === undefined) {
    if (column === 'none') return null;
    throw new SqlError('syntax_error', 'invalid OWNED BY option', {
      hint: 'Specify OWNED BY table.column or OWNED BY NONE.',
    });
  }
  const relation = storedRelation(context, { schema, name: table, partition: null, at: 0 });
  if (relation.kind !== 'table' && relation.kind !== 'collection') {
    throw new SqlError('wrong_object_type', `sequence cannot be owned by relation "${relation.name}"`);
  }
  if (relation.namespace !== namespace) {
    throw new SqlError(
      'object_not_in_prerequisite_state',
      'sequence must be in same schema as table it is linked to',
    );
  }
  const found = columnByName(relation, column);
  if (found) return { relation: relation.oid, attribute: found.attribute };
  const message = `column "${column}" of relation "${relation.name}" does not exist`;
  throw new SqlError('undefined_column', message);
}

export function bindCreateSequence(statement: Of<'create sequence'>, context: BindContext): BoundStatement {
  const { name, options } = statement;
  const { namespace, edits: place } = creationPlace(context, name, statement.temporary);
  const existing = existingRelation(context, statement, namespace);
  if (existing) return { ...existing, tag: 'CREATE SEQUENCE' };
  const { definition } = defineSequence(context, null, options);
  const owner = ownerFrom(context, options.ownedBy, namespace) ?? null;
  const relation = sequenceRelation(namespace, name.name, { ...definition, owner });
  return {
    kind: 'catalog',
    tag: 'CREATE SEQUENCE',
    edits: [...place, { edit: 'create relation', relation }],
    notices: [],
  };
}

export function bindAlterSequence(statement: Of<'alter sequence'>, context: BindContext): BoundStatement {
  const { name, options } = statement;
  const relation = findStored(context, name);
  if (!relation) {
    if (!statement.ifExists) throw relationNotFound(context, { ...name, at: 0 });
    const notices = [`relation "${name.name}" does not exist, skipping`];
    return { kind: 'catalog', tag: 'ALTER SEQUENCE', edits: [], notices };
  }
  if (relation.kind !== 'sequence') {
    throw new SqlError('wrong_object_type', `cannot open relation "${relation.name}"`, {
      detail: `This operation is not supported for ${relation.kind === 'view' ? 'views' : 'tables'}.`,
    });
  }
  const owner = ownerFrom(context, options.ownedBy, relation.namespace);
  const owned = ownerOf(context.catalog, relation);
  if (owner !== undefined && owned !== undefined && owned.column.identity !== null) {
    throw new SqlError('feature_not_supported', 'cannot change ownership of identity sequence', {
      detail: `Sequence "${relation.name}" is linked to table "${owned.relation.name}".`,
    });
  }
  return {
    kind: 'catalog',
    tag: 'ALTER SEQUENCE',
    notices: [],
    ...alteration(context, relation, options, owner),
  };
}

function alteration(
  context: BindContext,
  relation: Relation,
  options: SequenceOptions,
  owner?: Owner,
): { readonly edits: readonly CatalogEdit[]; readonly sequenceValues: readonly SequenceValue[] } {
  const known = definitionOf(relation);
  const { definition, restart } = defineSequence(context, known, options);
  const sequence = owner === undefined ? definition : { ...definition, owner };
  return {
    edits: [{ edit: 'alter sequence', relation: relation.oid, sequence }],
    sequenceValues: restart === null ? [] : [{ sequence: relation.oid, last: restart, called: false }],
  };
}

// ───────────────────────────── IDENTITY ─────────────────────────────

type ActionOf<K extends AlterAction['action']> = Extract<AlterAction, { action: K }>;

const notReady = (message: string): SqlError => new SqlError('object_not_in_prerequisite_state', message);

export function addIdentity(
  { context, relation }: Alteration,
  column: Column,
  action: ActionOf<'add identity'>,
): readonly CatalogEdit[] {
  const named = `column "${column.name}" of relation "${relation.name}"`;
  if (!column.notNull) throw notReady(`${named} must be declared NOT NULL before identity can be added`);
  if (column.identity !== null) throw notReady(`${named} is already an identity column`);
  if (column.defaultText !== null) throw notReady(`${named} already has a default value`);
  const taken = takenNames(context, relation.namespace, relation.name);
  const name = freeName(`${relation.name}_${column.name}`, 'seq', taken);
  const owner = { relation: relation.oid, attribute: column.attribute };
  const definition = { ...columnSequence(context, column.type.oid, action.options), owner };
  const defaultText = sequenceDefault(schemaToWrite(context, relation.namespace), name);
  const changed = { ...column, identity: action.identity, defaultText };
  return [
    { edit: 'create relation', relation: sequenceRelation(relation.namespace, name, definition) },
    { edit: 'alter column', relation: relation.oid, column: changed },
  ];
}

/** @returns null for a column without identity, which IF EXISTS passes over. @throws SqlError 55000. */
function identitySequence(
  { context, relation, notices }: Alteration,
  column: Column,
  ifExists: boolean,
): Relation | null {
  if (column.identity !== null) return ownedSequence(context.catalog, relation, column) ?? null;
  const message = `column "${column.name}" of relation "${relation.name}" is not an identity column`;
  if (!ifExists) throw notReady(message);
  notices.push(`${message}, skipping`);
  return null;
}

export function setIdentity(
  given: Alteration,
  column: Column,
  action: ActionOf<'set identity'>,
): readonly CatalogEdit[] {
  const sequence = identitySequence(given, column, false);
  const changed = { ...column, identity: action.identity ?? column.identity };
  const edit: CatalogEdit = { edit: 'alter column', relation: given.relation.oid, column: changed };
  if (sequence === null) return [edit];
  const { edits, sequenceValues } = alteration(given.context, sequence, action.options);
  given.sequenceValues.push(...sequenceValues);
  return [edit, ...edits];
}

export function dropIdentity(
  given: Alteration,
  column: Column,
  { ifExists }: ActionOf<'drop identity'>,
): readonly CatalogEdit[] {
  const sequence = identitySequence(given, column, ifExists);
  if (sequence === null) return [];
  const changed = { ...column, identity: null, defaultText: null };
  return [
    { edit: 'alter column', relation: given.relation.oid, column: changed },
    { edit: 'drop relation', relation: sequence.oid },
  ];
}
