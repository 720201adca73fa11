/** ALTER TABLE as edits of the catalog, one action after another. */
import { present, unreachable } from '../../../assert.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import {
  type Column,
  columnByName,
  type Index,
  liveColumns,
  primaryKey,
  type Relation,
} from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BoundStatement, FollowUp, SequenceValue } from '../../../plan/statement.ts';
import type { AlterAction, AlterTable } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { writeExpression } from '../../deparse/write-expression.ts';
import { type Alteration, fillColumn, keepsCheck, noNulls, setType } from './alter-rows.ts';
import { checkAlterable } from './alter-view.ts';
import { columnsCountingWith, sequenceDefault } from '../../../catalog/sequence-default.ts';
import { ownedSequence, sequencesOwnedBy } from '../../../catalog/sequences.ts';
import { defineColumn, defineConstraint } from '../relation/columns.ts';
import { constraintUsingIndex } from '../relation/constraint-index.ts';
import { setEmbeddingModel } from './embedding-model.ts';
import { expressionReads } from '../relation/index-expressions.ts';
import { dropViews, viewsOnColumn } from './dependent-views.ts';
import { schemaToWrite, takenNames } from './create-table.ts';
import { dropReferring, keysOnIndex, referringKeys } from '../relation/foreign-key.ts';
import { generatedText } from '../relation/generated-column.ts';
import { clauseIndex } from '../relation/indexes.ts';
import { creationNamespace, findStored, findStoredIndex, relationNotFound } from '../names.ts';
import { assigned } from '../write/returning.ts';
import { relationGivenTo } from '../access/owner.ts';
import { checkOwned, switchedRowSecurity } from './policies.ts';
import { setViewOptions } from './alter-view.ts';
import { setOptions } from './table-options.ts';
import { withRewrittenTexts } from './rewritten-texts.ts';
import { newLevel } from '../level.ts';
import { sequenceRelation } from '../relation/sequence-definition.ts';
import { addIdentity, dropIdentity, setIdentity } from '../relation/sequences.ts';
import { checkedIndex, checkFieldName, checkFields } from '../relation/schema-faults.ts';
import { nestedClauses, nestedIndex } from '../relation/struct.ts';
import { newState } from '../state.ts';
import { newTrace } from '../trace.ts';

export function bindAlterTable(statement: AlterTable, context: BindContext): BoundStatement {
  const relation = findStored(context, statement.name);
  const notices: string[] = [];
  const renamed = relation ? undefined : renamedIndex(statement, context);
  if (renamed) return renamed;
  if (!relation) {
    if (!statement.ifExists) throw relationNotFound(context, { ...statement.name, at: 0 });
    notices.push(`relation "${statement.name.name}" does not exist, skipping`);
    return { kind: 'catalog', tag: 'ALTER TABLE', edits: [], notices };
  }
  const [first] = statement.actions;
  checkOwned(context, relation);
  if (first?.action === 'drop partition') {
    const absent = first.ifExists ? 'notice' : 'error';
    return { kind: 'drop partition', relation: relation.oid, partition: first.partition, absent };
  }
  const followUps: FollowUp[] = [];
  const sequenceValues: SequenceValue[] = [];
  const edits = bindActions(context, relation, { statement, notices, followUps, sequenceValues });
  return { kind: 'catalog', tag: 'ALTER TABLE', edits, notices, followUps, sequenceValues };
}

/** ALTER INDEX … RENAME TO. */
function renamedIndex({ name, actions }: AlterTable, context: BindContext): BoundStatement | undefined {
  const [action] = actions;
  if (action?.action !== 'rename table') return undefined;
  const index = findStoredIndex(context, name);
  if (!index) return undefined;
  const edits: readonly CatalogEdit[] = [{ edit: 'rename relation', relation: index.oid, name: action.to }];
  return { kind: 'catalog', tag: 'ALTER INDEX', edits, notices: [] };
}

/** Each action sees what those before it did. */
function bindActions(
  context: BindContext,
  relation: Relation,
  given: { readonly statement: AlterTable } & Pick<Alteration, 'notices' | 'followUps' | 'sequenceValues'>,
): readonly CatalogEdit[] {
  let { catalog } = context;
  const all: CatalogEdit[] = [];
  for (const action of given.statement.actions) {
    const current = present(catalog.relations.get(relation.oid), 'altered relation');
    const alteration: Alteration = {
      context: { ...context, catalog },
      relation: current,
      notices: given.notices,
      followUps: given.followUps,
      sequenceValues: given.sequenceValues,
    };
    const edits = bindAction(alteration, action);
    for (const edit of edits) catalog = applyEdit(catalog, edit);
    all.push(...edits);
  }
  return all;
}

function bindAction(alteration: Alteration, action: AlterAction): readonly CatalogEdit[] {
  const { relation } = alteration;
  checkAlterable(relation, action);
  switch (action.action) {
    case 'add column':
      return addColumn(alteration, action);
    case 'drop column':
      return dropColumn(alteration, action);
    case 'rename column':
      return renameColumn(alteration, action);
    case 'rename table':
      return renameTable(alteration, action.to);
    case 'add identity':
      return addIdentity(alteration, columnOf(relation, action.column), action);
    case 'set identity':
      return setIdentity(alteration, columnOf(relation, action.column), action);
    case 'drop identity':
      return dropIdentity(alteration, columnOf(relation, action.column), action);
    case 'set not null':
    case 'drop not null':
      return setNotNull(alteration, action);
    case 'set default':
    case 'drop default':
      return setDefault(alteration, action);
    case 'set type':
      checkFreeType(alteration, columnOf(relation, action.column));
      return setType(alteration, columnOf(relation, action.column), action);
    case 'rename constraint':
      return renameConstraint(relation, action);
    case 'set schema':
      return setSchema(alteration, action);
    case 'add constraint':
      return addConstraint(alteration, action);
    case 'drop constraint':
      return dropConstraint(alteration, action);
    case 'alter constraint':
      return alterConstraint(relation, action);
    case 'add index':
      return addIndex(alteration, action);
    case 'drop partition':
      throw notSupported('DROP PARTITION with other actions', { position: action.at || undefined });
    case 'set embedding model':
      return setEmbeddingModel(alteration, columnOf(relation, action.column), action.model);
    case 'set owner':
      return relationGivenTo(alteration.context, relation, action.role);
    case 'set options':
    case 'row security':
      return switched(alteration.context, relation, action);
    case 'unsupported':
      throw notSupported(action.feature, { position: action.at || undefined });
    default:
      return unreachable(action);
  }
}

function switched(
  context: BindContext,
  relation: Relation,
  action: ActionOf<'set options' | 'row security'>,
): readonly CatalogEdit[] {
  if (action.action === 'row security') return switchedRowSecurity(relation, action.to);
  return relation.kind === 'view' ? setViewOptions(context, relation, action) : setOptions(relation, action);
}

function renameColumn(
  { context, relation }: Alteration,
  { at, column: from, to }: ActionOf<'rename column'>,
): readonly CatalogEdit[] {
  const column = columnByName(relation, from);
  if (!column) throw new SqlError('undefined_column', `column "${from}" does not exist`);
  if (relation.kind === 'collection') checkFieldName(to, { at });
  const renamed = { ...column, name: to };
  return withRewrittenTexts(context, [{ edit: 'alter column', relation: relation.oid, column: renamed }]);
}

type ActionOf<K extends AlterAction['action']> = Extract<AlterAction, { action: K }>;

function columnOf(relation: Relation, name: string): Column {
  const column = columnByName(relation, name);
  if (column) return column;
  throw new SqlError('undefined_column', `column "${name}" of relation "${relation.name}" does not exist`);
}

/** Defaults that count with a renamed sequence keep doing so. */
function renameTable({ context, relation }: Alteration, to: string): readonly CatalogEdit[] {
  const rename = withRewrittenTexts(context, [{ edit: 'rename relation', relation: relation.oid, name: to }]);
  if (relation.kind !== 'sequence') return rename;
  const defaultText = sequenceDefault(schemaToWrite(context, relation.namespace), to);
  const counting = columnsCountingWith(context.catalog, relation).map(
    (found): CatalogEdit => ({
      edit: 'alter column',
      relation: found.relation.oid,
      column: { ...found.column, defaultText },
    }),
  );
  return [...rename, ...counting];
}

function addColumn(alteration: Alteration, action: ActionOf<'add column'>): readonly CatalogEdit[] {
  const { context, relation, notices } = alteration;
  const { column: definition } = action;
  if (columnByName(relation, definition.name) && action.ifNotExists) {
    notices.push(`column "${definition.name}" of relation "${relation.name}" already exists, skipping`);
    return [];
  }
  if (relation.kind === 'collection') checkFields(context, [definition]);
  else if (definition.struct !== null) throw notSupported('a struct in a plain table');
  const attribute = Math.max(0, ...relation.columns.map((column) => column.attribute)) + 1;
  const schema = schemaToWrite(context, relation.namespace);
  const place = { table: relation.name, schema, attribute };
  const { column: declared, sequence } = defineColumn(context, definition, place);
  const taken = takenNames(context, relation.namespace, relation.name);
  const columns = [...liveColumns(relation), declared];
  const generated = generatedText(context, definition, { table: relation.name, columns });
  const column = { ...declared, generatedText: generated };
  const edits: CatalogEdit[] = [];
  if (sequence !== null) {
    const definition = { ...sequence.definition, owner: { relation: relation.oid, attribute } };
    const made = sequenceRelation(relation.namespace, sequence.name, definition);
    edits.push({ edit: 'create relation', relation: made });
  }
  const isFilled = column.defaultText !== null || column.generatedText !== null;
  const added = isFilled ? { ...column, notNull: false } : column;
  edits.push({ edit: 'add column', relation: relation.oid, column: added });
  if (isFilled) fillColumn(alteration, column);
  else if (column.notNull) alteration.followUps.push(noNulls(alteration, column));
  for (const constraint of definition.constraints) {
    const place = { table: relation.name, columns, own: column, taken };
    const defined = defineConstraint(context, constraint, place);
    if (defined.constraint.kind === 'check') {
      alteration.followUps.push(keepsCheck(alteration, defined.constraint));
    }
    edits.push(...constraintEdits(relation, defined));
  }
  for (const clause of definition.indexes) {
    const index = clauseIndex(relation.name, clause, { columns: [column], taken });
    edits.push({ edit: 'add index', relation: relation.oid, index });
  }
  const grown = { ...relation, columns: [...relation.columns, column] };
  for (const clause of nestedClauses(definition)) {
    const index = nestedIndex(context, { relation: grown, column: column.name, ...clause }, taken);
    edits.push({ edit: 'add index', relation: relation.oid, index });
  }
  return edits;
}

function dropColumn(alteration: Alteration, action: ActionOf<'drop column'>): readonly CatalogEdit[] {
  const { relation, notices } = alteration;
  if (!columnByName(relation, action.column) && action.ifExists) {
    notices.push(`column "${action.column}" of relation "${relation.name}" does not exist, skipping`);
    return [];
  }
  const column = columnOf(relation, action.column);
  const { attribute } = column;
  if (relation.kind === 'collection' && primaryKey(relation)?.columns.includes(attribute)) {
    throw new SqlError('invalid_table_definition', 'column "_id" of a collection cannot be dropped', {
      position: action.at || undefined,
    });
  }
  const what = `column ${action.column} of table ${relation.name}`;
  const { cascade } = action;
  const held = viewsOnColumn(alteration.context, relation, column);
  const views = dropViews(held, what, { cascade, notices });
  const referring = referringKeys(alteration.context.catalog, [relation.oid]).filter(
    ({ child, reference }) => child.oid !== relation.oid && reference.columns.includes(attribute),
  );
  const drops = [...views, ...dropReferring(referring, what, cascade)];
  const owned = sequencesOwnedBy(alteration.context.catalog, relation.oid)
    .filter(({ sequence }) => sequence?.owner?.attribute === attribute)
    .map(({ oid }): CatalogEdit => ({ edit: 'drop relation', relation: oid }));
  return [...drops, { edit: 'drop column', relation: relation.oid, attribute }, ...owned];
}

/** @throws SqlError 0A000 for a column whose type views and other columns rely on. */
function checkFreeType({ context, relation }: Alteration, column: Column): void {
  const cannot = (what: string, detail: string): SqlError =>
    new SqlError('feature_not_supported', `cannot alter type of a column used by ${what}`, { detail });
  const [first] = viewsOnColumn(context, relation, column);
  if (first) {
    const detail = `rule _RETURN on view ${first.view.name} depends on column "${column.name}"`;
    throw cannot('a view or rule', detail);
  }
  const generated = relation.columns.find(({ generatedText: text, dropped, hidden }) => {
    return (
      text !== null &&
      !dropped &&
      !hidden &&
      expressionReads(context, relation, text).includes(column.attribute)
    );
  });
  if (generated) {
    const detail = `Column "${column.name}" is used by generated column "${generated.name}".`;
    throw cannot('a generated column', detail);
  }
  const index = relation.indexes.find(({ shape }) => shape?.reads.includes(column.attribute));
  if (index) throw cannot('an index', `Index "${index.name}" has it in an expression or predicate.`);
}

function setNotNull(
  alteration: Alteration,
  action: ActionOf<'set not null' | 'drop not null' | 'drop default'>,
): readonly CatalogEdit[] {
  const { relation } = alteration;
  const column = columnOf(relation, action.column);
  const notNull = action.action === 'set not null';
  if (notNull) alteration.followUps.push(noNulls(alteration, column));
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
  const level = newLevel(newState(context, newTrace()), null, null);
  level.clause = 'DEFAULT expressions';
  assigned(level.state, bindExpression(level, action.expression), column);
  const defaultText = writeExpression(level, action.expression);
  return [{ edit: 'alter column', relation: relation.oid, column: { ...column, defaultText } }];
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
  const key = constraint.kind === 'primary key' ? primaryKey(relation) : undefined;
  if (key && isKeyOfCollection(relation, constraint)) {
    const to = constraint.name ?? key.name;
    return to === key.name ? [] : [{ edit: 'rename relation', relation: key.oid, name: to }];
  }
  if (key) {
    throw new SqlError(
      'invalid_table_definition',
      `multiple primary keys for table "${relation.name}" are not allowed`,
    );
  }
  if (constraint.usingIndex !== null) {
    return constraintUsingIndex(alteration, constraint, constraint.usingIndex);
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
  for (const column of nullable) alteration.followUps.push(noNulls(alteration, column));
  if (defined.constraint.kind === 'check') {
    alteration.followUps.push(keepsCheck(alteration, defined.constraint));
  }
  return [...edits, ...constraintEdits(relation, defined, constraint.references?.notValid)];
}

/** True for the key that a collection has without being told: dumps say it again. */
const isKeyOfCollection = (
  { kind }: Relation,
  { columns, usingIndex }: ActionOf<'add constraint'>['constraint'],
): boolean => kind === 'collection' && usingIndex === null && columns.length === 1 && columns[0] === '_id';

function dropConstraint(alteration: Alteration, action: ActionOf<'drop constraint'>): readonly CatalogEdit[] {
  const { relation, notices } = alteration;
  const constraint = relation.constraints.find((candidate) => candidate.name === action.name);
  if (constraint && relation.kind === 'collection' && constraint.kind === 'primary key') {
    throw new SqlError('invalid_table_definition', 'the primary key of a collection cannot be dropped');
  }
  if (constraint) {
    const index = relation.indexes.find((candidate) => candidate.oid === constraint.index);
    const relying = index ? keysOnIndex(alteration.context.catalog, relation.oid, index) : [];
    const what = `constraint ${constraint.name} on table ${relation.name}`;
    const drops = dropReferring(relying, what, action.cascade, `index ${constraint.name}`);
    return [...drops, { edit: 'drop constraint', relation: relation.oid, constraint: constraint.oid }];
  }
  const message = `constraint "${action.name}" of relation "${relation.name}" does not exist`;
  if (!action.ifExists) throw new SqlError('undefined_object', message);
  notices.push(`${message}, skipping`);
  return [];
}

/** @throws SqlError 42704, 42809. */
function alterConstraint(
  relation: Relation,
  { name, deferrable }: ActionOf<'alter constraint'>,
): readonly CatalogEdit[] {
  const known = relation.constraints.find((candidate) => candidate.name === name);
  if (!known) {
    const message = `constraint "${name}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_object', message);
  }
  if (known.kind !== 'foreign key') {
    const message = `constraint "${name}" of relation "${relation.name}" is not a foreign key constraint`;
    throw new SqlError('wrong_object_type', message);
  }
  const { deferrable: _, ...rest } = known;
  const changed = { ...rest, ...(deferrable && { deferrable }) };
  const constraints = relation.constraints.map((other) => (other === known ? changed : other));
  return [{ edit: 'rewrite relation', relation: { ...relation, constraints } }];
}

function renameConstraint(relation: Relation, action: ActionOf<'rename constraint'>): readonly CatalogEdit[] {
  const constraint = relation.constraints.find((candidate) => candidate.name === action.name);
  if (!constraint) {
    const message = `constraint "${action.name}" for table "${relation.name}" does not exist`;
    throw new SqlError('undefined_object', message);
  }
  if (constraint.kind === 'primary key' || constraint.kind === 'unique') {
    return [{ edit: 'rename relation', relation: constraint.index, name: action.to }];
  }
  return [
    { edit: 'drop constraint', relation: relation.oid, constraint: constraint.oid },
    { edit: 'add constraint', relation: relation.oid, constraint: { ...constraint, name: action.to } },
  ];
}

function setSchema(
  { context, relation }: Alteration,
  action: ActionOf<'set schema'>,
): readonly CatalogEdit[] {
  const namespace = creationNamespace(context, action.schema, 0);
  const owned = relation.columns.flatMap((column): readonly CatalogEdit[] => {
    const sequence = ownedSequence(context.catalog, relation, column);
    if (!sequence) return [];
    const defaultText = sequenceDefault(action.schema, sequence.name);
    return [
      { edit: 'set namespace', relation: sequence.oid, namespace },
      { edit: 'alter column', relation: relation.oid, column: { ...column, defaultText } },
    ];
  });
  return withRewrittenTexts(context, [
    ...owned,
    { edit: 'set namespace', relation: relation.oid, namespace },
  ]);
}

function addIndex(alteration: Alteration, action: ActionOf<'add index'>): readonly CatalogEdit[] {
  const { context, relation } = alteration;
  const columns = action.index.columns.map((name) => columnOf(relation, name));
  const taken = takenNames(context, relation.namespace, relation.name);
  const build = (): Index => clauseIndex(relation.name, action.index, { columns, taken });
  const kind = action.index.clause.replace(/_index$/, '');
  const index = relation.kind === 'collection' ? checkedIndex(columns, kind, build) : build();
  return [{ edit: 'add index', relation: relation.oid, index }];
}
