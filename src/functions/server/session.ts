/**
 * Functions about the session and the server: who, where, settings, process, sizes. Source: PostgreSQL 18,
 * section 9.27 "System Information Functions" and 9.28 "System Administration Functions".
 */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';

const implicitSchemas = (context: FunctionContext, implicit: boolean): readonly string[] => {
  const named = context.searchPath().filter((name) => !TEMPORARY.test(name));
  if (!implicit) return named;
  const path = named.filter((name) => name !== 'pg_catalog');
  return ownTemporary(context) === null
    ? ['pg_catalog', ...path]
    : [temporaryName(context), 'pg_catalog', ...path];
};

/** The session's schema for temporary relations; '' outside of sessions. */
const TEMPORARY = /^pg_temp_/;
const temporaryName = (context: FunctionContext): string =>
  context.searchPath().find((name) => TEMPORARY.test(name)) ?? '';
const ownTemporary = (context: FunctionContext): number | null =>
  context.catalog.namespaceOid(temporaryName(context));

const name = (
  row: Pick<ScalarFunction, 'name' | 'isFact' | 'summary' | 'example' | 'evaluateIn'>,
): ScalarFunction => ({
  args: [],
  returns: 'name',
  volatility: 'stable',
  ...row,
});

export const SESSION_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'version',
    args: [],
    returns: 'text',
    volatility: 'stable',
    summary: 'What server this is.',
    example: ["SELECT version() LIKE 'PostgreSQL 17%Quern%'", 't'],
    evaluateIn: (context) => `PostgreSQL ${context.setting('server_version')} (Quern)`,
  },
  name({
    name: 'current_database',
    summary: 'The database of this connection.',
    example: ['SELECT current_database()', 'quern'],
    evaluateIn: (context) => context.database(),
  }),
  name({
    name: 'current_catalog',
    summary: 'The database of this connection.',
    example: ['SELECT current_catalog', 'quern'],
    evaluateIn: (context) => context.database(),
  }),
  name({
    name: 'current_user',
    isFact: true,
    summary: 'The user of this connection.',
    example: ['SELECT current_user', 'quern'],
    evaluateIn: (context) => context.user(),
  }),
  name({
    name: 'session_user',
    isFact: true,
    summary: 'The user who signed in.',
    example: ['SELECT session_user', 'quern'],
    evaluateIn: (context) => context.sessionUser(),
  }),
  {
    name: 'system_user',
    args: [],
    returns: 'text',
    volatility: 'stable',
    isFact: true,
    summary: 'How the user signed in, and by which name, as `scram-sha-256:alice`.',
    example: ["SELECT system_user LIKE '%:quern'", 't'],
    evaluateIn: (context) => context.systemUser(),
  },
  name({
    name: 'current_role',
    isFact: true,
    summary: 'The user of this connection.',
    example: ['SELECT current_role', 'quern'],
    evaluateIn: (context) => context.user(),
  }),
  name({
    name: 'user',
    isFact: true,
    summary: 'The user of this connection.',
    example: ['SELECT user', 'quern'],
    evaluateIn: (context) => context.user(),
  }),
  name({
    name: 'current_schema',
    summary: 'The first schema of the search path.',
    example: ['SELECT current_schema()', 'public'],
    evaluateIn: (context) => context.searchPath().find((name) => !TEMPORARY.test(name)) ?? null,
  }),
  {
    name: 'current_schemas',
    args: ['bool'],
    returns: '_name',
    volatility: 'stable',
    summary: 'The schemas of the search path, with the implicit ones when asked.',
    example: ['SELECT current_schemas(true)', '{pg_catalog,public}'],
    evaluateIn: (context, implicit: boolean) => arrayDatum(OID.name, implicitSchemas(context, implicit)),
  },
  {
    name: 'pg_my_temp_schema',
    args: [],
    returns: 'oid',
    volatility: 'stable',
    summary: "The OID of the session's schema for temporary relations; 0 before there are any.",
    example: ['SELECT pg_my_temp_schema()', '0'],
    evaluateIn: (context) => ownTemporary(context) ?? 0,
  },
  {
    name: 'pg_is_other_temp_schema',
    args: ['oid'],
    returns: 'bool',
    volatility: 'stable',
    summary: "Is it another session's schema for temporary relations?",
    example: ['SELECT pg_is_other_temp_schema(2200)', 'f'],
    evaluateIn: (context, oid: number) =>
      oid !== ownTemporary(context) && TEMPORARY.test(context.catalog.namespaceName(oid) ?? ''),
  },
  {
    name: 'pg_backend_pid',
    args: [],
    returns: 'int4',
    volatility: 'stable',
    summary: 'The process number of this session, as BackendKeyData gave it.',
    example: ['SELECT pg_backend_pid() > 0', 't'],
    evaluateIn: (context) => context.backendPid(),
  },
  {
    name: 'current_setting',
    args: ['text'],
    returns: 'text',
    volatility: 'stable',
    isFact: true,
    summary: "A setting's value.",
    example: ["SELECT current_setting('server_encoding')", 'UTF8'],
    evaluateIn: (context, setting: string) => currentSetting(context, setting, false),
  },
  {
    name: 'current_setting',
    args: ['text', 'bool'],
    returns: 'text',
    volatility: 'stable',
    isFact: true,
    summary: "A setting's value, or NULL when there is none and that is allowed.",
    example: ["SELECT current_setting('no.such', true)", null],
    evaluateIn: (context, setting: string, missing: boolean) => currentSetting(context, setting, missing),
  },
  {
    name: 'quern.key_attribute',
    args: ['text'],
    returns: 'text',
    volatility: 'stable',
    isFact: true,
    summary:
      "An attribute of the session's API key, which nobody can set but who may change the key; NULL where it has none.",
    example: ["SELECT quern.key_attribute('tenant')", null],
    evaluateIn: (context, attribute: string) => context.keyAttribute(attribute),
  },
  {
    name: 'set_config',
    args: ['text', 'text', 'bool'],
    returns: 'text',
    volatility: 'volatile',
    effect: 'session',
    strict: false,
    summary: 'Sets a setting, for the transaction only when the third argument is true.',
    example: ["SELECT set_config('application_name', 'x', true)", 'x'],
    evaluateIn: (context, setting: string | null, value: string | null, local: boolean | null) => {
      if (setting === null) throw new SqlError('null_value_not_allowed', 'SET requires parameter name');
      return context.setSetting(setting, value ?? '', local === true);
    },
  },
  {
    name: 'pg_client_encoding',
    args: [],
    returns: 'name',
    volatility: 'stable',
    summary: 'The encoding of this client.',
    example: ['SELECT pg_client_encoding()', 'UTF8'],
    evaluate: () => 'UTF8',
  },
  {
    name: 'getdatabaseencoding',
    args: [],
    returns: 'name',
    volatility: 'stable',
    summary: "The database's encoding.",
    example: ['SELECT getdatabaseencoding()', 'UTF8'],
    evaluate: () => 'UTF8',
  },
  {
    name: 'pg_encoding_to_char',
    args: ['int4'],
    returns: 'name',
    summary: "An encoding's name by number.",
    example: ['SELECT pg_encoding_to_char(6)', 'UTF8'],
    evaluate: (encoding: number) => (encoding === 6 ? 'UTF8' : encoding === 0 ? 'SQL_ASCII' : ''),
  },
  {
    name: 'pg_char_to_encoding',
    args: ['name'],
    returns: 'int4',
    summary: "An encoding's number by name.",
    example: ["SELECT pg_char_to_encoding('UTF8')", '6'],
    evaluate: (encoding: string) =>
      /^utf-?8$/i.test(encoding) ? 6 : encoding.toUpperCase() === 'SQL_ASCII' ? 0 : -1,
  },
  {
    name: 'pg_is_in_recovery',
    args: [],
    returns: 'bool',
    volatility: 'stable',
    summary: 'Whether the server is a standby.',
    example: ['SELECT pg_is_in_recovery()', 'f'],
    evaluate: () => false,
  },
  {
    name: 'pg_postmaster_start_time',
    args: [],
    returns: 'timestamptz',
    volatility: 'stable',
    summary: 'When the server started.',
    example: ['SELECT pg_postmaster_start_time() <= now()', 't'],
    evaluateIn: ({ services }) => services.session.startedMicros(),
  },
  {
    name: 'inet_client_addr',
    args: [],
    returns: 'text',
    volatility: 'stable',
    summary: 'Address that the client comes from.',
    example: ["SELECT coalesce(inet_client_addr(), 'none') <> ''", 't'],
    evaluateIn: ({ services }) => services.session.clientAddress(),
  },
  {
    name: 'inet_server_addr',
    args: [],
    returns: 'text',
    volatility: 'stable',
    summary: 'Addresses of the server are not shown.',
    example: ['SELECT inet_server_addr()', null],
    evaluate: () => null,
  },
  ...['inet_client_port', 'inet_server_port'].map(
    (which): ScalarFunction => ({
      name: which,
      args: [],
      returns: 'int4',
      volatility: 'stable',
      summary: 'Ports of the connection are not shown.',
      example: [`SELECT ${which}()`, null],
      evaluate: () => null,
    }),
  ),
  {
    name: 'pg_cancel_backend',
    args: ['int4'],
    returns: 'bool',
    volatility: 'volatile',
    effect: 'server',
    summary: "Cancels another session's statement.",
    example: ['SELECT pg_cancel_backend(-1)', 'f'],
    evaluateIn: ({ services }, process: number) => services.session.cancelStatement(process),
  },
  {
    name: 'pg_terminate_backend',
    args: ['int4'],
    returns: 'bool',
    volatility: 'volatile',
    effect: 'server',
    summary: 'Ends another session.',
    example: ['SELECT pg_terminate_backend(-1)', 'f'],
    evaluateIn: ({ services }, process: number) => services.session.terminate(process),
  },
  {
    name: 'quern.rekey',
    args: [],
    returns: 'bool',
    volatility: 'volatile',
    effect: 'server',
    summary: 'Changes the encryption key at once, and data keys in the background (docs/storage.md).',
    example: ['SELECT CASE WHEN false THEN quern.rekey() END', null],
    evaluateLater: async ({ services }) => {
      await services.session.rekey();
      return true;
    },
  },
  {
    name: 'quern.last_lsn',
    args: [],
    returns: 'text',
    volatility: 'volatile',
    effect: 'none',
    summary: 'The LSN of the last write of this session; NULL before one.',
    example: ['SELECT quern.last_lsn() IS NULL', 't'],
    evaluateIn: ({ services }) => services.session.lastLsn(),
  },
  {
    name: 'quern.lsn',
    args: ['text'],
    returns: 'text',
    volatility: 'volatile',
    effect: 'none',
    summary: "A collection's or partition's newest LSN.",
    example: ["SELECT quern.lsn('nothing')", null],
    evaluateIn: ({ services }, relation: string) => services.session.lsn(relation),
  },
];

function currentSetting(context: FunctionContext, setting: string, missingAllowed: boolean): Datum {
  const value = context.setting(setting);
  if (value === null && !missingAllowed) {
    throw new SqlError('undefined_object', `unrecognized configuration parameter "${setting}"`);
  }
  return value;
}
