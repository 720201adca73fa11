/** Names of things in the catalog: types, stored and system relations, collations. */
import { nearestName } from '../../functions/suggest.ts';
import type { CatalogEdit } from '../../catalog/edit/edit.ts';
import { findEnum } from '../../catalog/enums.ts';
import { mayUse, schemaDenied } from '../../catalog/access/visible-path.ts';
import { findNamespace, findRelation, schemaMeant } from '../../catalog/lookup.ts';
import type { Catalog, Index, Relation } from '../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { isTemporary } from '../../catalog/temporary.ts';
import {
  isTemporarySchema,
  ownTemporarySchema,
  temporaryNamespaceOid,
} from '../../catalog/temporary-names.ts';
import { notSupported, SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { arrayOf, findType, findTypeByOid } from '../../types/registry.ts';
import type { SqlType, TypeRef } from '../../types/type.ts';
import type { QualifiedName, TypeName } from '../ast.ts';
import { typeOnly } from './state.ts';

interface Names {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  /** Who names things; absent: the owner, who may use all schemas. */
  readonly role?: number;
}

/** Other databases' names of types that there are. */
const COMMON_NAMES: ReadonlyMap<string, string> = new Map([
  ['double', 'float8'],
  ['string', 'text'],
  ['datetime', 'timestamp'],
]);

const MULTIRANGE = /^(int4|int8|num|date|ts|tstz)multirange$/;

/** @throws SqlError 42704 for a name that is no type, 22023 for a modifier out of range. */
export function typeOf(names: Names, name: TypeName): TypeRef {
  const last = name.names[name.names.length - 1] ?? '';
  const type = namedType(names, name.names.at(-2) ?? null, last);
  if (!type) {
    if (MULTIRANGE.test(last)) throw notSupported('multirange types', { position: name.at || undefined });
    throw new SqlError('undefined_object', `type "${name.names.join('.')}" does not exist`, {
      position: name.at || undefined,
    });
  }
  if (name.setOf) throw notSupported('SETOF', { position: name.at });
  let modifier = -1;
  if (name.modifiers.length > 0) {
    if (!type.packModifier) {
      throw new SqlError('syntax_error', `type modifier is not allowed for type "${last}"`, {
        position: name.at || undefined,
      });
    }
    modifier = type.packModifier(name.modifiers);
  }
  if (type.oid === OID.bpchar && name.modifiers.length === 0 && last === 'char') {
    modifier = type.packModifier?.([1]) ?? -1;
  }
  if (name.dimensions === 0) return { oid: type.oid, modifier };
  const array = arrayOf(type.oid);
  if (!array) return typeOnly(type.oid);
  return { oid: array.oid, modifier };
}

/** In a user's schema that is named, or else built in, or else along the search path. */
export function namedType(names: Names, schema: string | null, name: string): SqlType | undefined {
  const inSchema = schema === null || isSystemSchema(schema) ? undefined : enumNamed(names, schema, name);
  return (
    inSchema ??
    findType(name.toLowerCase()) ??
    (schema === null ? enumNamed(names, null, name) : undefined) ??
    findType(COMMON_NAMES.get(name.toLowerCase()) ?? '')
  );
}

function enumNamed(names: Names, schema: string | null, name: string): SqlType | undefined {
  const { catalog, searchPath } = names;
  requireUsage(names, schema, 0);
  const found = findEnum(catalog, schema, name, searchPath);
  return found && findTypeByOid(found.oid);
}

/** A partition's name is that of its collection and its own. */
export const writtenName = ({ name, partition }: QualifiedName): string =>
  partition === null ? name : `${name}$${partition}`;

export function relationNotFound(names: Names, name: QualifiedName): SqlError {
  const written = name.schema ? `${name.schema}.${name.name}` : name.name;
  if (name.schema && !schemaExists(names.catalog, name.schema)) {
    return new SqlError('undefined_table', `relation "${written}" does not exist`, { position: name.at });
  }
  const known = [...names.catalog.relations.values()].map((relation) => relation.name);
  const near = nearestName(name.name, known, { changesMin: 1, ignoreCase: true });
  return new SqlError('undefined_table', `relation "${written}" does not exist`, {
    position: name.at || undefined,
    hint: near === undefined ? undefined : `Perhaps you meant "${near}".`,
  });
}

const SYSTEM_SCHEMAS = new Set(['pg_catalog', 'information_schema', 'quern']);

function schemaExists(catalog: Catalog, schema: string): boolean {
  return SYSTEM_SCHEMAS.has(schema) || catalog.namespaces.some((namespace) => namespace.name === schema);
}

export function isSystemSchema(schema: string | null): boolean {
  return schema !== null && SYSTEM_SCHEMAS.has(schema);
}

/** A stored relation. @throws SqlError 42P01. */
export function storedRelation(names: Names, name: QualifiedName): Relation {
  const relation = findStored(names, name);
  if (!relation) throw relationNotFound(names, name);
  return relation;
}

export function findStored(names: Names, name: QualifiedName): Relation | undefined {
  requireUsage(names, name.schema, name.at);
  return findRelation(names.catalog, name.schema, name.name, names.searchPath);
}

/** The relation that a new one of its name would meet: CREATE on the schema is asked for, not USAGE. */
export const findExisting = (names: Names, name: QualifiedName): Relation | undefined =>
  findRelation(names.catalog, name.schema, name.name, names.searchPath);

/** @throws SqlError 42501 where a schema that is named may not be used. */
export function requireUsage({ catalog, searchPath, role }: Names, schema: string | null, at: number): void {
  if (role === undefined || schema === null) return;
  const meant = schemaMeant(schema, searchPath);
  if (meant === ownTemporarySchema(searchPath) || mayUse(catalog, role, meant)) return;
  throw schemaDenied(schema, at || undefined);
}

/** Where the names of a view's query are looked up: in one that stays no name means a temporary relation. */
export function viewContext<T extends Names>(names: T, view: Relation): T {
  if (isTemporary(names.catalog, view)) return { ...names, role: OWNER_ROLE_OID };
  return {
    ...names,
    role: OWNER_ROLE_OID,
    searchPath: names.searchPath.filter((name) => !isTemporarySchema(name)),
  };
}

/** An index by its name, in the schema given or those of the search path. */
export function findStoredIndex(names: Names, name: QualifiedName): Index | undefined {
  requireUsage(names, name.schema, name.at);
  const schemas = name.schema === null ? names.searchPath : [name.schema];
  for (const schema of schemas) {
    const namespace = names.catalog.namespaces.find((candidate) => candidate.name === schema)?.oid;
    for (const relation of names.catalog.relations.values()) {
      const index = relation.indexes.find((candidate) => candidate.name === name.name);
      if (index && relation.namespace === namespace) return index;
    }
  }
  return undefined;
}

/** A relation rows can be written to. @throws SqlError 42P01, 42809. */
export function writableRelation(names: Names, name: QualifiedName): Relation {
  const relation = storedRelation(names, name);
  if (relation.kind !== 'table' && relation.kind !== 'collection') {
    throw new SqlError('wrong_object_type', `cannot change ${relation.kind} "${relation.name}"`, {
      position: name.at || undefined,
    });
  }
  if (name.partition !== null && relation.kind !== 'collection') {
    throw new SqlError('wrong_object_type', `table "${relation.name}" is not a collection`, {
      position: name.at || undefined,
      hint: 'Only collections have partitions.',
    });
  }
  return relation;
}

/** Where a new relation goes, with the edit that makes the place. */
export interface CreationPlace {
  readonly namespace: number;
  readonly edits: readonly CatalogEdit[];
}

/** @throws SqlError 3F000, 42P16. */
export function creationPlace(names: Names, name: QualifiedName, temporary: boolean): CreationPlace {
  const own = ownTemporarySchema(names.searchPath);
  const schema = name.schema === null ? null : schemaMeant(name.schema, names.searchPath);
  if (own === undefined || (schema === null ? !temporary : schema !== own)) {
    if (temporary) {
      const message = 'cannot create temporary relation in non-temporary schema';
      throw new SqlError('invalid_table_definition', message, { position: name.at || undefined });
    }
    return { namespace: creationNamespace(names, schema, name.at), edits: [] };
  }
  const isThere = names.catalog.namespaces.some((namespace) => namespace.name === own);
  return {
    namespace: temporaryNamespaceOid(own),
    edits: isThere ? [] : [{ edit: 'create temporary namespace', name: own }],
  };
}

/** The namespace where a relation goes that is to stay. @throws SqlError 3F000. */
export function creationNamespace(names: Names, schema: string | null, at: number): number {
  const wanted = schema ?? names.searchPath.find((name) => !isSystemSchema(name) && !isTemporarySchema(name));
  // In schema quern only the server creates: the session refuses others.
  if (wanted !== 'quern' && isSystemSchema(wanted ?? null)) {
    throw new SqlError('insufficient_privilege', `permission denied to create in schema "${wanted}"`, {
      position: at,
    });
  }
  const found = names.catalog.namespaces.find((namespace) => namespace.name === wanted);
  if (found) return found.oid;
  if (schema === null) {
    throw new SqlError('invalid_schema_name', 'no schema has been selected to create in', { position: at });
  }
  throw new SqlError('invalid_schema_name', `schema "${schema}" does not exist`, { position: at });
}

/** @throws SqlError 3F000. */
export function schemaOid({ catalog }: Pick<Names, 'catalog'>, name: string): number {
  const found = findNamespace(catalog, name);
  if (found === undefined) throw new SqlError('invalid_schema_name', `schema "${name}" does not exist`);
  return found.oid;
}

const COLLATIONS = new Set([
  'default',
  'C',
  'POSIX',
  'ucs_basic',
  'unicode',
  'C.utf8',
  'C.UTF-8',
  'pg_c_utf8',
]);

/** @throws SqlError 42704 for a collation Quern has not. */
export function checkCollation(name: readonly string[], at: number): void {
  const last = name[name.length - 1] ?? '';
  if (COLLATIONS.has(last) && (name.length === 1 || name[0] === 'pg_catalog')) return;
  throw new SqlError('undefined_object', `collation "${last}" for encoding "UTF8" does not exist`, {
    position: at,
  });
}
