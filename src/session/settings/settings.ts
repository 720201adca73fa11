/**
 * The settings of one session, with PostgreSQL's scopes: the start-up packet gives the values RESET returns
 * to, SET lasts for the session, SET LOCAL for the transaction, and a rollback undoes both kinds. States are
 * immutable maps of what differs from the defaults, so that marking one is keeping a reference.
 */
import { quoteIdentifier } from '../../types/text/quote.ts';
import { OWN_TEMPORARY_SCHEMA } from '../../catalog/temporary-names.ts';
import { SqlError } from '../../errors.ts';
import type { SpillLimits } from '../../execute/spill/space.ts';
import { findSetting, LIMIT_CATEGORY, SETTINGS, type SettingRow } from './table.ts';
import { checkChoice, checkSetting, type Choices, showSetting } from './values.ts';

interface State {
  /** Lower-case name to value. */
  readonly session: ReadonlyMap<string, string>;
  readonly local: ReadonlyMap<string, string>;
}

/** Settings that differ from server to server, by lower-case name. */
export interface ServerSettings {
  /** In place of the table's. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The only values that there are. */
  readonly choices: ReadonlyMap<string, Choices>;
}

/** Numbers that every statement asks for. */
interface Figures {
  /** Milliseconds; 0: none. */
  readonly statementTimeoutMs: number;
  readonly transactionTimeoutMs: number;
  readonly idleSessionTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** Candidates a search of a vector graph keeps in view; 0: not said. */
  readonly efSearch: number;
  readonly documentBytesMax: number;
  readonly isExact: boolean;
  /** A state is to be waited for before anything is read (`quern.lsn`). */
  readonly waitsForLsn: boolean;
}

/** A state to go back to. */
export type SettingsMark = State;

const NONE: ReadonlyMap<string, string> = new Map();
const ANY_SERVER: ServerSettings = { defaults: NONE, choices: new Map() };

export class SessionSettings {
  #state: State = { session: NONE, local: NONE };
  #startup: ReadonlyMap<string, string> = NONE;
  readonly #server: ServerSettings;
  #searchPath: readonly string[] | null = null;
  #figures: Figures | null = null;
  /** Values that were asked for, by the name as it was written; most statements ask for the same ten. */
  readonly #values = new Map<string, string>();
  readonly #temporarySchema: string;
  #isReadOnly = false;
  /** Grows with every change: what was derived from settings is then derived anew. */
  generation = 0;

  /**
   * @param startup as the client sent them.
   * @throws SqlError 22023, 42704 for a wrong one.
   */
  constructor(startup: ReadonlyMap<string, string>, temporarySchema: string, server = ANY_SERVER) {
    this.#temporarySchema = temporarySchema;
    this.#server = server;
    for (const [name, value] of startup) this.set(name, value, false);
    this.#startup = this.#state.session;
  }

  /**
   * The session only reads: `quern.read_only` has been on. Nothing ends it: no SET, RESET, DISCARD or rollback, whatever
   * else the state of settings goes back to.
   */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** The raw value: times in milliseconds, booleans `on` and `off`. */
  get(name: string): string {
    return this.#values.get(name) ?? this.#find(name);
  }

  #find(name: string): string {
    const key = name.toLowerCase();
    const { local, session } = this.#state;
    const isLatched = this.#isReadOnly && READ_ONLY_SETTINGS.has(key);
    const value = isLatched ? 'on' : (local.get(key) ?? session.get(key) ?? this.defaultOf(key));
    if (this.#values.size < SETTINGS.length) this.#values.set(name, value);
    return value;
  }

  /** Where no client has said otherwise. */
  defaultOf(name: string): string {
    return this.#server.defaults.get(name.toLowerCase()) ?? findSetting(name)?.default ?? '';
  }

  /** Value that SHOW prints; null for a setting that is not there. */
  show(name: string): string | null {
    const setting = findSetting(name);
    if (setting !== undefined) return showSetting(setting, this.get(name));
    const key = name.toLowerCase();
    return this.#state.local.get(key) ?? this.#state.session.get(key) ?? null;
  }

  /**
   * @param value null for the default.
   * @returns the value as SHOW prints it.
   * @throws SqlError 42704 for an unknown name without a dot, 55P02 for what cannot be changed, 25006 for a way out of
   *   a session that only reads, 22023.
   */
  set(name: string, value: string | null, local: boolean): string {
    const setting = findSetting(name);
    const key = name.toLowerCase();
    if (setting === undefined && !isCustomName(name)) throw unknownSetting(name);
    if (setting !== undefined) checkChangeable(setting, value);
    const checked =
      value === null
        ? (this.#startup.get(key) ?? this.defaultOf(key))
        : this.#check(setting, value, this.get(name));
    if (READ_ONLY_SETTINGS.has(key)) this.#changeReadOnly(key, checked, local);
    this.#change(key, checked, local);
    return this.show(name) ?? checked;
  }

  #changeReadOnly(key: string, value: string, local: boolean): void {
    if (key === READ_ONLY && local) {
      throw new SqlError('cant_change_runtime_param', `"${READ_ONLY}" lasts to the end of the session`, {
        hint: 'BEGIN READ ONLY makes a transaction read only.',
      });
    }
    if (this.#isReadOnly && value === 'off') throw staysReadOnly();
    if (key === READ_ONLY && value === 'on') this.#isReadOnly = true;
  }

  /** Values that no client gives, of SET ROLE and its kin: they last, and are undone, as those of SET. */
  put(values: Readonly<Record<string, string>>, local: boolean): void {
    for (const [key, value] of Object.entries(values)) this.#change(key, value, local);
  }

  /** Takes the values of now as those that RESET goes back to. */
  begin(): void {
    this.#startup = this.#state.session;
  }

  /** RESET ALL: everything but whose session it is. */
  resetAll(): void {
    const kept = [...this.#state.session].filter(([key]) => IDENTITY_SETTINGS.has(key));
    const local = [...this.#state.local].filter(([key]) => IDENTITY_SETTINGS.has(key));
    this.#replace({ session: new Map([...this.#startup, ...kept]), local: new Map(local) });
  }

  mark(): SettingsMark {
    return this.#state;
  }

  rollbackTo(mark: SettingsMark): void {
    if (mark !== this.#state) this.#replace(mark);
  }

  /** The transaction ended well: what was local ends with it. */
  endTransaction(): void {
    if (this.#state.local.size > 0) this.#replace({ session: this.#state.session, local: NONE });
  }

  /** Values that are not the defaults, or were set all the same, by lower-case name. */
  given(): ReadonlyMap<string, string> {
    return new Map([...this.#state.session, ...this.#state.local]);
  }

  /** Values told to the client, by the names PostgreSQL uses. */
  reported(): Map<string, string> {
    const values = new Map<string, string>();
    for (const setting of REPORTED) values.set(setting.name, this.get(setting.name));
    return values;
  }

  /** Rows of SHOW ALL. */
  all(): { name: string; value: string; summary: string }[] {
    return SETTINGS.map((setting) => ({
      name: setting.name,
      value: showSetting(setting, this.get(setting.name)),
      summary: setting.summary,
    })).sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  }

  /**
   * Schemas searched for names, the session's own one for temporary relations first unless `pg_temp` says
   * where. `$user` is left out: the schema named quern holds the system's views.
   */
  searchPath(): readonly string[] {
    this.#searchPath ??= this.#makeSearchPath();
    return this.#searchPath;
  }

  #makeSearchPath(): readonly string[] {
    const own = this.#temporarySchema;
    const names = splitIdentifiers(this.get('search_path')).filter((name) => name !== '$user');
    if (!names.includes(OWN_TEMPORARY_SCHEMA)) return [own, ...names];
    return names.map((name) => (name === OWN_TEMPORARY_SCHEMA ? own : name));
  }

  figures(): Figures {
    this.#figures ??= this.#readFigures();
    return this.#figures;
  }

  #readFigures(): Figures {
    const number = (name: string): number => Number(this.get(name));
    return {
      statementTimeoutMs: number('statement_timeout'),
      transactionTimeoutMs: number('transaction_timeout'),
      idleSessionTimeoutMs: number('idle_session_timeout'),
      idleInTransactionTimeoutMs: number('idle_in_transaction_session_timeout'),
      efSearch: efSearch(this),
      documentBytesMax: limitOf(this, 'quern.max_document_bytes'),
      isExact: this.isOn('quern.exact'),
      waitsForLsn: this.get('quern.lsn') !== '',
    };
  }

  isOn(name: string): boolean {
    return this.get(name) === 'on';
  }

  #check(setting: SettingRow | undefined, value: string, before: string): string {
    if (setting === undefined) return value;
    const choices = this.#server.choices.get(setting.name.toLowerCase());
    if (choices !== undefined) return checkChoice(setting.name, value, choices);
    return checkSetting(setting, value, before);
  }

  #change(key: string, value: string, local: boolean): void {
    const state = this.#state;
    if (local) {
      this.#replace({ session: state.session, local: new Map(state.local).set(key, value) });
      return;
    }
    const kept = new Map(state.local);
    kept.delete(key);
    this.#replace({ session: new Map(state.session).set(key, value), local: kept });
  }

  #replace(state: State): void {
    this.#state = state;
    this.#searchPath = null;
    this.#figures = null;
    this.#values.clear();
    this.generation++;
  }
}

/** Names, and after the point OIDs, of the session's roles (`identity.ts`). */
const IDENTITY_SETTINGS: ReadonlySet<string> = new Set([
  'role',
  'session_authorization',
  'is_superuser',
  '.role',
  '.session',
]);

const READ_ONLY = 'quern.read_only';
/** Are on in a session that only reads. */
const READ_ONLY_SETTINGS: ReadonlySet<string> = new Set([READ_ONLY, 'default_transaction_read_only']);

/** Error of BEGIN READ WRITE, and of all other ways to say so. */
export const staysReadOnly = (): SqlError =>
  new SqlError('read_only_sql_transaction', 'cannot set read-write mode in a read-only session', {
    hint: 'quern.read_only is on, and stays so to the end of the session.',
  });

const REPORTED = SETTINGS.filter((setting) => setting.reported);

/** `a.b`: settings of extensions, which anyone may make up. */
function isCustomName(name: string): boolean {
  return /^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+$/.test(name);
}

export function unknownSetting(name: string): SqlError {
  return new SqlError('undefined_object', `unrecognized configuration parameter "${name}"`);
}

/** Clients set some internal ones to the value they have; that is let through. */
function checkChangeable(setting: SettingRow, value: string | null): void {
  if (setting.context === 'user' || value === null || value === setting.default) return;
  const when =
    setting.context === 'internal' ? 'cannot be changed' : 'cannot be changed without restarting the server';
  const hint =
    setting.category === LIMIT_CATEGORY
      ? 'It is a limit of the server; docs/limits.md tells those that a session can lower.'
      : undefined;
  throw new SqlError('cant_change_runtime_param', `parameter "${setting.name}" ${when}`, { hint });
}

/** `"$user", public` → names. */
export function splitIdentifiers(list: string): string[] {
  const names: string[] = [];
  for (const match of list.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)) {
    const quoted = match[1];
    const name = quoted === undefined ? (match[2] as string).toLowerCase() : quoted.replaceAll('""', '"');
    if (name !== '') names.push(name);
  }
  return names;
}

/** The value of SET from its list: a search path is a list of names, anything else of words. */
export function settingText(name: string, values: readonly string[]): string {
  if (name.toLowerCase() !== 'search_path') return values.join(', ');
  return values.map(quoteIdentifier).join(', ');
}

/** The session's value of a limit of `limits.ts`. */
export const limitOf = (settings: SessionSettings, name: `quern.max_${string}`): number =>
  Number(settings.get(name));

/** The bounds of an operator in memory, and of all of the session's on disk. */
export function spillLimits(settings: SessionSettings): SpillLimits {
  const kilobytes = Number(settings.get('temp_file_limit'));
  return {
    memoryBytes: 1024 * Number(settings.get('work_mem')),
    diskBytes: kilobytes < 0 ? Number.POSITIVE_INFINITY : 1024 * kilobytes,
  };
}

/** Candidates a search of a vector graph keeps in view, by Quern's name or pgvector's; 0: not said. */
function efSearch(settings: SessionSettings): number {
  const own = Number(settings.get('quern.ef_search'));
  if (own > 0) return own;
  const given = settings.get('hnsw.ef_search');
  return given === findSetting('hnsw.ef_search')?.default ? 0 : Number(given);
}
