/**
 * Changes of the catalog as pure functions: an old version and an edit give a new version. New objects come
 * with OID 0 and are numbered here, relation first, then its indexes, then its constraints.
 */
import { assert, present, unreachable } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { COLUMNS_COUNT_MAX } from '../../limits.ts';
import { type AccessEdit, changeAccess, ownedNamespace, isAccessEdit, withoutLostAccess } from './access.ts';
import { changeEnum, type EnumEdit, requireFreeRowType } from './enums.ts';
import { promoteIndex } from './embedding.ts';
import { changeFunction, type FunctionEdit } from './functions.ts';
import { functionSignature } from '../functions.ts';
import { changeOptions, isOptionsEdit, type RelationOptionsEdit } from './relation-options.ts';
import { changePolicy, isPolicyEdit, type PolicyEdit } from './policies.ts';
import type {
  Catalog,
  Column,
  Comment,
  Constraint,
  Dataset,
  Index,
  Namespace,
  Relation,
  SequenceDefinition,
} from '../model.ts';
import { columnByAttribute, FIRST_USER_OID, liveColumns } from '../model.ts';
import { CLASS_OID, NAMESPACE_OID } from '../oids.ts';
import { definitionOf } from '../sequences.ts';
import { temporaryNamespaceOid } from '../temporary-names.ts';

/** A change of the catalog. New objects have OID 0; `applyEdit` numbers them. */
export type CatalogEdit =
  | FunctionEdit
  | EnumEdit
  | AccessEdit
  | PolicyEdit
  | RelationOptionsEdit
  | {
      readonly edit: 'create relation';
      readonly relation: Relation;
      /** Sequences that columns of the new relation own, by attribute number. */
      readonly sequences?: readonly OwnedSequence[];
    }
  | { readonly edit: 'alter sequence'; readonly relation: number; readonly sequence: SequenceDefinition }
  | { readonly edit: 'drop relation'; readonly relation: number }
  /** Other texts in it, no other rows: a view's query, a CHECK's expression. */
  | { readonly edit: 'rewrite relation'; readonly relation: Relation }
  | { readonly edit: 'rename relation'; readonly relation: number; readonly name: string }
  | { readonly edit: 'set namespace'; readonly relation: number; readonly namespace: number }
  /** Absent: it belongs to whoever makes it. */
  | { readonly edit: 'create namespace'; readonly name: string; readonly owner?: number }
  | { readonly edit: 'create temporary namespace'; readonly name: string }
  | { readonly edit: 'drop namespace'; readonly namespace: number }
  | { readonly edit: 'put dataset'; readonly namespace: string; readonly dataset: Dataset }
  | { readonly edit: 'add column'; readonly relation: number; readonly column: Column }
  | { readonly edit: 'alter column'; readonly relation: number; readonly column: Column }
  | { readonly edit: 'drop column'; readonly relation: number; readonly attribute: number }
  | { readonly edit: 'add index'; readonly relation: number; readonly index: Index }
  /** A semantic index that stood by answers from now on. */
  | { readonly edit: 'promote index'; readonly relation: number; readonly index: number }
  | { readonly edit: 'drop index'; readonly relation: number; readonly index: number }
  | {
      readonly edit: 'add constraint';
      readonly relation: number;
      readonly constraint: Constraint;
      /** NOT VALID: rows that are there already are not looked at. */
      readonly notValid?: boolean;
    }
  | { readonly edit: 'drop constraint'; readonly relation: number; readonly constraint: number }
  | {
      readonly edit: 'comment';
      readonly classOid: number;
      readonly oid: number;
      readonly column: number;
      readonly text: string | null;
    };

/** Catalog of a new database: the schemas, no relations. */
export function emptyCatalog(): Catalog {
  const namespaces: Namespace[] = [
    { oid: NAMESPACE_OID.pg_catalog, name: 'pg_catalog' },
    { oid: NAMESPACE_OID.public, name: 'public' },
    { oid: NAMESPACE_OID.information_schema, name: 'information_schema' },
    { oid: NAMESPACE_OID.quern, name: 'quern' },
  ];
  return {
    version: 1,
    nextOid: FIRST_USER_OID,
    namespaces,
    relations: new Map(),
    functions: new Map(),
    enums: new Map(),
    comments: [],
    roles: new Map(),
    memberships: [],
    access: new Map(),
    defaultAccess: [],
  };
}

/**
 * The catalog after an edit.
 * @throws SqlError 42P07, 42701, 42710, 42P06, 2BP01, 54011 in PostgreSQL's words. The edit's OIDs and
 *   attribute numbers must exist: binding has looked them up.
 */
export function applyEdit(catalog: Catalog, edit: CatalogEdit): Catalog {
  const changed = withoutLostAccess(change(catalog, edit));
  return { ...changed, version: catalog.version + 1 };
}

function change(catalog: Catalog, edit: CatalogEdit): Catalog {
  if (isAccessEdit(edit)) return changeAccess(catalog, edit);
  if (isOptionsEdit(edit)) return changeOptions(catalog, relationOf(catalog, edit.relation), edit);
  if (isPolicyEdit(edit)) return changePolicy(catalog, relationOf(catalog, edit.relation), edit);
  switch (edit.edit) {
    case 'create relation':
      return createWithSequences(catalog, edit);
    case 'rewrite relation':
      return withRelation(catalog, edit.relation);
    case 'alter sequence': {
      const relation = relationOf(catalog, edit.relation);
      return withRelation(catalog, { ...relation, sequence: edit.sequence });
    }
    case 'drop relation':
      return dropRelation(catalog, edit.relation);
    case 'rename relation':
      return renameRelation(catalog, edit.relation, edit.name);
    case 'set namespace': {
      const relation = relationOf(catalog, edit.relation);
      if (relation.namespace === edit.namespace) return catalog;
      requireFreeName(catalog, edit.namespace, relation.name);
      return withRelation(catalog, { ...relation, namespace: edit.namespace });
    }
    case 'create namespace':
      return ownedNamespace(createNamespace(catalog, edit.name), catalog.nextOid, edit.owner);
    case 'create temporary namespace':
      return createTemporaryNamespace(catalog, edit.name);
    case 'drop namespace':
      return dropNamespace(catalog, edit.namespace);
    case 'put dataset':
      return putDataset(catalog, edit.namespace, edit.dataset);
    case 'add column':
      return addColumn(catalog, edit.relation, edit.column);
    case 'alter column':
      return alterColumn(catalog, edit.relation, edit.column);
    case 'drop column':
      return dropColumn(catalog, edit.relation, edit.attribute);
    case 'add index':
      return addIndex(catalog, edit.relation, edit.index);
    case 'promote index':
      return withRelation(catalog, promoteIndex(catalog, relationOf(catalog, edit.relation), edit.index));
    case 'drop index':
      return dropIndex(catalog, edit.relation, edit.index);
    case 'add constraint':
      return addConstraint(catalog, edit.relation, edit.constraint);
    case 'drop constraint':
      return dropConstraint(catalog, edit.relation, edit.constraint);
    case 'put function':
    case 'drop function':
      return changeFunction(catalog, edit);
    case 'put enum':
    case 'drop enum':
      return changeEnum(catalog, edit);
    case 'comment':
      return setComment(catalog, edit);
    default:
      return unreachable(edit);
  }
}

export interface OwnedSequence {
  readonly attribute: number;
  readonly sequence: Relation;
}

const relationOf = (catalog: Catalog, oid: number): Relation =>
  present(catalog.relations.get(oid), `relation ${oid}`);

function withRelation(catalog: Catalog, relation: Relation): Catalog {
  const relations = new Map(catalog.relations);
  relations.set(relation.oid, relation);
  return { ...catalog, relations };
}

const withoutComments = (catalog: Catalog, gone: (comment: Comment) => boolean): readonly Comment[] =>
  catalog.comments.some(gone) ? catalog.comments.filter((comment) => !gone(comment)) : catalog.comments;

/** Relations and indexes share one space of names per schema. */
function requireFreeName(catalog: Catalog, namespace: number, name: string): void {
  for (const relation of catalog.relations.values()) {
    if (relation.namespace !== namespace) continue;
    if (relation.name === name || relation.indexes.some((index) => index.name === name)) {
      throw new SqlError('duplicate_table', `relation "${name}" already exists`);
    }
  }
}

// ───────────────────────────── relations ─────────────────────────────

function createWithSequences(
  catalog: Catalog,
  edit: Extract<CatalogEdit, { edit: 'create relation' }>,
): Catalog {
  const owner = catalog.nextOid;
  return (edit.sequences ?? []).reduce(
    (made, { attribute, sequence }) =>
      createRelation(made, {
        ...sequence,
        sequence: { ...definitionOf(sequence), owner: { relation: owner, attribute } },
      }),
    createRelation(catalog, edit.relation),
  );
}

function createRelation(catalog: Catalog, relation: Relation): Catalog {
  requireFreeName(catalog, relation.namespace, relation.name);
  requireFreeRowType(catalog, relation);
  const names = new Set<string>();
  for (const column of relation.columns) {
    if (names.has(column.name)) throw duplicateInDefinition(column.name);
    names.add(column.name);
  }
  requireColumnCount(relation.columns.length);
  let nextOid = catalog.nextOid;
  const oid = nextOid++;
  const indexes = relation.indexes.map((index) => {
    requireFreeName(catalog, relation.namespace, index.name);
    return { ...index, oid: nextOid++ };
  });
  requireDistinctNames([relation.name, ...indexes.map((index) => index.name)]);
  const constraints = relation.constraints.map((constraint) => ({
    ...constraint,
    oid: nextOid++,
    index: backingIndex(constraint, relation.indexes, indexes),
    ...(constraint.references && {
      references: { ...constraint.references, relation: constraint.references.relation || oid },
    }),
  }));
  return withRelation({ ...catalog, nextOid }, { ...relation, oid, indexes, constraints });
}

const duplicateInDefinition = (name: string): SqlError =>
  new SqlError('duplicate_column', `column "${name}" specified more than once`);

function requireDistinctNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SqlError('duplicate_table', `relation "${twice}" already exists`);
}

function requireColumnCount(count: number): void {
  if (count > COLUMNS_COUNT_MAX) {
    throw new SqlError('too_many_columns', `tables can have at most ${COLUMNS_COUNT_MAX} columns`);
  }
}

/** The unique index of the same name backs a primary key or unique constraint. */
function backingIndex(constraint: Constraint, before: readonly Index[], after: readonly Index[]): number {
  if (constraint.kind !== 'primary key' && constraint.kind !== 'unique') return 0;
  const at = before.findIndex((index) => index.unique && index.name === constraint.name);
  return after[at]?.oid ?? constraint.index;
}

function dropRelation(catalog: Catalog, oid: number): Catalog {
  const relation = relationOf(catalog, oid);
  const relations = new Map(catalog.relations);
  relations.delete(oid);
  const gone = new Set([oid, ...relation.indexes.map((index) => index.oid)]);
  const comments = withoutComments(
    catalog,
    (comment) => comment.classOid === CLASS_OID.pg_class && gone.has(comment.oid),
  );
  return { ...catalog, relations, comments };
}

function renameRelation(catalog: Catalog, oid: number, name: string): Catalog {
  const relation = catalog.relations.get(oid);
  if (relation !== undefined) {
    requireFreeName(catalog, relation.namespace, name);
    return withRelation(catalog, { ...relation, name });
  }
  for (const owner of catalog.relations.values()) {
    const index = owner.indexes.find((candidate) => candidate.oid === oid);
    if (index === undefined) continue;
    requireFreeName(catalog, owner.namespace, name);
    const indexes = owner.indexes.map((other) => (other === index ? { ...index, name } : other));
    const constraints = owner.constraints.map((constraint) =>
      constraint.index === oid ? { ...constraint, name } : constraint,
    );
    return withRelation(catalog, { ...owner, indexes, constraints });
  }
  assert(false, `relation or index ${oid} exists`);
}

// ───────────────────────────── namespaces ─────────────────────────────

function createNamespace(catalog: Catalog, name: string): Catalog {
  if (catalog.namespaces.some((namespace) => namespace.name === name)) {
    throw new SqlError('duplicate_schema', `schema "${name}" already exists`);
  }
  if (name.startsWith('pg_')) {
    throw new SqlError('reserved_name', `unacceptable schema name "${name}"`, {
      detail: 'The prefix "pg_" is reserved for system schemas.',
    });
  }
  const namespaces = [...catalog.namespaces, { oid: catalog.nextOid, name }];
  return { ...catalog, namespaces, nextOid: catalog.nextOid + 1 };
}

function createTemporaryNamespace(catalog: Catalog, name: string): Catalog {
  if (catalog.namespaces.some((namespace) => namespace.name === name)) return catalog;
  return { ...catalog, namespaces: [...catalog.namespaces, { oid: temporaryNamespaceOid(name), name }] };
}

function putDataset(catalog: Catalog, name: string, dataset: Dataset): Catalog {
  assert(
    catalog.namespaces.some((namespace) => namespace.name === name),
    `schema ${name}`,
  );
  const namespaces = catalog.namespaces.map((namespace) =>
    namespace.name === name ? { ...namespace, dataset } : namespace,
  );
  return { ...catalog, namespaces };
}

function dropNamespace(catalog: Catalog, oid: number): Catalog {
  const namespace = present(
    catalog.namespaces.find((candidate) => candidate.oid === oid),
    `namespace ${oid}`,
  );
  const held = ({ namespace: holder }: { readonly namespace: number }): boolean => holder === oid;
  const table = [...catalog.relations.values()].find(held);
  const called = [...catalog.functions.values()].find(held);
  const type = [...catalog.enums.values()].find(held);
  const inside = table
    ? `table ${namespace.name}.${table.name}`
    : called
      ? `function ${namespace.name}.${functionSignature({ catalog, searchPath: ['public'] }, called)}`
      : type && `type ${namespace.name}.${type.name}`;
  if (inside !== undefined) {
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop schema ${namespace.name} because other objects depend on it`,
      {
        detail: `${inside} depends on schema ${namespace.name}`,
        hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
      },
    );
  }
  return {
    ...catalog,
    namespaces: catalog.namespaces.filter((candidate) => candidate.oid !== oid),
    comments: withoutComments(
      catalog,
      (comment) => comment.classOid === CLASS_OID.pg_namespace && comment.oid === oid,
    ),
  };
}

// ───────────────────────────── columns ─────────────────────────────

/** Attribute 0 takes the next number; numbers of dropped columns are never used again. */
function addColumn(catalog: Catalog, oid: number, column: Column): Catalog {
  const relation = relationOf(catalog, oid);
  requireFreeColumn(relation, column.name);
  requireColumnCount(liveColumns(relation).length + 1);
  const last = relation.columns.at(-1)?.attribute ?? 0;
  const attribute = column.attribute === 0 ? last + 1 : column.attribute;
  assert(attribute > last, 'attribute numbers are never reused');
  return withRelation(catalog, { ...relation, columns: [...relation.columns, { ...column, attribute }] });
}

function requireFreeColumn(relation: Relation, name: string): void {
  if (liveColumns(relation).some((column) => column.name === name)) {
    throw new SqlError('duplicate_column', `column "${name}" of relation "${relation.name}" already exists`);
  }
}

function alterColumn(catalog: Catalog, oid: number, column: Column): Catalog {
  const relation = relationOf(catalog, oid);
  const old = present(columnByAttribute(relation, column.attribute), `attribute ${column.attribute}`);
  if (old.name !== column.name) requireFreeColumn(relation, column.name);
  const columns = relation.columns.map((other) => (other === old ? column : other));
  return withRelation(catalog, { ...relation, columns });
}

/** Indexes and constraints on the column go with it. */
function dropColumn(catalog: Catalog, oid: number, attribute: number): Catalog {
  const relation = relationOf(catalog, oid);
  const old = present(columnByAttribute(relation, attribute), `attribute ${attribute}`);
  const columns = relation.columns.map((other) => (other === old ? { ...old, dropped: true } : other));
  const comments = withoutComments(
    catalog,
    (comment) =>
      comment.classOid === CLASS_OID.pg_class && comment.oid === oid && comment.column === attribute,
  );
  const constraints = relation.constraints.filter((constraint) => !constraint.columns.includes(attribute));
  const left = withoutIndexes({ ...relation, columns }, ({ columns: own, shape }) =>
    [...own, ...(shape?.reads ?? []), ...(shape?.included ?? [])].includes(attribute),
  );
  return withRelation({ ...catalog, comments }, { ...left, constraints });
}

// ───────────────────────────── indexes, constraints, comments ─────────────────────────────

function addIndex(catalog: Catalog, oid: number, index: Index): Catalog {
  const relation = relationOf(catalog, oid);
  requireFreeName(catalog, relation.namespace, index.name);
  const indexes = [...relation.indexes, { ...index, oid: catalog.nextOid }];
  return withRelation({ ...catalog, nextOid: catalog.nextOid + 1 }, { ...relation, indexes });
}

function dropIndex(catalog: Catalog, oid: number, index: number): Catalog {
  const relation = relationOf(catalog, oid);
  const owner = relation.constraints.find((constraint) => constraint.index === index);
  if (owner !== undefined) {
    const name = present(
      relation.indexes.find((candidate) => candidate.oid === index),
      `index ${index}`,
    ).name;
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop index ${name} because constraint ${owner.name} on table ${relation.name} requires it`,
      { hint: `You can drop constraint ${owner.name} on table ${relation.name} instead.` },
    );
  }
  return withRelation(
    catalog,
    withoutIndexes(relation, ({ oid: own, standby }) => own === index || standby?.of === index),
  );
}

/** The relation without some indexes; columns that only they read go with them. */
function withoutIndexes(relation: Relation, gone: (index: Index) => boolean): Relation {
  const indexes = relation.indexes.filter((index) => !gone(index));
  const kept = new Set(indexes.flatMap(({ columns }) => columns));
  const columns = relation.columns.map((column) =>
    column.hidden && !kept.has(column.attribute) ? { ...column, dropped: true } : column,
  );
  return { ...relation, columns, indexes };
}

function addConstraint(catalog: Catalog, oid: number, constraint: Constraint): Catalog {
  const relation = relationOf(catalog, oid);
  if (relation.constraints.some((other) => other.name === constraint.name)) {
    throw new SqlError(
      'duplicate_object',
      `constraint "${constraint.name}" for relation "${relation.name}" already exists`,
    );
  }
  const index = backingIndex(constraint, relation.indexes, relation.indexes);
  const constraints = [...relation.constraints, { ...constraint, index, oid: catalog.nextOid }];
  return withRelation({ ...catalog, nextOid: catalog.nextOid + 1 }, { ...relation, constraints });
}

/** The index behind a primary key or unique constraint goes with it. */
function dropConstraint(catalog: Catalog, oid: number, constraint: number): Catalog {
  const relation = relationOf(catalog, oid);
  const old = present(
    relation.constraints.find((candidate) => candidate.oid === constraint),
    `constraint ${constraint}`,
  );
  return withRelation(catalog, {
    ...relation,
    constraints: relation.constraints.filter((candidate) => candidate !== old),
    indexes: relation.indexes.filter((index) => old.index === 0 || index.oid !== old.index),
  });
}

function setComment(catalog: Catalog, edit: Extract<CatalogEdit, { edit: 'comment' }>): Catalog {
  const { classOid, oid, column, text } = edit;
  const others = catalog.comments.filter(
    (comment) => comment.classOid !== classOid || comment.oid !== oid || comment.column !== column,
  );
  const comments = text === null || text === '' ? others : [...others, { classOid, oid, column, text }];
  return { ...catalog, comments };
}
