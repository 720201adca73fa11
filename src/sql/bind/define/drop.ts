/** DROP of tables, indexes, views and schemas, and TRUNCATE. */
import { schemaMeant } from '../../../catalog/lookup.ts';
import { type CatalogEdit, applyEdit } from '../../../catalog/edit/edit.ts';
import { columnsCountingWith } from '../../../catalog/sequence-default.ts';
import { ownerOf, sequencesOwnedBy } from '../../../catalog/sequences.ts';
import type { Relation } from '../../../catalog/model.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { QualifiedName, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { dependentViews, dropViews, kindOf } from './dependent-views.ts';
import { dropEnum } from './drop-type.ts';
import { dropReferring, referringKeys } from '../relation/foreign-key.ts';
import { findStored, isSystemSchema, relationNotFound, storedRelation, writableRelation } from '../names.ts';

type DropStatement = Extract<Statement, { kind: 'drop' }>;
type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

export function bindDrop(statement: DropStatement, context: BindContext): CatalogChange {
  const notices: string[] = [];
  const edits = statement.names.flatMap((name): readonly CatalogEdit[] => {
    const edit = dropOne(statement, name, context);
    if (edit) return edit;
    const written = statement.object === 'schema' ? name.name : writtenName(name);
    if (!statement.ifExists) throw missing(statement, name, context);
    notices.push(`${statement.object} "${written}" does not exist, skipping`);
    return [];
  });
  const dropped = edits.flatMap((edit) => (edit.edit === 'drop relation' ? [edit.relation] : []));
  const referring = referringKeys(context.catalog, dropped).filter(
    ({ child }) => !dropped.includes(child.oid),
  );
  const schema = statement.object === 'schema' ? statement.names[0]?.name : undefined;
  const what = schema === undefined ? `table ${referring[0]?.parent.name}` : `schema ${schema}`;
  const views = dependentViews(context, dropped);
  const [first] = views;
  const held = first === undefined ? what : `${kindOf(first.on)} ${first.on.name}`;
  const all = [
    ...dropReferring(referring, what, statement.cascade),
    ...dropViews(views, schema === undefined ? held : what, { cascade: statement.cascade, notices }),
    ...edits,
  ];
  return { kind: 'catalog', tag: `DROP ${statement.object.toUpperCase()}`, edits: all, notices };
}

function writtenName(name: QualifiedName): string {
  return name.schema === null ? name.name : `${name.schema}.${name.name}`;
}

/** Undefined when there is no such thing. */
function dropOne(
  statement: DropStatement,
  name: QualifiedName,
  context: BindContext,
): readonly CatalogEdit[] | undefined {
  switch (statement.object) {
    case 'table':
    case 'view':
    case 'materialized view':
    case 'sequence':
      return dropRelation(statement, name, context);
    case 'index':
      return dropIndex(name, context);
    case 'schema':
      return dropSchema(statement, name, context);
    case 'extension':
      return name.name === 'vector' || name.name === 'plpgsql' ? [] : undefined;
    case 'type':
      throw notSupported(`DROP ${statement.object.toUpperCase()}`, { position: name.at });
  }
}

const KINDS = {
  table: ['table', 'collection'],
  view: ['view'],
  'materialized view': ['materialized view'],
  sequence: ['sequence'],
} as const;

function dropRelation(
  statement: DropStatement,
  name: QualifiedName,
  context: BindContext,
): readonly CatalogEdit[] | undefined {
  const relation = findStored(context, name);
  if (!relation) return undefined;
  const wanted: readonly string[] = KINDS[statement.object as keyof typeof KINDS];
  if (!wanted.includes(relation.kind)) {
    const right = kindOf(relation);
    throw new SqlError('wrong_object_type', `"${relation.name}" is not a ${statement.object}`, {
      hint: `Use DROP ${right.toUpperCase()} to remove a ${right}.`,
    });
  }
  const drop: CatalogEdit = { edit: 'drop relation', relation: relation.oid };
  if (relation.kind === 'sequence') return [...dropCounting(relation, context, statement), drop];
  const owned = sequencesOwnedBy(context.catalog, relation.oid);
  return [...owned.map(({ oid }): CatalogEdit => ({ edit: 'drop relation', relation: oid })), drop];
}

/** Defaults that count with a sequence hold it, or go with it. @throws SqlError 2BP01. */
function dropCounting(
  sequence: Relation,
  { catalog }: BindContext,
  { cascade }: DropStatement,
): readonly CatalogEdit[] {
  const owner = ownerOf(catalog, sequence);
  if (owner !== undefined && owner.column.identity !== null) {
    const what = `column ${owner.column.name} of table ${owner.relation.name}`;
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop sequence ${sequence.name} because ${what} requires it`,
      { hint: `You can drop ${what} instead.` },
    );
  }
  const counting = columnsCountingWith(catalog, sequence);
  if (counting.length > 0 && !cascade) {
    const lines = counting.map(
      ({ relation, column }) =>
        `default value for column ${column.name} of table ${relation.name} depends on sequence ${sequence.name}`,
    );
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop sequence ${sequence.name} because other objects depend on it`,
      { detail: lines.join('\n'), hint: 'Use DROP ... CASCADE to drop the dependent objects too.' },
    );
  }
  return counting.map(
    ({ relation, column }): CatalogEdit => ({
      edit: 'alter column',
      relation: relation.oid,
      column: { ...column, defaultText: null },
    }),
  );
}

function dropIndex(name: QualifiedName, context: BindContext): readonly CatalogEdit[] | undefined {
  const { searchPath } = context;
  const schemas = name.schema === null ? searchPath : [schemaMeant(name.schema, searchPath)];
  for (const schema of schemas) {
    const namespace = context.catalog.namespaces.find((candidate) => candidate.name === schema)?.oid;
    for (const relation of context.catalog.relations.values()) {
      const index = relation.indexes.find((candidate) => candidate.name === name.name);
      if (index && relation.namespace === namespace) {
        return [{ edit: 'drop index', relation: relation.oid, index: index.oid }];
      }
    }
  }
  return undefined;
}

function dropSchema(
  statement: DropStatement,
  name: QualifiedName,
  context: BindContext,
): readonly CatalogEdit[] | undefined {
  const namespace = context.catalog.namespaces.find((candidate) => candidate.name === name.name);
  if (!namespace) return undefined;
  if (isSystemSchema(name.name)) {
    const message = `cannot drop schema ${name.name} because it is required by the database system`;
    throw new SqlError('dependent_objects_still_exist', message);
  }
  const inside = [...context.catalog.relations.values()].filter(
    (relation) => relation.namespace === namespace.oid,
  );
  const drops = inside.map((relation): CatalogEdit => ({ edit: 'drop relation', relation: relation.oid }));
  for (const { oid, namespace: holder } of context.catalog.functions.values()) {
    if (holder === namespace.oid) drops.push({ edit: 'drop function', function: oid });
  }
  const drop: CatalogEdit = { edit: 'drop namespace', namespace: namespace.oid };
  if (!statement.cascade) return [drop];
  let catalog = drops.reduce(applyEdit, context.catalog);
  for (const type of catalog.enums.values()) {
    if (type.namespace !== namespace.oid) continue;
    const edits = dropEnum({ ...context, catalog }, type, { cascade: true, notices: [] });
    catalog = edits.reduce(applyEdit, catalog);
    drops.push(...edits);
  }
  return [...drops, drop];
}

function missing(statement: DropStatement, name: QualifiedName, context: BindContext): SqlError {
  const written = statement.object === 'schema' ? name.name : writtenName(name);
  const message = `${statement.object} "${written}" does not exist`;
  if (statement.object === 'schema') return new SqlError('invalid_schema_name', message);
  if (statement.object === 'index' || statement.object === 'extension') {
    return new SqlError('undefined_object', message);
  }
  const { hint } = relationNotFound(context, name).fields;
  return new SqlError('undefined_table', message, { hint });
}

/** @throws SqlError 42P01, 42809. */
function emptiedRelation(context: BindContext, name: QualifiedName): Relation {
  const relation = storedRelation(context, name);
  if (kindOf(relation) === 'table') return writableRelation(context, name);
  throw new SqlError('wrong_object_type', `"${relation.name}" is not a table`);
}

export function bindTruncate(
  statement: Extract<Statement, { kind: 'truncate' }>,
  context: BindContext,
): BoundStatement {
  const targets = statement.names.map((name) => ({
    relation: emptiedRelation(context, name).oid,
    partition: name.partition,
  }));
  const partitions = targets.flatMap(({ relation, partition }) =>
    partition === null ? [] : [{ relation, partition }],
  );
  const relations = targets.flatMap(({ relation, partition }) => (partition === null ? [relation] : []));
  const all = withReferring(relations, statement.cascade, context);
  const sequences = statement.restartIdentity
    ? all.flatMap((oid) => sequencesOwnedBy(context.catalog, oid).map((owned) => owned.oid))
    : [];
  return { kind: 'truncate', relations: all, partitions, sequences };
}

/** @throws SqlError 0A000 for a table that others refer to, unless it is to be emptied with them. */
function withReferring(
  relations: readonly number[],
  cascade: boolean,
  context: BindContext,
): readonly number[] {
  const keys = referringKeys(context.catalog, relations);
  const further = keys.filter(({ child }) => !relations.includes(child.oid));
  const [first] = further;
  if (!first) return relations;
  if (cascade) return withReferring([...relations, first.child.oid], cascade, context);
  throw new SqlError(
    'feature_not_supported',
    'cannot truncate a table referenced in a foreign key constraint',
    {
      detail: `Table "${first.child.name}" references "${first.parent.name}".`,
      hint: `Truncate table "${first.child.name}" at the same time, or use TRUNCATE ... CASCADE.`,
    },
  );
}
