/** Objects that GRANT and REVOKE name. */
import type { ObjectRef } from '../../../catalog/access/checks.ts';
import { OBJECT_KINDS, type Privileges } from '../../../catalog/access/privileges.ts';
import type { Relation } from '../../../catalog/model.ts';
import {
  DATABASE_NAME,
  DATABASE_OID,
  DEFAULT_TABLESPACE_OID,
  GLOBAL_TABLESPACE_OID,
} from '../../../catalog/oids.ts';
import { catalogServices } from '../../../catalog/services.ts';
import { LANGUAGES } from '../../../catalog/system/languages.ts';
import { findSystemRelation } from '../../../catalog/system/registry.ts';
import { SqlError } from '../../../errors.ts';
import type { FunctionName, GrantTarget, QualifiedName } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { findStored, findStoredIndex, namedType, relationNotFound, schemaOid } from '../names.ts';
import { missingFunction, namedFunction } from '../define/create-function.ts';
import { wholeName, writtenTypeName } from '../define/enum-types.ts';

export interface GrantObject extends ObjectRef {
  readonly name: string;
  /** Set for a relation, whose columns have lists too. */
  readonly relation?: Relation;
  /** Why nothing is granted on it, told once its turn comes. */
  readonly refusal?: SqlError;
}

type TargetName = Exclude<GrantTarget['object'], 'all in schema'>;

interface TargetRow {
  /** As messages name it. */
  readonly noun: string;
  readonly all: Privileges;
}

const { relation, sequence, ...KINDS } = OBJECT_KINDS;

/** Privileges that each word takes: TABLE sequences too, with USAGE. */
const TARGETS: Readonly<Record<TargetName, TargetRow>> = {
  table: { noun: 'relation', all: relation.all | sequence.all },
  sequence: { noun: 'sequence', all: sequence.all },
  function: { noun: 'function', all: KINDS.function.all },
  procedure: { noun: 'procedure', all: KINDS.function.all },
  routine: { noun: 'routine', all: KINDS.function.all },
  type: { noun: 'type', all: KINDS.type.all },
  domain: { noun: 'domain', all: KINDS.type.all },
  database: { noun: 'database', all: KINDS.database.all },
  schema: { noun: 'schema', all: KINDS.schema.all },
  language: { noun: 'language', all: KINDS.language.all },
  tablespace: { noun: 'tablespace', all: KINDS.tablespace.all },
};

export const targetRow = (target: GrantTarget): TargetRow =>
  TARGETS[target.object === 'all in schema' ? target.of : target.object];

/** @throws SqlError 42P01, 42704, 42883, 3D000, 3F000, 42809. */
export function grantObjects(context: BindContext, target: GrantTarget): readonly GrantObject[] {
  switch (target.object) {
    case 'table':
    case 'sequence':
      return target.names.map((name) => relationObject(context, name, target.object === 'sequence'));
    case 'function':
    case 'procedure':
    case 'routine':
      return target.functions.map((name) => functionObject(context, name, target.object));
    case 'type':
    case 'domain':
      return target.names.map((name) => typeObject(context, name, target.object));
    case 'all in schema':
      return target.schemas.flatMap((schema) => allIn(context, schema, target.of));
    default:
      return target.plain.map((name) => PLAIN[target.object](context, name));
  }
}

function relationObject(context: BindContext, name: QualifiedName, isSequence: boolean): GrantObject {
  const stored = findStored(context, name);
  if (stored !== undefined) {
    const isOther = isSequence && stored.kind !== 'sequence';
    return { ...ofRelation(stored), ...(isOther && { refusal: wrongKind(stored.name, 'not a sequence') }) };
  }
  const index = findStoredIndex(context, name);
  if (index !== undefined) return refusedRelation(index, 'an index');
  const system = findSystemRelation(name.schema, name.name);
  if (system === undefined) throw relationNotFound(context, { ...name, at: 0 });
  if (isSequence) return refusedRelation(system, 'not a sequence');
  return { kind: 'relation', oid: system.oid, name: system.name };
}

const wrongKind = (name: string, what: string): SqlError =>
  new SqlError('wrong_object_type', `"${name}" is ${what}`);

const refusedRelation = (
  { oid, name }: { readonly oid: number; readonly name: string },
  what: string,
): GrantObject => ({ kind: 'relation', oid, name, refusal: wrongKind(name, what) });

const ofRelation = (stored: Relation): GrantObject => ({
  kind: stored.kind === 'sequence' ? 'sequence' : 'relation',
  oid: stored.oid,
  name: stored.name,
  relation: stored,
});

function functionObject(
  context: BindContext,
  name: FunctionName,
  object: 'function' | 'procedure' | 'routine',
): GrantObject {
  const found = namedFunction(context, name);
  const { name: plain } = name.name;
  const builtIn = found === undefined ? builtInFunction(context, name) : null;
  const oid = found?.oid ?? builtIn;
  if (oid === null) throw missingFunction(context, name, object === 'procedure' ? object : 'function');
  if (object === 'procedure') {
    const signature = catalogServices(context.catalog, context.searchPath).functionName(oid) ?? plain;
    throw new SqlError('wrong_object_type', `${signature} is not a procedure`);
  }
  return { kind: 'function', oid, name: plain };
}

/** A function of the system's by name and types of arguments. */
function builtInFunction(context: BindContext, { name, types }: FunctionName): number | null {
  if (types === null) return null;
  const written = types.map((type) => type.names.at(-1) + '[]'.repeat(type.dimensions));
  const services = catalogServices(context.catalog, context.searchPath);
  return services.functionOid(`${name.name}(${written.join(', ')})`);
}

function typeObject(context: BindContext, name: QualifiedName, object: 'type' | 'domain'): GrantObject {
  const type = namedType(context, name.schema, wholeName(name));
  if (type === undefined)
    throw new SqlError('undefined_object', `type "${writtenTypeName(name)}" does not exist`);
  const refusal = object === 'domain' && { refusal: wrongKind(type.name, 'not a domain') };
  return { kind: 'type', oid: type.oid, name: type.name, ...refusal };
}

type PlainName = 'database' | 'schema' | 'language' | 'tablespace';

const TABLESPACES: Readonly<Record<string, number>> = {
  pg_default: DEFAULT_TABLESPACE_OID,
  pg_global: GLOBAL_TABLESPACE_OID,
};

const PLAIN: Readonly<Record<PlainName, (context: BindContext, name: string) => GrantObject>> = {
  database: (_, name) => {
    if (name === DATABASE_NAME) return { kind: 'database', oid: DATABASE_OID, name };
    throw new SqlError('invalid_catalog_name', `database "${name}" does not exist`);
  },
  schema: (context, name) => ({ kind: 'schema', oid: schemaOid(context, name), name }),
  language: (_, name) => {
    const found = LANGUAGES.find((language) => language.name === name);
    if (found === undefined) throw new SqlError('undefined_object', `language "${name}" does not exist`);
    const language = { kind: 'language', oid: found.oid, name } as const;
    return found.isTrusted ? language : { ...language, refusal: notTrusted(name) };
  },
  tablespace: (_, name) => {
    const oid = Object.hasOwn(TABLESPACES, name) ? TABLESPACES[name] : undefined;
    if (oid !== undefined) return { kind: 'tablespace', oid, name };
    throw new SqlError('undefined_object', `tablespace "${name}" does not exist`);
  },
};

const notTrusted = (name: string): SqlError =>
  new SqlError('wrong_object_type', `language "${name}" is not trusted`, {
    detail:
      'GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted languages.',
  });

function allIn(
  context: BindContext,
  schema: string,
  of: 'table' | 'sequence' | 'function' | 'procedure' | 'routine',
): readonly GrantObject[] {
  const { catalog } = context;
  const namespace = schemaOid(context, schema);
  if (of === 'procedure') return [];
  if (of === 'function' || of === 'routine') {
    return [...catalog.functions.values()]
      .filter((definition) => definition.namespace === namespace)
      .map(({ oid, name }) => ({ kind: 'function', oid, name }));
  }
  return [...catalog.relations.values()]
    .filter(
      (stored) => stored.namespace === namespace && (stored.kind === 'sequence') === (of === 'sequence'),
    )
    .map(ofRelation);
}
