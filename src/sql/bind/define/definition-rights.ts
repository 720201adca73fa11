/**
 * Rights that definitions need: what is made asks for CREATE where it goes, what is there for its owner. One thing to
 * know: the table is total by its type, so that no definition is without an entry. Source: the checks at the beginning
 * of PostgreSQL's commands/*.c.
 */
import { present } from '../../../assert.ts';
import { PRIVILEGE, type Privileges } from '../../../catalog/access/privileges.ts';
import { CLASS_OID, DATABASE_OID } from '../../../catalog/oids.ts';
import { findEnum } from '../../../catalog/enums.ts';
import { findIndex, type Constraint, type Relation } from '../../../catalog/model.ts';
import { isTemporarySchema } from '../../../catalog/temporary-names.ts';
import type { Right } from '../../../plan/right.ts';
import type { BoundStatement, CatalogEdit } from '../../../plan/statement.ts';
import type { QualifiedName, SessionStatement, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { creationPlace, findStored, findStoredIndex, storedRelation } from '../names.ts';
import type { namedFunction } from './create-function.ts';
import { knownFunction } from './drop-function.ts';
import { wholeName } from './enum-types.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;
type PlanKind = 'query' | 'insert' | 'update' | 'delete' | 'merge' | 'copy';
type DefinitionKind = Exclude<Statement['kind'], PlanKind | SessionStatement['kind']>;

interface Defined {
  readonly context: BindContext;
  readonly bound: BoundStatement;
}

/** Statements about roles, grants, owners and policies ask as they are bound: whose right counts depends on what they say. */
const askedAlready = (): readonly Right[] => [];

type Rule<K extends DefinitionKind> = (statement: Of<K>, defined: Defined) => readonly Right[];

/** @param statement one that has been bound: its names are there. */
export function definitionRights(
  statement: Exclude<Statement, Of<PlanKind>>,
  defined: Defined,
): readonly Right[] {
  const rule = (RULES as Readonly<Record<string, Rule<DefinitionKind> | undefined>>)[statement.kind];
  return present(rule, `rights of ${statement.kind}`)(statement as Of<DefinitionKind>, defined);
}

const RULES: { readonly [K in DefinitionKind]: Rule<K> } = {
  'create table': (statement, defined) => [
    ...placed(statement.name, statement.temporary, defined),
    ...statement.likes.map(({ relation }) => likeRight(storedRelation(defined.context, relation))),
    ...madeFrom(defined),
  ],
  'create table as': (statement, defined) => placed(statement.name, statement.temporary, defined),
  'create index': ({ relation: name }, { context }) => {
    const relation = storedRelation(context, name);
    return [owner(relation), onSchema(relation.namespace, PRIVILEGE.create)];
  },
  'alter table': ({ name }, defined) => {
    const relation = findStored(defined.context, name);
    if (relation) return [owner(relation), ...madeFrom(defined)];
    return findStoredIndex(defined.context, name) ? [ownerOfIndex(defined.context, name)] : [];
  },
  drop: (statement, { context }) => statement.names.flatMap((name) => dropRight(statement, name, context)),
  'create enum': (_, defined) => madeFrom(defined),
  'alter type': ({ name, change }, defined) => [
    ...(change.action === 'set owner' ? [] : typeOwner(defined.context, name)),
    ...madeFrom(defined),
  ],
  truncate: ({ names, restartIdentity }, { context, bound }) => [
    ...names.map((name) => onRelation(storedRelation(context, name), PRIVILEGE.truncate)),
    ...truncatedBeside(context, bound, restartIdentity),
  ],
  'create schema': () => [onDatabase(PRIVILEGE.create)],
  'create extension': ({ ifNotExists }) => (ifNotExists ? [] : [onDatabase(PRIVILEGE.create)]),
  'create view': (statement, defined) => [
    ...placed(statement.name, statement.temporary, defined),
    ...replaced(defined),
  ],
  'create function': ({ traits }, defined) => [
    { kind: 'language', oid: SQL_LANGUAGE_OID, privileges: PRIVILEGE.usage, as: null },
    ...madeFrom(defined),
    ...(traits.leakproof === true ? [superuser('function')] : []),
  ],
  'create policy': askedAlready,
  'alter policy': askedAlready,
  'rename policy': askedAlready,
  'drop policy': askedAlready,
  'alter owner': askedAlready,
  'create role': askedAlready,
  'alter role': askedAlready,
  'alter role setting': askedAlready,
  'rename role': askedAlready,
  'drop role': askedAlready,
  'grant role': askedAlready,
  grant: askedAlready,
  'alter default privileges': askedAlready,
  'reassign owned': askedAlready,
  'drop owned': askedAlready,
  'alter function': ({ function: name, change }, defined) => [
    // To whom it belongs already anybody may give it.
    ...(change.action === 'set owner' ? [] : functionOwner(defined.context, name, false)),
    ...(change.action === 'set schema' || change.action === 'rename' ? madeFrom(defined) : []),
    ...(change.action === 'set' && change.traits.leakproof === true ? [superuser('function')] : []),
  ],
  'drop function': ({ functions }, { context }) =>
    functions.flatMap((name) => functionOwner(context, name, true)),
  comment: (statement, { context, bound }) => commentRights(statement, context, bound),
  'create sequence': (statement, defined) => [
    ...placed(statement.name, statement.temporary, defined),
    ...ownersOfCounted(defined),
  ],
  'alter sequence': ({ name }, defined) => {
    const sequence = findStored(defined.context, name);
    return sequence ? [owner(sequence), ...ownersOfCounted(defined)] : [];
  },
  refresh: ({ name }, { context }) => [onRelation(storedRelation(context, name), PRIVILEGE.maintain)],
  unsupported: () => [superuser('database')],
};

const SQL_LANGUAGE_OID = 14;

// ───────────────────────────── single rights ─────────────────────────────

const kindOf = ({ kind }: Relation): 'sequence' | 'relation' => (kind === 'sequence' ? kind : 'relation');

const onRelation = (relation: Relation, privileges: Privileges): Right => ({
  kind: kindOf(relation),
  oid: relation.oid,
  privileges,
  as: null,
});

const onSchema = (oid: number, privileges: Privileges): Right => ({
  kind: 'schema',
  oid,
  privileges,
  as: null,
});

const onDatabase = (privileges: Privileges): Right => ({
  kind: 'database',
  oid: DATABASE_OID,
  privileges,
  as: null,
});

const owns = { privileges: 0, as: null, needs: 'owner' } as const;

const owner = (relation: Relation, called?: string): Right => ({
  ...owns,
  kind: kindOf(relation),
  oid: relation.oid,
  ...(called !== undefined && { called }),
});

const superuser = (kind: 'database' | 'function'): Right => ({
  kind,
  oid: DATABASE_OID,
  privileges: 0,
  as: null,
  needs: 'superuser',
});

function ownerOfIndex(context: BindContext, name: QualifiedName): Right {
  const index = present(findStoredIndex(context, name), 'an index');
  const { relation } = present(findIndex(context.catalog, index.oid), 'the relation of an index');
  return owner(relation, `index ${index.name}`);
}

function typeOwner({ catalog, searchPath }: BindContext, name: QualifiedName, orSchema = false): Right[] {
  const type = findEnum(catalog, name.schema, wholeName(name), searchPath);
  if (type === undefined) return [];
  return [{ ...owns, kind: 'type', oid: type.oid, ...(orSchema && { orOwnerOf: type.namespace }) }];
}

function functionOwner(
  context: BindContext,
  name: Parameters<typeof namedFunction>[1],
  orSchema: boolean,
): readonly Right[] {
  const found = knownFunction(context, name);
  if (found === undefined) return [];
  return [{ ...owns, kind: 'function', oid: found.oid, ...(orSchema && { orOwnerOf: found.namespace }) }];
}

// ───────────────────────────── what is made ─────────────────────────────

const editsOf = (bound: BoundStatement): readonly CatalogEdit[] =>
  bound.kind === 'catalog' ? bound.edits : [];

/** CREATE where it goes, also when it is there and passed over. */
function placed(name: QualifiedName, temporary: boolean, { context, bound }: Defined): readonly Right[] {
  const made = editsOf(bound).find((edit) => edit.edit === 'create relation');
  const { namespace } = made?.relation ?? creationPlace(context, name, temporary);
  return [createIn(context, namespace)];
}

function createIn({ catalog }: BindContext, namespace: number): Right {
  const name = catalog.namespaces.find(({ oid }) => oid === namespace)?.name;
  // A temporary schema may not be there yet.
  const isTemporary = name === undefined || isTemporarySchema(name);
  return isTemporary ? onDatabase(PRIVILEGE.temporary) : onSchema(namespace, PRIVILEGE.create);
}

/** Rights on what new objects go into, are made of, or refer to. */
function madeFrom({ context, bound }: Defined): readonly Right[] {
  return editsOf(bound).flatMap((edit): readonly Right[] => {
    switch (edit.edit) {
      case 'create relation':
        return [
          createIn(context, edit.relation.namespace),
          ...usedTypes(context, edit.relation.columns),
          ...referred(context, edit.relation.constraints),
        ];
      case 'add column':
        return usedTypes(context, [edit.column]);
      case 'add constraint':
        return referred(context, [edit.constraint]);
      case 'set namespace':
        return [createIn(context, edit.namespace)];
      case 'rename relation': {
        const relation = context.catalog.relations.get(edit.relation);
        return relation ? [createIn(context, relation.namespace)] : [];
      }
      case 'put enum':
        return [createIn(context, edit.type.namespace)];
      case 'put function':
        return [
          createIn(context, edit.function.namespace),
          ...(edit.function.oid === 0
            ? []
            : [{ ...owns, kind: 'function', oid: edit.function.oid } as const]),
          ...usedTypes(context, [...edit.function.arguments, { type: edit.function.returns }]),
        ];
      default:
        return [];
    }
  });
}

const usedTypes = (
  { catalog }: BindContext,
  columns: readonly { readonly type: { readonly oid: number } }[],
): readonly Right[] =>
  columns.flatMap(({ type: { oid } }): readonly Right[] =>
    catalog.enums.has(oid) ? [{ kind: 'type', oid, privileges: PRIVILEGE.usage, as: null }] : [],
  );

/** REFERENCES on the columns that a foreign key names; one of the relation itself is its owner's. */
const referred = ({ catalog }: BindContext, constraints: readonly Constraint[]): readonly Right[] =>
  constraints.flatMap(({ references }): readonly Right[] => {
    const parent = references && catalog.relations.get(references.relation);
    if (!references || !parent) return [];
    return [{ ...onRelation(parent, PRIVILEGE.references), columns: references.columns }];
  });

const likeRight = (source: Relation): Right => onRelation(source, PRIVILEGE.select);

/** The view that OR REPLACE replaces. */
function replaced({ context, bound }: Defined): readonly Right[] {
  return editsOf(bound).flatMap((edit): readonly Right[] => {
    if (edit.edit !== 'rewrite relation') return [];
    const known = context.catalog.relations.get(edit.relation.oid);
    return known ? [owner(known)] : [];
  });
}

/** Tables whose columns a sequence goes with. */
function ownersOfCounted({ context, bound }: Defined): readonly Right[] {
  return editsOf(bound).flatMap((edit): readonly Right[] => {
    if (edit.edit !== 'create relation' && edit.edit !== 'rewrite relation') return [];
    const counted = context.catalog.relations.get(edit.relation.sequence?.owner?.relation ?? 0);
    return counted ? [owner(counted)] : [];
  });
}

// ───────────────────────────── what goes ─────────────────────────────

function dropRight({ object }: Of<'drop'>, name: QualifiedName, context: BindContext): readonly Right[] {
  switch (object) {
    case 'schema': {
      const schema = context.catalog.namespaces.find((candidate) => candidate.name === name.name);
      return schema ? [{ ...owns, kind: 'schema', oid: schema.oid }] : [];
    }
    case 'index':
      return findStoredIndex(context, name) ? [ownerOfIndex(context, name)] : [];
    case 'type':
      return typeOwner(context, name, true);
    case 'extension':
      return [superuser('database')];
    default: {
      const relation = findStored(context, name);
      return relation ? [{ ...owner(relation), orOwnerOf: relation.namespace }] : [];
    }
  }
}

/** Tables that CASCADE empties, too, and sequences that begin anew. */
function truncatedBeside(context: BindContext, bound: BoundStatement, restarts: boolean): readonly Right[] {
  if (bound.kind !== 'truncate') return [];
  const { relations } = context.catalog;
  const tables = bound.relations.flatMap((oid) => relations.get(oid) ?? []);
  const sequences = (restarts ? (bound.sequences ?? []) : []).flatMap((oid) => relations.get(oid) ?? []);
  return [
    ...tables.map((relation) => onRelation(relation, PRIVILEGE.truncate)),
    ...sequences.map((sequence) => owner(sequence)),
  ];
}

// ───────────────────────────── comments ─────────────────────────────

function commentRights(
  { object }: Of<'comment'>,
  { catalog }: BindContext,
  bound: BoundStatement,
): readonly Right[] {
  const edit = editsOf(bound).find((candidate) => candidate.edit === 'comment');
  if (edit === undefined) return [superuser('database')];
  const { classOid, oid } = edit;
  switch (classOid) {
    case CLASS_OID.pg_namespace:
      return [{ ...owns, kind: 'schema', oid }];
    case CLASS_OID.pg_type:
      return [{ ...owns, kind: 'type', oid }];
    case CLASS_OID.pg_database:
      return [{ ...owns, kind: 'database', oid }];
    case CLASS_OID.pg_constraint:
    case CLASS_OID.pg_policy: {
      const holds = ({ constraints, policies = [] }: Relation): boolean =>
        [...constraints, ...policies].some((one) => one.oid === oid);
      const relation = [...catalog.relations.values()].find(holds);
      return relation ? [owner(relation, `relation ${relation.name}`)] : [superuser('database')];
    }
    default: {
      const relation = catalog.relations.get(oid);
      if (relation) return [owner(relation, object === 'column' ? `relation ${relation.name}` : undefined)];
      const found = findIndex(catalog, oid);
      return found ? [owner(found.relation, `index ${found.index.name}`)] : [superuser('database')];
    }
  }
}
