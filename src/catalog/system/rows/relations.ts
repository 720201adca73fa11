/**
 * pg_class, pg_attribute and what else describes relations, their columns, indexes and constraints. System
 * relations describe themselves in the same rows.
 */
import { OUTSIDE_OFF } from '../../outside.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { type ObjectRef, ownerOf } from '../../access/checks.ts';
import { namespaceName } from '../../lookup.ts';
import type { Catalog, Column, Constraint, Index, Relation } from '../../model.ts';
import { columnByAttribute, foreignKeys, hasQuery, hasRows, indexShape, liveColumns } from '../../model.ts';
import { isTemporary } from '../../temporary.ts';
import {
  CLASS_OID,
  DATABASE_NAME,
  DEFAULT_COLLATION_OID,
  derivedOid,
  HEAP_OID,
  OWNER_ROLE_OID,
} from '../../oids.ts';
import { ACCESS_METHODS, accessMethodOid } from '../access-methods.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { accessMethodHandler } from '../internal-functions.ts';
import { ownComments } from '../own-comments.ts';
import { ownerName, shownAcl } from './access.ts';
import { INDEX_ROWS } from './indexes.ts';
import { pgSequence, pgSequences } from './sequences.ts';
import { SYSTEM_TABLES, type SystemTable } from '../columns/tables.ts';

export const RELATION_ROWS: RowSources = {
  ...INDEX_ROWS,
  pg_namespace: ({ catalog }) =>
    catalog.namespaces.map(({ oid, name }) => ({
      oid,
      nspname: name,
      nspowner: ownerOf(catalog, { kind: 'schema', oid }),
      nspacl: shownAcl(catalog, { kind: 'schema', oid }),
    })),
  pg_class: pgClass,
  pg_attribute: pgAttribute,
  pg_attrdef: pgAttrdef,
  pg_constraint: pgConstraint,
  pg_description: pgDescription,
  pg_am: () =>
    ACCESS_METHODS.map(({ oid, name, type }) => ({
      oid,
      amname: name,
      amhandler: accessMethodHandler(name)[0],
      amtype: type,
    })),
  pg_tables: pgTables,
  pg_views: pgViews,
  pg_matviews: pgMatviews,
  pg_sequence: pgSequence,
  pg_sequences: pgSequences,
  pg_stat_all_tables: (context) => tableStatistics(context),
  pg_stat_user_tables: (context) => tableStatistics(context),
};

const RELKINDS = { collection: 'r', table: 'r', view: 'v', 'materialized view': 'm', sequence: 'S' } as const;

export function relationKind(relation: Relation): string {
  return RELKINDS[relation.kind];
}

function schemaOf(catalog: Catalog, relation: Relation): string {
  return namespaceName(catalog, relation.namespace) ?? '';
}

// ───────────────────────────── pg_class ─────────────────────────────

function* pgClass(context: SystemContext): Generator<NamedRow> {
  for (const relation of context.catalog.relations.values()) {
    yield userClass(context, relation);
    for (const index of relation.indexes) yield indexClass(context, relation, index);
  }
  for (const table of SYSTEM_TABLES) yield systemClass(context.catalog, table);
}

/** Columns that all rows of pg_class have in common. */
const CLASS_ROW = {
  relowner: OWNER_ROLE_OID,
  relpersistence: 'p',
  relispopulated: true,
  relreplident: 'n',
} as const;

const classRow = (catalog: Catalog, relation: Relation) => ({
  ...CLASS_ROW,
  relowner: ownerOf(catalog, objectOf(relation)),
  relpersistence: isTemporary(catalog, relation) ? 't' : 'p',
});

const objectOf = ({ kind, oid }: Relation): ObjectRef => ({
  kind: kind === 'sequence' ? 'sequence' : 'relation',
  oid,
});

const PAGE_BYTES = 8192;
/** pg_class.reltuples of a table that was never looked at. */
const NOT_KNOWN = -1;

/** PostgreSQL keeps foreign keys by triggers on both sides. */
function hasForeignKeys(catalog: Catalog, relation: Relation): boolean {
  return foreignKeys(catalog).some(({ child, parent }) => [child.oid, parent.oid].includes(relation.oid));
}

function relationOptions({ options, checkOption, sharedStatistics, staysHere }: Relation): Datum {
  const own = options ?? (checkOption === undefined ? [] : [`check_option=${checkOption}`]);
  const shared = sharedStatistics === true ? ['shared_statistics=on'] : [];
  const all = [...own, ...shared, ...(staysHere === true ? [OUTSIDE_OFF] : [])];
  return all.length === 0 ? null : arrayDatum(OID.text, all);
}

function userClass({ catalog, facts }: SystemContext, relation: Relation): NamedRow {
  const stored = hasRows(relation);
  const { rows, bytes } = stored ? facts.size(relation.oid) : { rows: 0, bytes: 0 };
  return {
    ...classRow(catalog, relation),
    oid: relation.oid,
    relname: relation.name,
    relnamespace: relation.namespace,
    relam: stored ? HEAP_OID : 0,
    relfilenode: stored ? relation.oid : 0,
    relpages: Math.ceil((bytes ?? 0) / PAGE_BYTES),
    reltuples: rows ?? NOT_KNOWN,
    relhasindex: relation.indexes.length > 0,
    relkind: relationKind(relation),
    relnatts: relation.columns.length,
    relchecks: relation.constraints.filter(({ kind }) => kind === 'check').length,
    relhasrules: hasQuery(relation),
    relrowsecurity: relation.rowSecurity === 'enabled' || relation.rowSecurity === 'forced',
    relforcerowsecurity: relation.rowSecurity === 'forced' || relation.rowSecurity === 'only forced',
    relispopulated: relation.unpopulated === undefined,
    reloptions: relationOptions(relation),
    relhastriggers: hasForeignKeys(catalog, relation),
    relreplident: stored ? 'd' : 'n',
    relacl: shownAcl(catalog, objectOf(relation)),
  };
}

function indexClass({ catalog }: SystemContext, relation: Relation, index: Index): NamedRow {
  return {
    ...classRow(catalog, relation),
    oid: index.oid,
    relname: index.name,
    relnamespace: relation.namespace,
    relam: accessMethodOid(indexShape(relation, index).method),
    relfilenode: index.oid,
    relkind: 'i',
    relnatts: indexWidth(relation, index),
    reloptions: optionsOf(relation, index),
  };
}

function indexWidth(relation: Relation, index: Index): number {
  const { elements, included } = indexShape(relation, index);
  return elements.length + included.length;
}

function optionsOf(relation: Relation, index: Index): Datum {
  const options = Object.entries(indexShape(relation, index).parameters).map(
    ([name, value]) => `${name}=${value}`,
  );
  return options.length === 0 ? null : arrayDatum(OID.text, options);
}

function systemClass(catalog: Catalog, table: SystemTable): NamedRow {
  return {
    ...CLASS_ROW,
    relacl: shownAcl(catalog, { kind: 'relation', oid: table.oid }),
    oid: table.oid,
    relname: table.name,
    relnamespace: table.namespace,
    relam: table.kind === 'r' ? HEAP_OID : 0,
    relkind: table.kind,
    relnatts: table.columns.length,
    relhasrules: table.kind === 'v',
  };
}

// ───────────────────────────── pg_attribute ─────────────────────────────

function* pgAttribute({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const column of relation.columns)
      if (!column.hidden) yield columnAttribute(catalog, relation.oid, column);
    for (const index of relation.indexes) yield* indexAttributes(relation, index);
  }
  for (const table of SYSTEM_TABLES) {
    for (const [i, { name, type, notNull }] of table.columns.entries()) {
      yield {
        ...typeAttribute(type),
        attrelid: table.oid,
        attname: name,
        attnum: i + 1,
        attnotnull: notNull,
      };
    }
  }
}

/** PostgreSQL's alignment of a type of that length. */
export function alignment(length: number): string {
  return length === 1 ? 'c' : length === 2 ? 's' : length === 8 ? 'd' : 'i';
}

const EXTERNAL: ReadonlySet<number> = new Set([OID.vector, OID.halfvec, OID.sparsevec]);

/** How PostgreSQL keeps long values of the type: plain, main, external or extended. */
export function storage(oid: number, length: number): string {
  if (length > 0) return 'p';
  if (oid === OID.numeric) return 'm';
  return EXTERNAL.has(oid) ? 'e' : 'x';
}

function typeAttribute(type: TypeRef): NamedRow {
  const sqlType = findTypeByOid(type.oid);
  const length = sqlType?.typlen ?? -1;
  return {
    atttypid: type.oid,
    attlen: length,
    atttypmod: type.modifier,
    attndims: sqlType?.elementOid === undefined ? 0 : 1,
    attbyval: length > 0 && length <= 8,
    attalign: alignment(length),
    attstorage: storage(type.oid, length),
    attislocal: true,
    attcollation: sqlType?.category === 'S' ? DEFAULT_COLLATION_OID : 0,
  };
}

const IDENTITIES = { always: 'a', 'by default': 'd' } as const;

function columnAttribute(catalog: Catalog, relation: number, column: Column): NamedRow {
  const row = {
    ...typeAttribute(column.type),
    attrelid: relation,
    attname: column.name,
    attnum: column.attribute,
    attnotnull: column.notNull,
    atthasdef: shownDefault(column) !== null,
    attidentity: column.identity === null ? '' : IDENTITIES[column.identity],
    attgenerated: column.generatedText === null ? '' : 's',
    attacl: shownAcl(catalog, { kind: 'column', oid: relation, column: column.attribute }),
  };
  if (!column.dropped) return row;
  const name = `........pg.dropped.${column.attribute}........`;
  return { ...row, attname: name, attisdropped: true, atttypid: 0, attnotnull: false, atthasdef: false };
}

function* indexAttributes(relation: Relation, index: Index): Generator<NamedRow> {
  const { elements, included } = indexShape(relation, index);
  const carried = included.map((attribute) => {
    const column = columnByAttribute(relation, attribute);
    return { name: column?.name ?? '', attribute, type: column?.type.oid ?? 0 };
  });
  for (const [i, { name, attribute, type }] of [...elements, ...carried].entries()) {
    const column = columnByAttribute(relation, attribute);
    const types = typeAttribute(column?.type ?? { oid: type, modifier: -1 });
    yield { ...types, attrelid: index.oid, attname: column?.name ?? name, attnum: i + 1 };
  }
}

/** An identity column has its numbers from no default that shows. */
export function shownDefault({ defaultText, identity, generatedText }: Column): string | null {
  return identity === null ? (defaultText ?? generatedText) : null;
}

function* pgAttrdef({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const column of liveColumns(relation)) {
      const { attribute } = column;
      const text = shownDefault(column);
      if (text === null) continue;
      const oid = derivedOid(relation.oid, attribute);
      yield { oid, adrelid: relation.oid, adnum: attribute, adbin: text };
    }
  }
}

// ───────────────────────────── indexes and constraints ─────────────────────────────

const CONSTRAINT_TYPES = {
  'primary key': 'p',
  unique: 'u',
  check: 'c',
  'foreign key': 'f',
  'not null': 'n',
} as const;

const ACTION_CODES = {
  none: ' ',
  'no action': 'a',
  restrict: 'r',
  cascade: 'c',
  'set null': 'n',
  'set default': 'd',
} as const;

/** The unique index that a foreign key relies on. */
export function referencedIndex(catalog: Catalog, { references }: Constraint): number {
  const parent = catalog.relations.get(references?.relation ?? 0);
  const wanted = references?.columns ?? [];
  const index = parent?.indexes.find(
    ({ unique, deferrable, columns }) =>
      unique &&
      !deferrable &&
      columns.length === wanted.length &&
      columns.every((column) => wanted.includes(column)),
  );
  return index?.oid ?? 0;
}

const setColumns = ({ references }: Constraint): Datum =>
  references?.setOnDelete ? arrayDatum(OID.int2, references.setOnDelete) : null;

function* pgConstraint({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const constraint of relation.constraints) {
      yield {
        oid: constraint.oid,
        conname: constraint.name,
        connamespace: relation.namespace,
        contype: CONSTRAINT_TYPES[constraint.kind],
        condeferrable: constraint.deferrable !== undefined,
        condeferred: constraint.deferrable === 'deferred',
        conenforced: true,
        convalidated: true,
        conrelid: relation.oid,
        conindid: constraint.index || referencedIndex(catalog, constraint),
        confrelid: constraint.references?.relation ?? 0,
        confupdtype: ACTION_CODES[constraint.references?.onUpdate ?? 'none'],
        confdeltype: ACTION_CODES[constraint.references?.onDelete ?? 'none'],
        confmatchtype: constraint.references ? (constraint.references.full ? 'f' : 's') : ' ',
        confdelsetcols: setColumns(constraint),
        confkey: constraint.references ? arrayDatum(OID.int2, constraint.references.columns) : null,
        conislocal: true,
        connoinherit: constraint.kind !== 'check' && constraint.kind !== 'not null',
        conkey: arrayDatum(OID.int2, constraint.columns),
        conbin: constraint.expression,
      };
    }
  }
}

/** Comments of users, then what the system says of its own objects. */
function* pgDescription({ catalog }: SystemContext): Generator<NamedRow> {
  for (const { oid, classOid, column, text } of [...catalog.comments, ...ownComments(catalog)]) {
    if (classOid === CLASS_OID.pg_authid) continue;
    yield { objoid: oid, classoid: classOid, objsubid: column, description: text };
  }
}

// ───────────────────────────── views for people ─────────────────────────────

function* pgTables({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    if (relationKind(relation) !== 'r') continue;
    yield {
      schemaname: schemaOf(catalog, relation),
      tablename: relation.name,
      tableowner: ownerName(catalog, objectOf(relation)),
      hasindexes: relation.indexes.length > 0,
      hasrules: false,
      hastriggers: false,
      rowsecurity: false,
    };
  }
  for (const { schema, name, kind } of SYSTEM_TABLES) {
    if (kind !== 'r') continue;
    yield {
      schemaname: schema,
      tablename: name,
      tableowner: DATABASE_NAME,
      hasindexes: false,
      hasrules: false,
      hastriggers: false,
      rowsecurity: false,
    };
  }
}

function* pgViews({ catalog, functions }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    if (relation.kind !== 'view') continue;
    yield {
      schemaname: schemaOf(catalog, relation),
      viewname: relation.name,
      viewowner: ownerName(catalog, objectOf(relation)),
      definition: functions.catalog.viewDefinition(relation.oid, { pretty: false, wrap: 0 }),
    };
  }
  for (const { schema, name, kind } of SYSTEM_TABLES) {
    if (kind === 'v') yield { schemaname: schema, viewname: name, viewowner: DATABASE_NAME, definition: '' };
  }
}

function* pgMatviews({ catalog, functions }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    if (relation.kind !== 'materialized view') continue;
    yield {
      schemaname: schemaOf(catalog, relation),
      matviewname: relation.name,
      matviewowner: ownerName(catalog, objectOf(relation)),
      hasindexes: relation.indexes.length > 0,
      ispopulated: relation.unpopulated === undefined,
      definition: functions.catalog.viewDefinition(relation.oid, { pretty: false, wrap: 0 }),
    };
  }
}

function* tableStatistics({ catalog, facts }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    if (!hasRows(relation)) continue;
    const { rows } = facts.statistics(relation.oid);
    yield {
      relid: relation.oid,
      schemaname: schemaOf(catalog, relation),
      relname: relation.name,
      n_live_tup: rows === null ? null : BigInt(Math.round(rows)),
      n_dead_tup: 0n,
    };
  }
}

/** For information_schema: the type as SQL names it without its modifier. */
export function dataType(type: TypeRef): string {
  const sqlType = findTypeByOid(type.oid);
  if (sqlType?.elementOid !== undefined) return 'ARRAY';
  if (type.oid >= OID.vector) return 'USER-DEFINED';
  return formatType({ oid: type.oid, modifier: -1 });
}
