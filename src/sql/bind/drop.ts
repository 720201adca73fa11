/** DROP of tables, indexes, views and schemas, and TRUNCATE. */
import { schemaMeant } from '../../catalog/lookup.ts';
import { ownedSequence } from '../../catalog/sequence-default.ts';
import { applyEdit, type CatalogEdit } from '../../catalog/edit.ts';
import type { Relation } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { QualifiedName, Statement } from '../ast.ts';
import type { BindContext } from '../bind.ts';
import { dependentViews, dropViews } from './dependent-views.ts';
import { dropEnum } from './drop-type.ts';
import { dropReferring, referringKeys } from './foreign-key.ts';
import { findStored, isSystemSchema, relationNotFound, writableRelation } from './names.ts';

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
  const held = first === undefined ? what : `${first.on.kind === 'view' ? 'view' : 'table'} ${first.on.name}`;
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
    case 'sequence':
      return dropRelation(statement, name, context);
    case 'index':
      return dropIndex(name, context);
    case 'schema':
      return dropSchema(statement, name, context);
    case 'extension':
      return name.name === 'vector' || name.name === 'plpgsql' ? [] : undefined;
    default:
      throw notSupported(`DROP ${statement.object.toUpperCase()}`, { position: name.at });
  }
}

const KINDS = { table: ['table', 'collection'], view: ['view'], sequence: ['sequence'] } as const;

function dropRelation(
  statement: DropStatement,
  name: QualifiedName,
  context: BindContext,
): readonly CatalogEdit[] | undefined {
  const relation = findStored(context, name);
  if (!relation) return undefined;
  const wanted: readonly string[] = KINDS[statement.object as keyof typeof KINDS];
  if (!wanted.includes(relation.kind)) {
    const right = relation.kind === 'collection' ? 'table' : relation.kind;
    throw new SqlError('wrong_object_type', `"${relation.name}" is not a ${statement.object}`, {
      hint: `Use DROP ${right.toUpperCase()} to remove a ${right}.`,
    });
  }
  return [...ownedSequences(relation, context), { edit: 'drop relation', relation: relation.oid }];
}

/** SERIAL and IDENTITY columns own the sequence of their default. */
function ownedSequences(relation: Relation, context: BindContext): readonly CatalogEdit[] {
  return relation.columns.flatMap((column): readonly CatalogEdit[] => {
    const sequence = ownedSequence(context.catalog, relation, column);
    return sequence ? [{ edit: 'drop relation', relation: sequence.oid }] : [];
  });
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

export function bindTruncate(
  statement: Extract<Statement, { kind: 'truncate' }>,
  context: BindContext,
): BoundStatement {
  const relations = statement.names.map((name) => {
    if (name.partition !== null) throw notSupported('TRUNCATE of a partition', { position: name.at });
    return writableRelation(context, name).oid;
  });
  const all = withReferring(relations, statement.cascade, context);
  const sequences = statement.restartIdentity ? all.flatMap((oid) => sequencesOf(oid, context)) : [];
  return { kind: 'truncate', relations: all, sequences };
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

/** Sequences that columns of the relation count with. */
function sequencesOf(oid: number, context: BindContext): readonly number[] {
  const relation = context.catalog.relations.get(oid);
  return (relation?.columns ?? []).flatMap((column) => {
    const sequence = relation && ownedSequence(context.catalog, relation, column);
    return sequence ? [sequence.oid] : [];
  });
}
