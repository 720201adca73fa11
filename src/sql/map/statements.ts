/**
 * Statements: one table row per statement of PostgreSQL that Quern runs. All others become 'unsupported'
 * with their name, so that the client is told 0A000 and not a syntax error.
 */
import { notSupported, SqlError } from '../../errors.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import type { QualifiedName, Statement } from '../ast.ts';
import {
  mapAlterRole,
  mapAlterRoleSetting,
  mapCreateRole,
  mapDefaultPrivileges,
  mapDropOwned,
  mapDropRole,
  mapGrant,
  mapGrantRole,
  mapReassignOwned,
  mapRole,
} from './access.ts';
import { mapDelete, mapInsert, mapUpdate } from './changes.ts';
import { as, type Body, type MapContext, mapQuery, open, strings, type Tag } from './context.ts';
import { mapAlterTable, mapCreateIndex, mapCreateTable, persistenceOf } from './definitions.ts';
import { mapAlterFunction, mapCreateFunction, mapDropFunction, mapFunctionName } from './functions.ts';
import { mapMerge } from './merge.ts';
import { mapListName, mapRelationName } from './names.ts';
import { mapOptions } from './options.ts';
import { mapAlterSequence, mapCreateSequence } from './sequences.ts';
import { mapAlterPolicy, mapCreatePolicy, mapDropPolicy } from './policies.ts';
import { mapSelectStatement } from './queries.ts';
import {
  mapCopy,
  mapDeclareCursor,
  mapDiscard,
  mapExecute,
  mapExplain,
  mapFetch,
  mapPrepare,
  mapSet,
  mapTransaction,
} from './session.ts';
import { textAfter } from './text.ts';
import { mapAlterEnum, mapAlterOwner, mapAlterType, mapCreateEnum } from './types.ts';
import type { pg } from '../parse/grammar.ts';

/** @param start byte offset of the statement's first token; `at` is its position. */
type Mapper<K extends Tag> = (context: MapContext, body: Body<K>, at: number, start: number) => Statement;
type Mappers = { readonly [K in Tag]?: Mapper<K> };

/** Modes of LOCK TABLE, by PostgreSQL's number less one. */
const LOCK_MODES = [
  'access share',
  'row share',
  'row exclusive',
  'share update exclusive',
  'share',
  'share row exclusive',
  'exclusive',
] as const;

const MAPPERS: Mappers = {
  SelectStmt: mapTopSelect,
  InsertStmt: (context, body) => mapInsert(context, body),
  UpdateStmt: (context, body) => mapUpdate(context, body),
  DeleteStmt: (context, body) => mapDelete(context, body),
  MergeStmt: (context, body) => mapMerge(context, body),
  CreateStmt: (context, body) => mapCreateTable(context, body),
  CreateTableAsStmt: mapCreateTableAs,
  DropStmt: mapDrop,
  IndexStmt: (context, body) => mapCreateIndex(context, body),
  AlterTableStmt: (context, body, at, start) => mapAlterRelation(context, body, at, start),
  AlterSeqStmt: mapAlterSequence,
  RenameStmt: mapRename,
  AlterObjectSchemaStmt: mapSetSchema,
  TruncateStmt: (context, body, at) => ({
    kind: 'truncate',
    at,
    names: relationNames(context, body.relations),
    cascade: body.behavior === 'DROP_CASCADE',
    restartIdentity: body.restart_seqs ?? false,
  }),
  CreateSchemaStmt: (_, body, at) => ({
    kind: 'create schema',
    at,
    name: body.schemaname ?? body.authrole?.rolename ?? '',
    ifNotExists: body.if_not_exists ?? false,
    owner: body.authrole === undefined ? null : mapRole(body.authrole),
  }),
  CreateRoleStmt: mapCreateRole,
  AlterRoleStmt: mapAlterRole,
  AlterRoleSetStmt: mapAlterRoleSetting,
  DropRoleStmt: mapDropRole,
  GrantRoleStmt: mapGrantRole,
  GrantStmt: mapGrant,
  AlterDefaultPrivilegesStmt: mapDefaultPrivileges,
  ReassignOwnedStmt: mapReassignOwned,
  DropOwnedStmt: mapDropOwned,
  CreateFunctionStmt: mapCreateFunction,
  AlterFunctionStmt: mapAlterFunction,
  CreateEnumStmt: mapCreateEnum,
  AlterEnumStmt: mapAlterEnum,
  AlterOwnerStmt: mapAlterOwner,
  CreatePolicyStmt: mapCreatePolicy,
  AlterPolicyStmt: mapAlterPolicy,
  CreateSeqStmt: mapCreateSequence,
  ViewStmt: mapCreateView,
  RefreshMatViewStmt: (context, body, at) => ({
    kind: 'refresh',
    at,
    name: mapRelationName(context, body.relation),
    concurrently: body.concurrent ?? false,
    withData: !(body.skipData ?? false),
  }),
  CreateExtensionStmt: (_, body, at) => ({
    kind: 'create extension',
    at,
    name: body.extname ?? '',
    ifNotExists: body.if_not_exists ?? false,
  }),
  CommentStmt: mapComment,
  ExplainStmt: (context, body, at) => mapExplain(context, at, body),
  VariableSetStmt: (_, body, at) => mapSet(at, body),
  VariableShowStmt: (_, body, at) => ({ kind: 'show', at, name: body.name ?? '' }),
  TransactionStmt: (_, body, at) => mapTransaction(at, body),
  PrepareStmt: (context, body, at) => mapPrepare(context, at, body),
  ExecuteStmt: (context, body, at) => mapExecute(context, at, body),
  DeallocateStmt: (_, body, at) => ({ kind: 'deallocate', at, name: body.isall ? null : (body.name ?? '') }),
  DeclareCursorStmt: (context, body, at) => mapDeclareCursor(context, at, body),
  FetchStmt: (_, body, at) => mapFetch(at, body),
  ClosePortalStmt: (_, body, at) => ({ kind: 'close cursor', at, name: body.portalname ?? null }),
  DiscardStmt: (_, body, at) => mapDiscard(at, body),
  ListenStmt: (_, body, at) => ({ kind: 'listen', at, channel: body.conditionname ?? '' }),
  UnlistenStmt: (_, body, at) => ({ kind: 'unlisten', at, channel: body.conditionname ?? null }),
  NotifyStmt: (_, body, at) => ({
    kind: 'notify',
    at,
    channel: body.conditionname ?? '',
    payload: body.payload ?? '',
  }),
  CopyStmt: (context, body, at) => mapCopy(context, at, body),
  VacuumStmt: (context, body, at) => mapVacuum(context, at, body),
  ReindexStmt: (context, body, at) => ({
    kind: 'reindex',
    at,
    names: body.relation === undefined ? [] : [mapRelationName(context, body.relation)],
  }),
  LockStmt: (context, body, at) => ({
    kind: 'lock',
    at,
    names: (body.relations ?? []).map((node) => mapRelationName(context, as(node, 'RangeVar') ?? undefined)),
    mode: LOCK_MODES[(body.mode ?? 1) - 1] ?? 'access exclusive',
    nowait: body.nowait ?? false,
  }),
  ConstraintsSetStmt: (context, body, at) => ({
    kind: 'set constraints',
    at,
    names: body.constraints === undefined ? null : relationNames(context, body.constraints),
    deferred: body.deferred ?? false,
  }),
  CheckPointStmt: (_, _body, at) => ({ kind: 'checkpoint', at, names: [] }),
};

function mapVacuum(context: MapContext, at: number, body: pg.VacuumStmt): Statement {
  const relations = (body.rels ?? []).map((node) => as(node, 'VacuumRelation'));
  const options = (body.options ?? []).map((node) => as(node, 'DefElem')?.defname?.toLowerCase());
  return {
    kind: body.is_vacuumcmd ? 'vacuum' : 'analyze',
    at,
    names: relations.map((relation) => mapRelationName(context, relation?.relation)),
    columns: relations.map((relation) => {
      const names = strings(relation?.va_cols);
      return names.length === 0 ? null : names;
    }),
    analyze: !body.is_vacuumcmd || options.includes('analyze'),
    full: options.includes('full'),
  };
}

/**
 * @param start byte offset of the statement's first token.
 * @throws SqlError 54001 when it nests too deep.
 */
export function mapAnyStatement(context: MapContext, node: pg.Node, start: number): Statement {
  const at = context.at(start);
  const [tag, body] = open(node);
  const map = MAPPERS[tag] as ((...args: [MapContext, unknown, number, number]) => Statement) | undefined;
  if (map === undefined) {
    const hint = HINTS[tag];
    return { kind: 'unsupported', at, feature: statementName(tag, body), ...(hint && { hint }) };
  }
  try {
    return map(context, body, at, start);
  } catch (error) {
    if (!(error instanceof SqlError) || error.condition !== 'feature_not_supported') throw error;
    // Told when the statement is run, so that those before it in the same text are run first.
    const feature = error.message.replace(/ is not supported$/, '');
    return { kind: 'unsupported', at: error.fields.position ?? at, feature };
  }
}

const ONE_DATABASE =
  'There is one database, quern, for everything; schemas (CREATE SCHEMA) and datasets (CREATE DATASET) divide it.';

/** Next steps instead of statements that there will not be. */
const HINTS: Readonly<Record<string, string>> = {
  CreatedbStmt: ONE_DATABASE,
  DropdbStmt: ONE_DATABASE,
};

/** `CreateFunctionStmt` → `CREATE FUNCTION`, with PostgreSQL's own words where the tag differs. */
function statementName(tag: string, body: unknown): string {
  if (tag === 'DoStmt') return 'DO';
  if (tag === 'CreatedbStmt') return 'CREATE DATABASE';
  if (tag === 'DropdbStmt') return 'DROP DATABASE';
  if (tag === 'CreateTrigStmt') return 'CREATE TRIGGER';
  if (tag === 'CreateEnumStmt' || tag === 'CompositeTypeStmt' || tag === 'CreateRangeStmt')
    return 'CREATE TYPE';
  if (tag === 'DefineStmt') {
    const kind = String((body as { kind?: string }).kind ?? '');
    return `CREATE ${kind.replace(/^OBJECT_/, '').replaceAll('_', ' ')}`;
  }
  return tag
    .replace(/Stmt$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
}

const relationNames = (context: MapContext, nodes: readonly pg.Node[] | undefined): QualifiedName[] =>
  (nodes ?? []).map((node) => mapRelationName(context, as(node, 'RangeVar') ?? {}));

/** SELECT … INTO is CREATE TABLE AS in other words. In a UNION it stands in the leftmost SELECT. */
function mapTopSelect(context: MapContext, body: pg.SelectStmt, at: number): Statement {
  const into = intoClause(body);
  if (into === undefined) return { kind: 'query', at, query: mapSelectStatement(context, body) };
  return {
    kind: 'create table as',
    at,
    name: mapRelationName(context, into.rel),
    ...persistenceOf(into.rel, into.onCommit),
    query: mapSelectStatement(context, withoutInto(body)),
    ifNotExists: false,
    columns: [],
    withData: true,
    viewText: null,
    options: [],
  };
}

const intoClause = (body: pg.SelectStmt): pg.IntoClause | undefined =>
  body.intoClause ?? (body.larg === undefined ? undefined : intoClause(body.larg));

function withoutInto(body: pg.SelectStmt): pg.SelectStmt {
  const { intoClause: _, ...rest } = body;
  return rest.larg === undefined ? rest : { ...rest, larg: withoutInto(rest.larg) };
}

function mapCreateTableAs(context: MapContext, body: pg.CreateTableAsStmt, at: number): Statement {
  const isView = body.objtype === 'OBJECT_MATVIEW';
  if (as(body.query, 'SelectStmt') === null) throw notSupported('CREATE TABLE AS EXECUTE');
  return {
    kind: 'create table as',
    at,
    name: mapRelationName(context, body.into?.rel),
    ...persistenceOf(body.into?.rel, body.into?.onCommit),
    query: mapQuery(context, body.query),
    ifNotExists: body.if_not_exists ?? false,
    columns: strings(body.into?.colNames),
    withData: !(body.into?.skipData ?? false),
    viewText: isView ? queryText(context, body.into?.rel) : null,
    options: mapOptions(context, body.into?.options),
  };
}

/** After AS, without WITH [NO] DATA. */
function queryText(context: MapContext, name: pg.RangeVar | undefined): string {
  return textAfter(context, 'AS', name?.location ?? 0, {
    commas: true,
    without: /\bWITH\s+(?:NO\s+)?DATA$/i,
  });
}

const CHECK_OPTION = /\bWITH\s+(?:(?:LOCAL|CASCADED)\s+)?CHECK\s+OPTION$/i;

const CHECK_OPTIONS = {
  NO_CHECK_OPTION: null,
  LOCAL_CHECK_OPTION: 'local',
  CASCADED_CHECK_OPTION: 'cascaded',
} as const;

function mapCreateView(context: MapContext, body: pg.ViewStmt, at: number): Statement {
  return {
    kind: 'create view',
    at,
    name: mapRelationName(context, body.view),
    temporary: body.view?.relpersistence === 't',
    columns: strings(body.aliases),
    query: mapQuery(context, body.query),
    text: viewText(context, body),
    replace: body.replace ?? false,
    checkOption: CHECK_OPTIONS[body.withCheckOption ?? 'NO_CHECK_OPTION'],
    options: mapOptions(context, body.options),
  };
}

/** The query as it was written; that of a recursive view as PostgreSQL defines it. */
function viewText(context: MapContext, body: pg.ViewStmt): string {
  const written = textAfter(context, 'AS', body.view?.location ?? 0, {
    commas: true,
    without: CHECK_OPTION,
  });
  const [recursive] = as(body.query, 'SelectStmt')?.withClause?.ctes ?? [];
  const own = as(recursive, 'CommonTableExpr');
  const at = context.source.tokenAt(body.view?.location ?? 0);
  if (own === null || context.source.tokens()[at - 2]?.text.toUpperCase() !== 'RECURSIVE') return written;
  const name = quoteIdentifier(own.ctename ?? '');
  const columns = strings(own.aliascolnames).map(quoteIdentifier).join(', ');
  return `WITH RECURSIVE ${name} (${columns}) AS (${written}) SELECT ${columns} FROM ${name}`;
}

const DROPS = {
  OBJECT_TABLE: 'table',
  OBJECT_INDEX: 'index',
  OBJECT_VIEW: 'view',
  OBJECT_MATVIEW: 'materialized view',
  OBJECT_SCHEMA: 'schema',
  OBJECT_SEQUENCE: 'sequence',
  OBJECT_TYPE: 'type',
  OBJECT_EXTENSION: 'extension',
} as const;

function mapDrop(context: MapContext, body: pg.DropStmt, at: number): Statement {
  if (body.removeType === 'OBJECT_FUNCTION') return mapDropFunction(context, body, at);
  if (body.removeType === 'OBJECT_POLICY') return mapDropPolicy(body, at);
  const object = DROPS[body.removeType as keyof typeof DROPS];
  if (object === undefined) {
    throw notSupported(`DROP ${(body.removeType ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ')}`);
  }
  const names = (body.objects ?? []).map((node) => mapListName(at, objectName(node)));
  const cascade = body.behavior === 'DROP_CASCADE';
  return { kind: 'drop', at, object, names, ifExists: body.missing_ok ?? false, cascade };
}

/** A name as a list, a bare string or a type. */
function objectName(node: pg.Node | undefined): string[] {
  const list = as(node, 'List');
  if (list !== null) return strings(list.items);
  const type = as(node, 'TypeName');
  return type === null ? strings(node === undefined ? [] : [node]) : strings(type.names);
}

function mapAlterRelation(
  context: MapContext,
  body: pg.AlterTableStmt,
  at: number,
  start: number,
): Statement {
  const actions = (body.cmds ?? []).map((node) => as(node, 'AlterTableCmd')?.subtype);
  const known = actions.every((action) => action === 'AT_ChangeOwner')
    ? [...ALTERED, 'OBJECT_SEQUENCE']
    : ALTERED;
  if (!known.includes(body.objtype ?? '')) {
    throw notSupported(`ALTER ${(body.objtype ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ')}`);
  }
  return { ...mapAlterTable(context, body, start), at };
}

const ALTERED = ['OBJECT_TABLE', 'OBJECT_VIEW', 'OBJECT_MATVIEW'];
const RENAMED = ['OBJECT_TABLE', 'OBJECT_INDEX', 'OBJECT_VIEW', 'OBJECT_MATVIEW', 'OBJECT_SEQUENCE'];

/** Renaming a table, an index, a view or a column; other objects have no rename. */
function mapRename(context: MapContext, body: pg.RenameStmt, at: number): Statement {
  const to = body.newname ?? '';
  const kind = body.renameType ?? 'OBJECT_TABLE';
  if (kind === 'OBJECT_FUNCTION') {
    const change = { action: 'rename', to } as const;
    return { kind: 'alter function', at, function: mapFunctionName(context, body.object, at), change };
  }
  if (kind === 'OBJECT_ROLE') return { kind: 'rename role', at, name: body.subname ?? '', to };
  if (kind === 'OBJECT_TYPE') return mapAlterType(body.object, { action: 'rename', to }, at);
  if (kind === 'OBJECT_POLICY') {
    const table = mapRelationName(context, body.relation);
    const ifExists = body.missing_ok ?? false;
    return { kind: 'rename policy', at, name: body.subname ?? '', table, to, ifExists };
  }
  const relation = RENAMED.includes(kind);
  if (kind === 'OBJECT_TABCONSTRAINT') {
    const table = mapRelationName(context, body.relation);
    const renamed = { at: table.at, action: 'rename constraint', name: body.subname ?? '', to } as const;
    return { kind: 'alter table', at, name: table, ifExists: body.missing_ok ?? false, actions: [renamed] };
  }
  if (!relation && kind !== 'OBJECT_COLUMN') {
    throw notSupported(
      `renaming a ${kind
        .replace(/^OBJECT_/, '')
        .replaceAll('_', ' ')
        .toLowerCase()}`,
    );
  }
  const name = mapRelationName(context, body.relation);
  const action = relation
    ? ({ at: name.at, action: 'rename table', to } as const)
    : ({ at: name.at, action: 'rename column', column: body.subname ?? '', to } as const);
  return { kind: 'alter table', at, name, ifExists: body.missing_ok ?? false, actions: [action] };
}

function mapSetSchema(context: MapContext, body: pg.AlterObjectSchemaStmt, at: number): Statement {
  const kind = (body.objectType ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ');
  if (kind === 'FUNCTION') {
    const change = { action: 'set schema', schema: body.newschema ?? '' } as const;
    return { kind: 'alter function', at, function: mapFunctionName(context, body.object, at), change };
  }
  if (kind === 'TYPE')
    return mapAlterType(body.object, { action: 'set schema', schema: body.newschema ?? '' }, at);
  if (!['TABLE', 'VIEW', 'MATVIEW', 'SEQUENCE'].includes(kind))
    throw notSupported(`ALTER ${kind} SET SCHEMA`);
  const name = mapRelationName(context, body.relation);
  const action = { at: name.at, action: 'set schema', schema: body.newschema ?? '' } as const;
  return { kind: 'alter table', at, name, ifExists: body.missing_ok ?? false, actions: [action] };
}

type Commented = Extract<Statement, { kind: 'comment' }>['object'];

const COMMENTS: Readonly<Record<string, Commented>> = {
  OBJECT_TABLE: 'table',
  OBJECT_COLUMN: 'column',
  OBJECT_INDEX: 'index',
  OBJECT_VIEW: 'view',
  OBJECT_MATVIEW: 'view',
  OBJECT_SCHEMA: 'schema',
  OBJECT_DATABASE: 'database',
  OBJECT_TABCONSTRAINT: 'constraint',
  OBJECT_SEQUENCE: 'table',
  OBJECT_TYPE: 'type',
  OBJECT_EXTENSION: 'extension',
  OBJECT_ROLE: 'role',
  OBJECT_POLICY: 'policy',
};

function mapComment(context: MapContext, body: pg.CommentStmt, at: number): Statement {
  if (body.objtype === 'OBJECT_FUNCTION') {
    const change = { action: 'comment', text: body.comment ?? null } as const;
    return { kind: 'alter function', at, function: mapFunctionName(context, body.object, at), change };
  }
  const object = COMMENTS[body.objtype ?? ''] ?? 'other';
  return { kind: 'comment', at, object, name: objectName(body.object), text: body.comment ?? null };
}
