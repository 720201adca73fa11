/** ALTER TABLE as edits of the catalog, one action after another. */
import { present, unreachable } from '../../assert.ts';
import { applyEdit, type CatalogEdit } from '../../catalog/edit.ts';
import { type Column, columnByName, liveColumns, primaryKey, type Relation } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { AlterAction, AlterTable } from '../ast.ts';
import type { BindContext } from '../bind.ts';
import { defineColumn, defineConstraint } from './columns.ts';
import { schemaToWrite, sequenceRelation, takenNames } from './create-table.ts';
import { bindExpression } from './expression.ts';
import { dropReferring, referringKeys } from './foreign-key.ts';
import { clauseIndex } from './indexes.ts';
import { findStored, relationNotFound } from './names.ts';
import { assigned, checkReserved } from './returning.ts';
import { newLevel } from './scope.ts';
import { newState } from './state.ts';

interface Alteration {
  readonly context: BindContext;
  readonly relation: Relation;
  readonly notices: string[];
}

export function bindAlterTable(statement: AlterTable, context: BindContext): BoundStatement {
  const relation = findStored(context, statement.name);
  const notices: string[] = [];
  if (!relation) {
    if (!statement.ifExists) throw relationNotFound(context, { ...statement.name, at: 0 });
    notices.push(`relation "${statement.name.name}" does not exist, skipping`);
    return { kind: 'catalog', tag: 'ALTER TABLE', edits: [], notices };
  }
  const [first] = statement.actions;
  if (first?.action === 'drop partition') {
    return { kind: 'drop partition', relation: relation.oid, partition: first.partition };
  }
  return {
    kind: 'catalog',
    tag: 'ALTER TABLE',
    edits: bindActions(context, relation, { statement, notices }),
    notices,
  };
}

/** Each action sees what those before it did. */
function bindActions(
  context: BindContext,
  relation: Relation,
  given: { readonly statement: AlterTable; readonly notices: string[] },
): readonly CatalogEdit[] {
  let { catalog } = context;
  const all: CatalogEdit[] = [];
  for (const action of given.statement.actions) {
    const current = present(catalog.relations.get(relation.oid), 'altered relation');
    const alteration: Alteration = {
      context: { ...context, catalog },
      relation: current,
      notices: given.notices,
    };
    const edits = bindAction(alteration, action);
    for (const edit of edits) catalog = applyEdit(catalog, edit);
    all.push(...edits);
  }
  return all;
}

function bindAction(alteration: Alteration, action: AlterAction): readonly CatalogEdit[] {
  const { relation } = alteration;
  switch (action.action) {
    case 'add column':
      return addColumn(alteration, action);
    case 'drop column':
      return dropColumn(alteration, action);
    case 'rename column': {
      const column = columnByName(relation, action.column);
      if (!column) throw new SqlError('undefined_column', `column "${action.column}" does not exist`);
      if (relation.kind === 'collection') checkReserved(action.to, action.at);
      return [{ edit: 'alter column', relation: relation.oid, column: { ...column, name: action.to } }];
    }
    case 'rename table':
      return [{ edit: 'rename relation', relation: relation.oid, name: action.to }];
    case 'set not null':
    case 'drop not null':
      return setNotNull(relation, action);
    case 'set default':
    case 'drop default':
      return setDefault(alteration, action);
    case 'set type':
      throw notSupported('ALTER COLUMN … TYPE', { position: action.at || undefined });
    case 'add constraint':
      return addConstraint(alteration, action);
    case 'drop constraint':
      return dropConstraint(alteration, action);
    case 'add index':
      return addIndex(alteration, action);
    case 'drop partition':
      throw notSupported('DROP PARTITION with other actions', { position: action.at || undefined });
    case 'set embedding model':
      throw notSupported('SET EMBEDDING MODEL', { position: action.at || undefined });
    case 'unsupported':
      throw notSupported(action.feature, { position: action.at || undefined });
    default:
      return unreachable(action);
  }
}

type ActionOf<K extends AlterAction['action']> = Extract<AlterAction, { action: K }>;

function columnOf(relation: Relation, name: string): Column {
  const column = columnByName(relation, name);
  if (column) return column;
  throw new SqlError('undefined_column', `column "${name}" of relation "${relation.name}" does not exist`);
}

function addColumn(alteration: Alteration, action: ActionOf<'add column'>): readonly CatalogEdit[] {
  const { context, relation, notices } = alteration;
  const { column: definition } = action;
  if (columnByName(relation, definition.name) && action.ifNotExists) {
    notices.push(`column "${definition.name}" of relation "${relation.name}" already exists, skipping`);
    return [];
  }
  if (relation.kind === 'collection') checkReserved(definition.name, definition.at);
  const attribute = Math.max(0, ...relation.columns.map((column) => column.attribute)) + 1;
  const schema = schemaToWrite(context, relation.namespace);
  const place = { table: relation.name, schema, attribute };
  const { column, sequence } = defineColumn(context, definition, place);
  const taken = takenNames(context, relation.namespace, relation.name);
  const columns = [...liveColumns(relation), column];
  const edits: CatalogEdit[] = [];
  if (sequence !== null) {
    edits.push({ edit: 'create relation', relation: sequenceRelation(relation.namespace, sequence) });
  }
  edits.push({ edit: 'add column', relation: relation.oid, column });
  for (const constraint of definition.constraints) {
    const place = { table: relation.name, columns, own: column, taken };
    edits.push(...constraintEdits(relation, defineConstraint(context, constraint, place)));
  }
  for (const clause of definition.indexes) {
    const index = clauseIndex(relation.name, clause, { columns: [column], taken });
    edits.push({ edit: 'add index', relation: relation.oid, index });
  }
  return edits;
}

function dropColumn(alteration: Alteration, action: ActionOf<'drop column'>): readonly CatalogEdit[] {
  const { relation, notices } = alteration;
  const column = columnByName(relation, action.column);
  if (!column && action.ifExists) {
    notices.push(`column "${action.column}" of relation "${relation.name}" does not exist, skipping`);
    return [];
  }
  const { attribute } = columnOf(relation, action.column);
  if (relation.kind === 'collection' && primaryKey(relation)?.columns.includes(attribute)) {
    throw new SqlError('invalid_table_definition', 'column "_id" of a collection cannot be dropped', {
      position: action.at || undefined,
    });
  }
  const what = `column ${action.column} of table ${relation.name}`;
  const referring = referringKeys(alteration.context.catalog, [relation.oid]).filter(
    ({ child, reference }) => child.oid !== relation.oid && reference.columns.includes(attribute),
  );
  const drops = dropReferring(referring, what, action.cascade);
  return [...drops, { edit: 'drop column', relation: relation.oid, attribute }];
}

function setNotNull(
  relation: Relation,
  action: ActionOf<'set not null' | 'drop not null' | 'drop default'>,
): readonly CatalogEdit[] {
  const column = columnOf(relation, action.column);
  const notNull = action.action === 'set not null';
  if (!notNull && primaryKey(relation)?.columns.includes(column.attribute)) {
    throw new SqlError('invalid_table_definition', `column "${column.name}" is in a primary key`, {
      position: action.at || undefined,
    });
  }
  return [{ edit: 'alter column', relation: relation.oid, column: { ...column, notNull } }];
}

function setDefault(
  alteration: Alteration,
  action: ActionOf<'set default'> | ActionOf<'set not null' | 'drop not null' | 'drop default'>,
): readonly CatalogEdit[] {
  const { context, relation } = alteration;
  const column = columnOf(relation, action.column);
  if (action.action !== 'set default') {
    return [{ edit: 'alter column', relation: relation.oid, column: { ...column, defaultText: null } }];
  }
  const level = newLevel(newState(context), null, null);
  level.clause = 'DEFAULT expressions';
  assigned(level.state, bindExpression(level, action.expression), column);
  return [{ edit: 'alter column', relation: relation.oid, column: { ...column, defaultText: action.text } }];
}

function constraintEdits(
  relation: Relation,
  defined: ReturnType<typeof defineConstraint>,
  notValid = false,
): readonly CatalogEdit[] {
  const { constraint, index } = defined;
  const edits: CatalogEdit[] = index ? [{ edit: 'add index', relation: relation.oid, index }] : [];
  return [...edits, { edit: 'add constraint', relation: relation.oid, constraint, notValid }];
}

function addConstraint(alteration: Alteration, action: ActionOf<'add constraint'>): readonly CatalogEdit[] {
  const { context, relation } = alteration;
  const { constraint } = action;
  if (constraint.kind === 'primary key' && primaryKey(relation)) {
    throw new SqlError(
      'invalid_table_definition',
      `multiple primary keys for table "${relation.name}" are not allowed`,
    );
  }
  const taken = takenNames(context, relation.namespace, relation.name);
  const place = {
    table: relation.name,
    columns: liveColumns(relation),
    own: null,
    taken,
    indexes: relation.indexes,
  };
  const defined = defineConstraint(context, constraint, place);
  const nullable = liveColumns(relation).filter((column) => {
    return (
      constraint.kind === 'primary key' &&
      !column.notNull &&
      defined.index?.columns.includes(column.attribute)
    );
  });
  const edits = nullable.map((column): CatalogEdit => {
    return { edit: 'alter column', relation: relation.oid, column: { ...column, notNull: true } };
  });
  return [...edits, ...constraintEdits(relation, defined, constraint.references?.notValid)];
}

function dropConstraint(alteration: Alteration, action: ActionOf<'drop constraint'>): readonly CatalogEdit[] {
  const { relation, notices } = alteration;
  const constraint = relation.constraints.find((candidate) => candidate.name === action.name);
  if (constraint && relation.kind === 'collection' && constraint.kind === 'primary key') {
    throw new SqlError('invalid_table_definition', 'the primary key of a collection cannot be dropped');
  }
  if (constraint) return [{ edit: 'drop constraint', relation: relation.oid, constraint: constraint.oid }];
  const message = `constraint "${action.name}" of relation "${relation.name}" does not exist`;
  if (!action.ifExists) throw new SqlError('undefined_object', message);
  notices.push(`${message}, skipping`);
  return [];
}

function addIndex(alteration: Alteration, action: ActionOf<'add index'>): readonly CatalogEdit[] {
  const { context, relation } = alteration;
  const columns = action.index.columns.map((name) => columnOf(relation, name));
  const taken = takenNames(context, relation.namespace, relation.name);
  const index = clauseIndex(relation.name, action.index, { columns, taken });
  return [{ edit: 'add index', relation: relation.oid, index }];
}
