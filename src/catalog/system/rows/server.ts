/**
 * The database, its owner, settings, sessions, extensions and languages.
 */
import { hasRightsOf, PREDEFINED, roleByOid } from '../../access/roles.ts';
import { unixMs } from '../../../epoch.ts';
import { TEXT_SEARCH_CONFIGS } from '../../../language/text-search-configs.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import {
  C_COLLATION_OID,
  DATABASE_NAME,
  DATABASE_OID,
  DEFAULT_COLLATION_OID,
  DEFAULT_TABLESPACE_OID,
  GLOBAL_TABLESPACE_OID,
  NAMESPACE_OID,
  OWNER_ROLE_OID,
} from '../../oids.ts';
import type { CopyFact, IndexBuildFact, LockFact, NamedRow, RowSources, SystemContext } from '../context.ts';
import { ownerOf } from '../../access/checks.ts';
import type { Catalog } from '../../model.ts';
import { LANGUAGES } from '../languages.ts';
import { shownAcl } from './access.ts';
import { extensions } from '../extensions.ts';
import { PARSER_FUNCTIONS } from '../internal-functions.ts';
import { OPERATOR_CLASSES } from '../operator-classes.ts';

const UTF8 = 6;
/** PostgreSQL's own parser of texts. */
const DEFAULT_PARSER_OID = 3722;
const LOCALE = 'C.UTF-8';

export const SERVER_ROWS: RowSources = {
  pg_database: ({ catalog }) => [
    {
      oid: DATABASE_OID,
      datname: DATABASE_NAME,
      datdba: ownerOf(catalog, DATABASE),
      datacl: shownAcl(catalog, DATABASE),
      encoding: UTF8,
      datlocprovider: 'c',
      datallowconn: true,
      datconnlimit: -1,
      dattablespace: DEFAULT_TABLESPACE_OID,
      datcollate: LOCALE,
      datctype: LOCALE,
    },
  ],
  pg_tablespace: ({ catalog }) => [
    tablespaceRow(catalog, DEFAULT_TABLESPACE_OID, 'pg_default'),
    tablespaceRow(catalog, GLOBAL_TABLESPACE_OID, 'pg_global'),
  ],
  pg_collation: () => [
    collationRow(DEFAULT_COLLATION_OID, 'default', 'd'),
    collationRow(C_COLLATION_OID, 'C', 'c'),
    collationRow(C_COLLATION_OID + 1, 'POSIX', 'c'),
  ],
  pg_ts_config: () =>
    TEXT_SEARCH_CONFIGS.map(({ oid, name }) => ({
      oid,
      cfgname: name,
      cfgnamespace: NAMESPACE_OID.pg_catalog,
      cfgowner: OWNER_ROLE_OID,
      cfgparser: DEFAULT_PARSER_OID,
    })),
  pg_language: ({ catalog }) =>
    LANGUAGES.map(({ oid, name, isTrusted }) => ({
      oid,
      lanname: name,
      lanowner: OWNER_ROLE_OID,
      lanpltrusted: isTrusted,
      lanacl: shownAcl(catalog, { kind: 'language', oid }),
    })),
  pg_extension: ({ catalog }) =>
    extensions(catalog).map(({ oid, name, namespace, version }) => ({
      oid,
      extname: name,
      extowner: OWNER_ROLE_OID,
      extnamespace: namespace,
      extrelocatable: true,
      extversion: version,
    })),
  pg_available_extensions: ({ catalog }) =>
    extensions(catalog).map(({ name, version, comment }) => ({
      name,
      default_version: version,
      installed_version: version,
      comment,
    })),
  pg_available_extension_versions: ({ catalog }) =>
    extensions(catalog).map(({ name, version, comment }) => ({
      name,
      version,
      installed: true,
      superuser: true,
      trusted: true,
      relocatable: true,
      comment,
    })),
  pg_opclass: () =>
    OPERATOR_CLASSES.map((row) => ({
      oid: row.oid,
      opcmethod: row.method,
      opcname: row.name,
      opcnamespace: row.extension ? NAMESPACE_OID.public : NAMESPACE_OID.pg_catalog,
      opcowner: OWNER_ROLE_OID,
      opcfamily: row.family,
      opcintype: row.type,
      opcdefault: row.default,
    })),
  pg_opfamily: () =>
    OPERATOR_CLASSES.map((row) => ({
      oid: row.family,
      opfmethod: row.method,
      opfname: row.name,
      opfnamespace: row.extension ? NAMESPACE_OID.public : NAMESPACE_OID.pg_catalog,
      opfowner: OWNER_ROLE_OID,
    })),
  pg_ts_parser: () => [
    {
      oid: DEFAULT_PARSER_OID,
      prsname: 'default',
      prsnamespace: NAMESPACE_OID.pg_catalog,
      ...PARSER_FUNCTIONS,
    },
  ],
  pg_settings: pgSettings,
  pg_stat_activity: pgStatActivity,
  pg_stat_progress_create_index: ({ facts }) => [...facts.indexBuilds()].map(indexBuildRow),
  pg_stat_progress_copy: pgStatProgressCopy,
  pg_locks: ({ facts }) => [...facts.locks()].map(lockRow),
  pg_stat_database: ({ facts }) => [
    {
      datid: DATABASE_OID,
      datname: DATABASE_NAME,
      numbackends: [...facts.sessions()].length,
      temp_files: BigInt(facts.temporaryFiles().files),
      temp_bytes: BigInt(facts.temporaryFiles().bytes),
    },
  ],
  pg_prepared_statements: pgPreparedStatements,
  pg_cursors: pgCursors,
  pg_timezone_names: pgTimezoneNames,
};

/** Of roles whose rights one has. */
function* pgStatProgressCopy({ catalog, role = OWNER_ROLE_OID, facts }: SystemContext): Generator<NamedRow> {
  const seesAll = hasRightsOf(catalog, role, PREDEFINED.readAllStats);
  for (const { processId, copy, role: of } of facts.sessions()) {
    if (copy !== null && (seesAll || hasRightsOf(catalog, role, of))) yield copyRow(processId, copy);
  }
}

function copyRow(processId: number, copy: CopyFact): NamedRow {
  return {
    pid: processId,
    datid: DATABASE_OID,
    datname: DATABASE_NAME,
    relid: copy.relation,
    command: copy.command,
    type: 'PIPE',
    bytes_processed: BigInt(copy.bytes),
    bytes_total: BigInt(copy.bytesTotal),
    tuples_processed: BigInt(copy.rows),
    tuples_excluded: 0n,
    tuples_skipped: 0n,
  };
}

function indexBuildRow(build: IndexBuildFact): NamedRow {
  return {
    pid: build.processId,
    datid: DATABASE_OID,
    datname: DATABASE_NAME,
    relid: build.relation,
    index_relid: build.index,
    command: build.command,
    phase: build.phase,
    lockers_total: 0n,
    lockers_done: 0n,
    current_locker_pid: 0n,
    blocks_total: BigInt(build.blocksTotal),
    blocks_done: BigInt(build.blocksDone),
    tuples_total: BigInt(build.tuplesTotal),
    tuples_done: BigInt(build.tuplesDone),
    partitions_total: BigInt(build.partitionsTotal),
    partitions_done: BigInt(build.partitionsDone),
  };
}

/** Locks on rows are listed too, which PostgreSQL keeps in the rows; those on unique keys as objects. */
function lockRow({ on, processId, mode, granted }: LockFact): NamedRow {
  const words = mode.split(' ').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const row = {
    locktype: on.kind,
    database: DATABASE_OID,
    virtualtransaction: `${processId}/1`,
    pid: processId,
    mode: `${words.join('')}Lock`,
    granted,
    fastpath: false,
  };
  if (on.kind !== 'advisory') return { ...row, relation: on.relation };
  const { high, low, part } = on.key;
  return { ...row, classid: high, objid: low, objsubid: part };
}

const DATABASE = { kind: 'database', oid: DATABASE_OID } as const;

function tablespaceRow(catalog: Catalog, oid: number, spcname: string): NamedRow {
  const space = { kind: 'tablespace', oid } as const;
  return { oid, spcname, spcowner: ownerOf(catalog, space), spcacl: shownAcl(catalog, space) };
}

function collationRow(oid: number, collname: string, collprovider: string): NamedRow {
  return {
    oid,
    collname,
    collnamespace: NAMESPACE_OID.pg_catalog,
    collowner: OWNER_ROLE_OID,
    collprovider,
    collisdeterministic: true,
    collencoding: -1,
    collcollate: collprovider === 'd' ? null : collname,
    collctype: collprovider === 'd' ? null : collname,
  };
}

function* pgSettings({ facts }: SystemContext): Generator<NamedRow> {
  for (const setting of facts.settings()) {
    yield {
      name: setting.name,
      setting: setting.value,
      unit: setting.unit,
      category: setting.name.startsWith('quern.') ? 'Quern' : 'Client Connection Defaults',
      short_desc: setting.summary,
      context: setting.context,
      vartype: setting.type,
      source: setting.value === setting.default ? 'default' : 'session',
      enumvals: setting.values === null ? null : arrayDatum(OID.text, setting.values),
      boot_val: setting.default,
      reset_val: setting.default,
      pending_restart: false,
    };
  }
}

/** Sessions; those of other roles without what they do. */
function* pgStatActivity({ catalog, role = OWNER_ROLE_OID, facts }: SystemContext): Generator<NamedRow> {
  const seesAll = hasRightsOf(catalog, role, PREDEFINED.readAllStats);
  for (const session of facts.sessions()) {
    const isSeen = seesAll || hasRightsOf(catalog, role, session.role);
    const shown = {
      datid: DATABASE_OID,
      datname: DATABASE_NAME,
      pid: session.processId,
      usesysid: session.role,
      usename: roleByOid(catalog, session.role)?.name ?? null,
      application_name: session.applicationName,
    };
    if (!isSeen) {
      yield { ...shown, query: '<insufficient privilege>' };
      continue;
    }
    yield {
      ...shown,
      client_addr: session.clientAddress,
      backend_start: session.startedMicros,
      xact_start: session.transactionMicros,
      query_start: session.queryMicros,
      state_change: session.queryMicros ?? session.startedMicros,
      state: session.state,
      query: session.query,
      backend_type: 'client backend',
    };
  }
}

const typeArray = (types: readonly number[] | null): Datum =>
  types === null ? null : arrayDatum(OID.oid, types);

function* pgPreparedStatements({ facts }: SystemContext): Generator<NamedRow> {
  for (const prepared of facts.preparedStatements()) {
    yield {
      name: prepared.name,
      statement: prepared.statement,
      prepare_time: prepared.preparedMicros,
      parameter_types: typeArray(prepared.parameterTypes),
      result_types: typeArray(prepared.resultTypes),
      from_sql: prepared.fromSql,
      generic_plans: 0n,
      custom_plans: 0n,
    };
  }
}

function* pgCursors({ facts }: SystemContext): Generator<NamedRow> {
  for (const cursor of facts.cursors()) {
    yield {
      name: cursor.name,
      statement: cursor.statement,
      is_holdable: cursor.hold,
      is_binary: cursor.binary,
      is_scrollable: cursor.scroll,
      creation_time: cursor.createdMicros,
    };
  }
}

/** Offset and abbreviation of every zone at the start of the statement. */
function* pgTimezoneNames({ functions }: SystemContext): Generator<NamedRow> {
  const now = new Date(unixMs(functions.statementMicros));
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const part = (timeZoneName: 'longOffset' | 'short'): string => {
      const parts = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName }).formatToParts(now);
      return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    };
    const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(part('longOffset')) ?? [];
    const seconds = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
    const utcOffset = {
      datum: 'interval',
      months: 0,
      days: 0,
      micros: BigInt(seconds) * 1_000_000n,
    } as const;
    yield { name, abbrev: part('short'), utc_offset: utcOffset, is_dst: false };
  }
}
