/**
 * Catalog services for functions and type codecs: names to OIDs and back, and definitions as SQL text.
 */
import {
  type CatalogServices,
  EVENT,
  NO_REFERENCES,
  NOT_UPDATABLE,
  type References,
  type Updatability,
} from '../functions/function.ts';
import { SqlError } from '../errors.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import { arrayOf, findType } from '../types/registry.ts';
import { textSearchConfig } from '../language/text-search-configs.ts';
import type { ObjectKind, ObjectNames } from '../types/type.ts';
import { constraintDefinition, elementText, indexDefinition } from './definitions.ts';
import { enumByOid, enumValuesOf, findEnum, typeName } from './enums.ts';
import { functionArguments, functionDefinition, functionResult, sqlBody } from './functions.ts';
import {
  type Catalog,
  columnByAttribute,
  findIndex,
  indexShape,
  liveColumns,
  type Namespace,
  type Relation,
  type SqlFunction,
} from './model.ts';
import { effectivePath, findNamespace, namespaceName, schemaMeant } from './lookup.ts';
import { accessServices } from './access/services.ts';
import { mayUse, schemaDenied } from './access/visible-path.ts';
import { roleByName, roleByOid } from './access/roles.ts';
import { CLASS_OID, DATABASE_OID } from './oids.ts';
import { isTemporarySchema } from './temporary-names.ts';
import {
  functionArgumentsByOid,
  functionNameByOid,
  functionOidByName,
  functionResultByOid,
} from './system/function-oids.ts';
import { sqlFunctionName, sqlFunctionOid } from './function-names.ts';
import { ownComment } from './system/own-comments.ts';
import { SYSTEM_TABLES } from './system/columns/tables.ts';

interface NamedRelation {
  readonly oid: number;
  readonly namespace: number;
  readonly name: string;
}

export interface ServiceOptions {
  /** Bytes a relation takes; null for one that is not there. */
  relationBytes?(oid: number): bigint | null;
  /** The size of all that is stored. */
  databaseBytes?(): bigint;
  /** Who asks: names in a schema that the role may not use are refused. Absent: whoever asks may. */
  readonly role?: number;
  /** Absent: definitions are shown as they are stored. */
  readonly texts?: DefinitionTexts;
}

/** Definitions as SQL text: the binder gives them, `sql/deparse/` writes them out. */
export interface DefinitionTexts {
  view(relation: Relation, options: TextOptions): string;
  expression(relation: Relation | null, stored: string, options: TextOptions): string;
  updatability(view: Relation): Updatability;
  viewReferences(view: Relation): References;
  expressionReferences(stored: string): References;
  functionReferences(definition: SqlFunction): References;
}

export interface TextOptions {
  /** As few brackets as can be. */
  readonly pretty: boolean;
  /** Columns after which a list goes on in a new line; 0 puts every entry on its own. */
  readonly wrap: number;
}

/** Inputs of the services. */
interface Source {
  readonly catalog: Catalog;
  readonly searchPath: readonly string[];
  readonly texts: DefinitionTexts | undefined;
  /** Made when first asked for. */
  relations(): RelationNames;
  nameOf(relation: NamedRelation): string;
}

/** @param searchPath as the session has it. */
export function catalogServices(
  catalog: Catalog,
  searchPath: readonly string[],
  options: ServiceOptions = {},
): CatalogServices {
  let built: RelationNames | null = null;
  const relations = (): RelationNames => {
    built ??= new RelationNames(catalog, searchPath);
    return built;
  };
  const nameOf = (relation: NamedRelation): string => relations().nameOf(relation);
  const source: Source = { catalog, searchPath, texts: options.texts, relations, nameOf };
  const names = { ...nameServices(source), ...functionServices(source) };
  const { role } = options;
  const usable =
    (look: (name: string) => number | null) =>
    (name: string): number | null => {
      if (role !== undefined) requireSchemaOf(source, role, name);
      return look(name);
    };
  return {
    ...names,
    relationOid: usable(names.relationOid),
    typeOid: usable(names.typeOid),
    functionOid: usable(names.functionOid),
    ...definitionServices(source),
    ...dependencyServices(source),
    ...accessServices(catalog),
    relationBytes: (oid) => options.relationBytes?.(oid) ?? null,
    databaseBytes: () => options.databaseBytes?.() ?? 0n,
    databaseOid: DATABASE_OID,
  };
}

/** @throws SqlError 42501 for a name with a schema that the role may not use. */
function requireSchemaOf({ catalog, searchPath }: Source, role: number, written: string): void {
  const schema = splitName(written.replace(/\(.*/s, ''))?.at(-2);
  if (schema === undefined) return;
  const meant = schemaMeant(schema, searchPath);
  if (!isTemporarySchema(meant) && !mayUse(catalog, role, meant)) throw schemaDenied(schema);
}

const nameServices = ({ catalog, searchPath, relations }: Source) =>
  ({
    relationOid: (name) => relations().find(name)?.oid ?? null,
    relationName: (oid) => {
      const relation = relations().byOid(oid);
      return relation === undefined ? null : relations().nameOf(relation);
    },
    typeOid: (name) => typeOid(catalog, name, searchPath),
    typeName: (oid, modifier) => typeName({ catalog, searchPath }, { oid, modifier }),
    namespaceOid: (name) => findNamespace(catalog, splitName(name)?.at(-1) ?? '')?.oid ?? null,
    namespaceName: (oid) => {
      const name = namespaceName(catalog, oid);
      return name === null ? null : quoteIdentifier(name);
    },
    roleOid: (name) => roleByName(catalog, onlyPart(name))?.oid ?? null,
    roleNamed: (name) => roleByName(catalog, name)?.oid ?? null,
    roleName: (oid) => roleByOid(catalog, oid)?.name ?? null,
    description: (oid, classOid, column) =>
      catalog.comments.find(
        (comment) =>
          comment.oid === oid &&
          comment.column === column &&
          (classOid === null || comment.classOid === classOid),
      )?.text ?? ownComment(catalog, classOid ?? CLASS_OID.pg_proc, oid),
    isVisible: (kind, oid) => {
      if (kind === 'type') return isVisibleType(catalog, oid, searchPath);
      if (kind !== 'relation') return true;
      const relation = relations().byOid(oid);
      return relation !== undefined && relations().isVisible(relation);
    },
  }) satisfies Partial<CatalogServices>;

const functionServices = ({ catalog, searchPath, nameOf }: Source) =>
  ({
    functionOid: (name) => sqlFunctionOid(catalog, searchPath, name) ?? functionOidByName(lastPart(name)),
    functionName: (oid) => sqlFunctionName(catalog, searchPath, oid) ?? functionNameByOid(oid),
    functionArguments: (oid, defaults) => {
      const definition = catalog.functions.get(oid);
      return definition
        ? functionArguments({ catalog, searchPath }, definition, { defaults })
        : functionArgumentsByOid(oid);
    },
    functionResult: (oid) => {
      const definition = catalog.functions.get(oid);
      return definition
        ? functionResult({ catalog, searchPath }, definition, nameOf)
        : functionResultByOid(oid);
    },
    functionDefinition: (oid) => {
      const definition = catalog.functions.get(oid);
      return definition ? functionDefinition({ catalog, searchPath }, definition, nameOf) : null;
    },
    functionBody: (oid) => {
      const definition = catalog.functions.get(oid);
      return definition ? sqlBody(definition) : null;
    },
  }) satisfies Partial<CatalogServices>;

const definitionServices = ({ catalog, searchPath, texts, nameOf }: Source) => {
  const prettyText = (relation: Relation, stored: string): string =>
    texts?.expression(relation, stored, { pretty: true, wrap: 0 }) ?? stored;
  return {
    indexDefinition: (oid, column, pretty) => {
      const found = findIndex(catalog, oid);
      if (found === undefined) return null;
      if (column === 0) {
        const on = pretty ? nameOf(found.relation) : undefined;
        const extension = searchPath.includes('public') ? '' : 'public.';
        const condition = pretty ? (stored: string) => prettyText(found.relation, stored) : undefined;
        return indexDefinition(catalog, found.relation, found.index, { on, extension, condition });
      }
      const { elements, included } = indexShape(found.relation, found.index);
      const element = elements[column - 1];
      if (element) return elementText(found.relation, element);
      const attribute = included[column - 1 - elements.length] ?? 0;
      const name = columnByAttribute(found.relation, attribute)?.name;
      return name === undefined ? '' : quoteIdentifier(name);
    },
    constraintDefinition: (oid, pretty) =>
      constraintText(
        catalog,
        oid,
        (relation, stored) => (texts ? texts.expression(relation, stored, { pretty, wrap: 0 }) : stored),
        nameOf,
      ),
    viewDefinition: (oid, form) => {
      const relation = catalog.relations.get(oid);
      const definition = relation?.definition;
      if (definition === undefined || definition === null) return null;
      return `${texts?.view(relation as Relation, form) ?? definition};`;
    },
    expressionText: (stored, relation, pretty) => {
      const of = catalog.relations.get(relation) ?? null;
      return texts?.expression(of, stored, { pretty, wrap: 0 }) ?? stored;
    },
  } satisfies Partial<CatalogServices>;
};

const dependencyServices = ({ catalog, texts }: Source) =>
  ({
    updatability: (oid) => {
      const relation = catalog.relations.get(oid);
      if (relation?.kind === 'view') return texts?.updatability(relation) ?? NOT_UPDATABLE;
      if (!relation || !['table', 'collection'].includes(relation.kind)) return NOT_UPDATABLE;
      const columns = new Set(liveColumns(relation).map(({ attribute }) => attribute));
      return { events: EVENT.insert | EVENT.update | EVENT.delete, columns };
    },
    viewReferences: (oid) => {
      const relation = catalog.relations.get(oid);
      return (relation && texts?.viewReferences(relation)) ?? NO_REFERENCES;
    },
    expressionReferences: (stored) => texts?.expressionReferences(stored) ?? NO_REFERENCES,
    functionReferences: (oid) => {
      const definition = catalog.functions.get(oid);
      return (definition && texts?.functionReferences(definition)) ?? NO_REFERENCES;
    },
  }) satisfies Partial<CatalogServices>;

/** For `regclass` and its kin as text. */
export function objectNames(catalog: Catalog, searchPath: readonly string[]): ObjectNames {
  const services = catalogServices(catalog, searchPath);
  const names: Readonly<Partial<Record<ObjectKind, (oid: number) => string | null>>> = {
    regclass: services.relationName,
    regtype: (oid) => services.typeName(oid, -1)?.replace(/^bpchar/, 'character') ?? null,
    regproc: (oid) => services.functionName(oid)?.replace(/\(.*$/s, '') ?? null,
    regprocedure: services.functionName,
    regnamespace: services.namespaceName,
    regrole: (oid) => quotedName(services.roleName(oid)),
    regconfig: (oid) => textSearchConfig(oid)?.name ?? null,
  };
  const oids: Readonly<Partial<Record<ObjectKind, (name: string) => number | null>>> = {
    regclass: services.relationOid,
    regtype: services.typeOid,
    regproc: services.functionOid,
    regprocedure: services.functionOid,
    regnamespace: services.namespaceOid,
    regrole: services.roleOid,
    regconfig: (name) => textSearchConfig(name)?.oid ?? null,
  };
  return {
    name: (kind, oid) => names[kind]?.(oid) ?? null,
    oid: (kind, name) => oids[kind]?.(name) ?? null,
    enumValues: enumValuesOf(catalog),
  };
}

// ───────────────────────────── names ─────────────────────────────

const quotedName = (name: string | null): string | null => (name === null ? null : quoteIdentifier(name));

/** A name that is in no schema. @throws SqlError 42602 for any other. */
function onlyPart(written: string): string {
  const parts = splitName(written);
  if (parts?.length === 1) return parts[0] as string;
  throw new SqlError('invalid_name', 'invalid name syntax');
}

/** `a."B".c` as its parts, unquoted ones folded; null when it is no name. */
export function splitName(text: string): string[] | null {
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"]|"")+)"|([^\s".()]+))\s*(\.|$)/y;
  while (part.lastIndex < text.length || parts.length === 0) {
    const found = part.exec(text);
    if (found === null) return null;
    parts.push(found[1] === undefined ? (found[2] as string).toLowerCase() : found[1].replaceAll('""', '"'));
    if (found[3] === '') return parts;
  }
  return null;
}

/** A function's name with or without schema and argument types: `pg_catalog.lower(text)` → `lower(text)`. */
const lastPart = (name: string): string => name.trim().replace(/^\w+\./, '');

/** Types by any name SQL has for them, with modifiers and `[]`; `pg_catalog.` and `public.` may stand before. */
function typeOid(catalog: Catalog, written: string, searchPath: readonly string[]): number | null {
  return builtInTypeOid(written) ?? enumOid(catalog, written, searchPath);
}

function isVisibleType(catalog: Catalog, oid: number, searchPath: readonly string[]): boolean {
  const type = enumByOid(catalog, oid);
  return type === undefined || findEnum(catalog, null, type.name, searchPath) === type;
}

function enumOid(catalog: Catalog, written: string, searchPath: readonly string[]): number | null {
  const array = /\[\s*\]\s*$/.exec(written);
  const parts = splitName(array === null ? written : written.slice(0, array.index));
  const schema = parts?.at(-2) ?? null;
  const name = parts?.at(-1) ?? '';
  const found = findEnum(catalog, schema, name, searchPath);
  if (found !== undefined) return array === null ? found.oid : (arrayOf(found.oid)?.oid ?? null);
  // PostgreSQL's own name of an array type.
  const element = name.startsWith('_') ? findEnum(catalog, schema, name.slice(1), searchPath) : undefined;
  return element === undefined ? null : (arrayOf(element.oid)?.oid ?? null);
}

function builtInTypeOid(written: string): number | null {
  const bare = written
    .trim()
    .replace(/^(pg_catalog|public|"pg_catalog"|"public")\./i, '')
    .replace(/\(\s*[\d\s,]*\)/, '');
  const array = bare.endsWith('[]');
  const element = (array ? bare.slice(0, -2) : bare).trim();
  const name = element.startsWith('"') ? element.slice(1, -1) : element.toLowerCase().replace(/\s+/g, ' ');
  return findType(array ? `${name}[]` : name)?.oid ?? null;
}

/** All relations, indexes and system relations of one version of the catalog, by OID and by name. */
class RelationNames {
  readonly #byOid = new Map<number, NamedRelation>();
  readonly #byName = new Map<string, NamedRelation>();
  readonly #catalog: Catalog;
  readonly #path: readonly Namespace[];
  readonly #searchPath: readonly string[];

  constructor(catalog: Catalog, searchPath: readonly string[]) {
    this.#catalog = catalog;
    this.#searchPath = searchPath;
    this.#path = effectivePath(searchPath)
      .map((name) => findNamespace(catalog, name))
      .filter((namespace) => namespace !== undefined);
    for (const relation of SYSTEM_TABLES) this.#add(relation);
    for (const relation of catalog.relations.values()) {
      this.#add(relation);
      for (const { oid, name } of relation.indexes) this.#add({ oid, name, namespace: relation.namespace });
    }
  }

  #add(relation: NamedRelation): void {
    this.#byOid.set(relation.oid, relation);
    this.#byName.set(`${relation.namespace} ${relation.name}`, relation);
  }

  byOid(oid: number): NamedRelation | undefined {
    return this.#byOid.get(oid);
  }

  /** By a name as SQL writes it. */
  find(written: string): NamedRelation | undefined {
    const parts = splitName(written);
    const name = parts?.at(-1);
    if (parts === null || name === undefined) return undefined;
    const schema = parts.at(-2);
    if (schema === undefined) return this.#visible(name);
    const namespace = findNamespace(this.#catalog, schemaMeant(schema, this.#searchPath))?.oid;
    return this.#byName.get(`${namespace} ${name}`);
  }

  #visible(name: string): NamedRelation | undefined {
    for (const { oid } of this.#path) {
      const found = this.#byName.get(`${oid} ${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** True when a name without schema means this relation. */
  isVisible(relation: NamedRelation): boolean {
    return this.#visible(relation.name)?.oid === relation.oid;
  }

  /** Quoted, with its schema where the search path needs it. */
  nameOf(relation: NamedRelation): string {
    const name = quoteIdentifier(relation.name);
    if (this.isVisible(relation)) return name;
    return `${quoteIdentifier(namespaceName(this.#catalog, relation.namespace) ?? '')}.${name}`;
  }
}

function constraintText(
  catalog: Catalog,
  oid: number,
  write: (relation: Relation, stored: string) => string,
  nameOf: (relation: Relation) => string,
): string | null {
  for (const relation of catalog.relations.values()) {
    const constraint = relation.constraints.find((candidate) => candidate.oid === oid);
    if (constraint === undefined) continue;
    const { expression: stored } = constraint;
    const expression = stored === null ? null : write(relation, stored);
    return constraintDefinition(catalog, relation, { ...constraint, expression }, nameOf);
  }
  return null;
}
