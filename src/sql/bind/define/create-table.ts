/**
 * CREATE TABLE. A table is a collection when it declares `_id` or an INDEX clause; then
 * `_id TEXT` is its primary key, declared or not.
 */
import { notSupported, SqlError } from '../../../errors.ts';
import type { Column, Constraint, Index, Relation } from '../../../catalog/model.ts';
import { namespaceName } from '../../../catalog/lookup.ts';
import { NAMESPACE_OID } from '../../../catalog/oids.ts';
import { ownTemporarySchema, temporaryNamespaceOid } from '../../../catalog/temporary-names.ts';
import type { CatalogEdit, OwnedSequence } from '../../../catalog/edit/edit.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { OID } from '../../../types/oids.ts';
import { formatType } from '../../../types/registry.ts';
import type { ColumnDefinition, CreateTable, TableConstraint } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { defineColumn, defineConstraint } from '../relation/columns.ts';
import { generatedText } from '../relation/generated-column.ts';
import { clauseIndex } from '../relation/indexes.ts';
import { expandLikes } from '../relation/like-clause.ts';
import { creationPlace, findExisting } from '../names.ts';
import { checkRelationOptions, tableOptions } from '../relation/relation-options.ts';
import { checkedIndex, checkFields } from '../relation/schema-faults.ts';
import { nestedClauses, nestedIndex } from '../relation/struct.ts';
import { sequenceRelation } from '../relation/sequence-definition.ts';
import { typeOnly } from '../state.ts';

const ID = '_id';

type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

export function bindCreateTable(written: CreateTable, context: BindContext): CatalogChange {
  const statement = expandLikes(written, context);
  const { name } = statement;
  checkRelationOptions('table', statement.options);
  if (name.partition !== null) {
    throw new SqlError(
      'invalid_name',
      `relation name "${name.name}$${name.partition}" must not contain "$"`,
      {
        position: name.at,
        hint: 'A partition of a collection is made by its first write.',
      },
    );
  }
  const { namespace, edits: place } = creationPlace(context, name, statement.temporary);
  const existing = existingRelation(context, statement, namespace);
  if (existing) return existing;
  const collection = isCollection(statement);
  const schema = schemaToWrite(context, namespace);
  const defined = defineColumns(statement, context, { schema, collection });
  const declared = defined.map((entry) => entry.column);
  const columns = declared.map((column) => {
    const definition = statement.columns.find((candidate) => candidate.name === column.name);
    if (!definition) return column;
    return {
      ...column,
      generatedText: generatedText(context, definition, { table: name.name, columns: declared }),
    };
  });
  const taken = takenNames(context, namespace, name.name);
  const keys = defineKeys(statement, context, { columns, taken, collection });
  const relation: Relation = {
    oid: 0,
    namespace,
    name: name.name,
    kind: collection ? 'collection' : 'table',
    columns: columns.map((column) =>
      keys.primary.includes(column.attribute) ? { ...column, notNull: true } : column,
    ),
    indexes: [...keys.indexes, ...defineIndexes(statement, columns, taken)],
    constraints: keys.constraints,
    definition: null,
    ...onCommitOf(context, statement, namespace),
    ...tableOptions(statement.options),
  };
  checkReferences(context, relation);
  const sequences = defined.flatMap(({ column, sequence }): readonly OwnedSequence[] => {
    if (sequence === null) return [];
    const made = sequenceRelation(namespace, sequence.name, sequence.definition);
    return [{ attribute: column.attribute, sequence: made }];
  });
  const nested = nestedIndexes(statement, context, { relation, taken });
  const whole: Relation = { ...relation, indexes: [...relation.indexes, ...nested] };
  const edits: readonly CatalogEdit[] = [...place, { edit: 'create relation', relation: whole, sequences }];
  return { kind: 'catalog', tag: 'CREATE TABLE', edits, notices: [] };
}

/** Those that fields of structs declare. */
function nestedIndexes(
  { columns }: CreateTable,
  context: BindContext,
  { relation, taken }: { readonly relation: Relation; readonly taken: Set<string> },
): readonly Index[] {
  return columns.flatMap((column) =>
    nestedClauses(column).map((clause) => {
      return nestedIndex(context, { relation, column: column.name, ...clause }, taken);
    }),
  );
}

/** ON COMMIT as the relation keeps it. @throws SqlError 42P16 for a table that stays. */
export function onCommitOf(
  { searchPath }: BindContext,
  { onCommit }: Pick<CreateTable, 'onCommit'>,
  namespace: number,
): Pick<Relation, 'onCommit'> {
  if (onCommit === null) return {};
  const own = ownTemporarySchema(searchPath);
  if (own === undefined || temporaryNamespaceOid(own) !== namespace) {
    throw new SqlError('invalid_table_definition', 'ON COMMIT can only be used on temporary tables');
  }
  return onCommit === 'preserve rows' ? {} : { onCommit };
}

/** Rows that stay cannot refer to rows that go, nor the other way round. @throws SqlError 42P16. */
function checkReferences(context: BindContext, relation: Relation): void {
  const own = ownTemporarySchema(context.searchPath);
  const isOwn = (namespace: number): boolean => own !== undefined && namespace === temporaryNamespaceOid(own);
  for (const { references } of relation.constraints) {
    const parent = references && context.catalog.relations.get(references.relation);
    if (parent === undefined || isOwn(parent.namespace) === isOwn(relation.namespace)) continue;
    const what = isOwn(relation.namespace) ? 'temporary' : 'permanent';
    throw new SqlError(
      'invalid_table_definition',
      `constraints on ${what} tables may reference only ${what} tables`,
    );
  }
}

/** IF NOT EXISTS skips with a notice. @throws SqlError 42P07. */
export function existingRelation(
  context: BindContext,
  statement: Pick<CreateTable, 'name' | 'ifNotExists'>,
  namespace: number,
): CatalogChange | undefined {
  const { name } = statement;
  const known = findExisting(context, name);
  if (!known || known.namespace !== namespace) return undefined;
  if (!statement.ifNotExists) {
    throw new SqlError('duplicate_table', `relation "${name.name}" already exists`);
  }
  const notices = [`relation "${name.name}" already exists, skipping`];
  return { kind: 'catalog', tag: 'CREATE TABLE', edits: [], notices };
}

function isCollection(statement: CreateTable): boolean {
  const { columns, indexes } = statement;
  const isOne = ({ name, indexes: own, struct }: ColumnDefinition): boolean =>
    name === ID || own.length > 0 || struct !== null;
  return indexes.length > 0 || columns.some(isOne);
}

function defineColumns(
  statement: CreateTable,
  context: BindContext,
  { schema, collection }: { readonly schema: string | null; readonly collection: boolean },
): ReturnType<typeof defineColumn>[] {
  const table = statement.name.name;
  const seen = new Set<string>();
  for (const { name } of statement.columns) {
    if (seen.has(name)) {
      throw new SqlError('duplicate_column', `column "${name}" specified more than once`);
    }
    seen.add(name);
  }
  if (collection) checkFields(context, statement.columns);
  const added = collection && !seen.has(ID) ? 1 : 0;
  const defined = statement.columns.map((definition, i) => {
    return defineColumn(context, definition, { table, schema, attribute: i + 1 + added });
  });
  if (!collection) return defined;
  if (added) return [{ column: idColumn(), sequence: null }, ...defined];
  return defined.map((entry) =>
    entry.column.name === ID ? { ...entry, column: checkId(entry.column) } : entry,
  );
}

function idColumn(): Column {
  return {
    attribute: 1,
    name: ID,
    type: typeOnly(OID.text),
    notNull: true,
    defaultText: null,
    identity: null,
    generatedText: null,
    undeclared: false,
    dropped: false,
  };
}

function checkId(column: Column): Column {
  if (column.type.oid !== OID.text && column.type.oid !== OID.varchar) {
    throw new SqlError(
      'datatype_mismatch',
      `column "_id" must be type text, not type ${formatType(column.type)}`,
    );
  }
  return { ...column, notNull: true };
}

interface Keys {
  readonly indexes: readonly Index[];
  readonly constraints: readonly Constraint[];
  /** Attributes of the primary key. */
  readonly primary: readonly number[];
}

interface Place {
  readonly columns: readonly Column[];
  readonly taken: Set<string>;
  readonly collection: boolean;
}

/** Every constraint with the index behind it; a collection's primary key is `_id`. */
function defineKeys(statement: CreateTable, context: BindContext, place: Place): Keys {
  const { columns, taken, collection } = place;
  const table = statement.name.name;
  const own = statement.columns.flatMap((definition) => {
    const column = columns.find((candidate) => candidate.name === definition.name) ?? null;
    return definition.constraints.map((constraint) => ({ constraint, own: column }));
  });
  const all = [...own, ...statement.constraints.map((constraint) => ({ constraint, own: null }))];
  const primaries = all.filter(({ constraint }) => constraint.kind === 'primary key');
  if (primaries.length > 1) {
    throw new SqlError(
      'invalid_table_definition',
      `multiple primary keys for table "${table}" are not allowed`,
      {
        position: primaries[1]?.constraint.at || undefined,
      },
    );
  }
  if (collection) checkCollectionKey(primaries[0]);
  const implied = collection && primaries.length === 0 ? [{ constraint: idKey(), own: null }] : [];
  const define = (rows: typeof all, indexes: readonly Index[]) =>
    rows.map(({ constraint, own: column }) => {
      return defineConstraint(context, constraint, { table, columns, own: column, taken, indexes });
    });
  const isForeign = ({ constraint }: (typeof all)[number]): boolean => constraint.kind === 'foreign key';
  const keys = define(
    [...implied, ...all].filter((row) => !isForeign(row)),
    [],
  );
  const indexes = keys.flatMap(({ index }) => index ?? []);
  const defined = [...keys, ...define(all.filter(isForeign), indexes)];
  return {
    indexes,
    constraints: defined.map(({ constraint }) => constraint),
    primary: indexes.find((index) => index.primary)?.columns ?? [],
  };
}

function checkCollectionKey(
  primary: { readonly constraint: TableConstraint; readonly own: Column | null } | undefined,
): void {
  if (!primary) return;
  if (primary.constraint.deferrable) throw notSupported('DEFERRABLE for the primary key of a collection');
  const names = primary.own ? [primary.own.name] : primary.constraint.columns;
  if (names.length === 1 && names[0] === ID) return;
  throw new SqlError('invalid_table_definition', 'the primary key of a collection is "_id"', {
    position: primary.constraint.at || undefined,
    hint: 'Declare other keys UNIQUE; or leave out "_id" and INDEX clauses for a plain table, and use CREATE INDEX.',
  });
}

function idKey(): TableConstraint {
  return {
    at: 0,
    kind: 'primary key',
    name: null,
    columns: [ID],
    check: null,
    references: null,
    nullsNotDistinct: false,
    usingIndex: null,
    deferrable: null,
  };
}

function defineIndexes(
  statement: CreateTable,
  columns: readonly Column[],
  taken: Set<string>,
): readonly Index[] {
  const table = statement.name.name;
  const byName = (name: string, at: number): Column => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column) return column;
    throw new SqlError('undefined_column', `column "${name}" named in index does not exist`, {
      position: at || undefined,
    });
  };
  const inline = statement.columns.flatMap((definition) => {
    return definition.indexes.map((clause) => ({ clause, names: [definition.name] }));
  });
  const whole = statement.indexes.map((clause) => ({ clause, names: clause.columns }));
  return [...inline, ...whole].map(({ clause, names }) => {
    const indexed = names.map((name) => byName(name, clause.at));
    const build = (): Index => clauseIndex(table, clause, { columns: indexed, taken });
    return checkedIndex(indexed, clause.clause.replace(/_index$/, ''), build);
  });
}

export function takenNames(context: BindContext, namespace: number, table: string): Set<string> {
  const taken = new Set([table]);
  for (const relation of context.catalog.relations.values()) {
    if (relation.namespace !== namespace) continue;
    taken.add(relation.name);
    for (const index of relation.indexes) taken.add(index.name);
  }
  return taken;
}

/** The schema that names of objects in this namespace need to be found; null for `public`. */
export function schemaToWrite(context: BindContext, namespace: number): string | null {
  if (namespace === NAMESPACE_OID.public) return null;
  return namespaceName(context.catalog, namespace) ?? ownTemporarySchema(context.searchPath) ?? null;
}
