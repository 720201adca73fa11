/**
 * State of a session, which lasts as long as it does: settings, transaction block, locks, prepared statements, cursors,
 * plans that are kept, and its last requests. It starts no statement; those that run are given it.
 */
import { catalogServices, type DefinitionTexts, objectNames } from '../catalog/services.ts';
import type { Catalog } from '../catalog/model.ts';
import type { CopyFact } from '../catalog/system/context.ts';
import { OWNER_ROLE_OID } from '../catalog/oids.ts';
import { visiblePath } from '../catalog/access/visible-path.ts';
import { temporarySchema } from '../catalog/temporary-names.ts';
import type { SqlError } from '../errors.ts';
import type { SessionLocks } from '../engine/engine.ts';
import { Account } from '../execute/account.ts';
import { KeptBatches } from '../execute/spill/kept-batches.ts';
import { SpillSpace } from '../execute/spill/space.ts';
import type { CatalogServices, Effect } from '../functions/function.ts';
import { plainAddress } from '../network-address.ts';
import { bindContext } from '../sql/bind/bind.ts';
import { definitionTexts } from '../sql/deparse/definitions.ts';
import type { ParsedStatement } from '../sql/parse/parse.ts';
import { TimeSlice } from '../time-slice.ts';
import type { FormatSettings, ObjectNames } from '../types/type.ts';
import { IndexBuilds } from './builds/index-builds.ts';
import type { SessionDirectory } from './directory.ts';
import type { Environment } from './environment.ts';
import { serverSettings } from './facts.ts';
import {
  askedRoles,
  type Identity,
  IDENTITY_NAMES,
  readIdentity,
  requireSuperuser,
  setRole,
  setSessionRole,
  signInSettings,
  takeRole,
} from './identity.ts';
import { keyEnded } from './sign-in/keys.ts';
import type { SessionKey } from './sign-in/session-key.ts';
import { SeenFields } from './rights/seen-fields.ts';
import { refuseBeyondRows, rowLimits } from './scope/key-limits.ts';
import { limitedCatalog } from './scope/limited-facts.ts';
import { type Planned, Planner, type PlanRequest } from './running/planner.ts';
import type { SeededRandom } from './running/seeded-random.ts';
import { SessionSettings, spillLimits } from './settings/settings.ts';
import { SUPERUSER_SETTINGS } from './settings/table.ts';
import { type Cursor, Cursors } from './statements/cursor.ts';
import type { Notifications } from './statements/notifications.ts';
import type { Once } from './requests/once.ts';
import { PreparedStatements } from './statements/prepared.ts';
import { refuseEffect } from './transaction/read-only.ts';
import { TransactionBlock } from './transaction/transaction-block.ts';

/** Parts that a session is made of. */
export interface SessionParts {
  readonly environment: Environment;
  readonly directory: SessionDirectory;
  readonly processId: number;
  readonly settings: ReadonlyMap<string, string>;
  /** Whose rights it has; absent: the server's own. */
  readonly role?: number;
  /** The role that another session, whose settings these are, acted as; absent: none is taken over. */
  readonly acting?: number;
  /** The client's; absent: there is none. */
  readonly address?: string;
  /** How its client signed in, and by which name, as `system_user` has it; absent: there is none. */
  readonly signedInAs?: string;
  /** Limits of the key that it was opened with; absent: there are none. */
  readonly key?: SessionKey | null;
}

/** Something made from a version of the catalog and of the settings. */
interface Remembered<T> {
  readonly catalog: Catalog;
  readonly generation: number;
  readonly value: T;
}

export class SessionState {
  readonly processId: number;
  /** Its scope narrows whatever the session does, whoever it acts as. Null: without a key. */
  readonly key: SessionKey | null;
  /** Null: of nobody outside. */
  readonly clientAddress: string | null;
  readonly signedInAs: string | null;
  readonly environment: Environment;
  readonly directory: SessionDirectory;
  readonly settings: SessionSettings;
  readonly notifications: Notifications;
  /** Name of the session's schema for temporary relations, which may not be there. */
  readonly temporarySchema: string;
  readonly block: TransactionBlock;
  readonly locks: SessionLocks;
  readonly prepared: PreparedStatements;
  readonly cursors: Cursors;
  readonly planner: Planner;
  readonly indexBuilds: IndexBuilds;
  /** For rows that its statements cannot hold in memory. */
  readonly spill: SpillSpace;
  readonly fields: SeenFields;
  /** A statement that runs may end the session's own key: its answer comes first. */
  changesKeys = false;
  /** The request whose id the next commit stores. */
  once: Once | null = null;
  /** A COPY under way; null: there is none. */
  copying: CopyFact | null = null;
  /** After setseed(). */
  seeded: SeededRandom | null = null;
  /** Handle of the last request to ingestion. */
  lastHandle: string | null = null;
  /** The id of the answer that was kept last. */
  lastAnswer: string | null = null;
  readonly random = (): number => (this.seeded ?? this.environment).random();
  readonly nowMs = (): number => this.environment.nowMs();
  #format: { readonly settings: FormatSettings; readonly generation: number } | null = null;
  #services: Remembered<CatalogServices> | null = null;
  #names: Remembered<ObjectNames> | null = null;
  #searchPath: Remembered<readonly string[]> | null = null;
  readonly #authenticated: number;
  #identity: { readonly value: Identity; readonly generation: number } | null = null;
  /** Asked of the catalog as it is at the time. */
  #objects: ObjectNames = {
    name: (kind, oid) => this.#objectNames().name(kind, oid),
    oid: (kind, name) => this.#objectNames().oid(kind, name),
    enumValues: (type) => this.#objectNames().enumValues(type),
  };

  #bytes = {
    relationBytes: (oid: number): bigint | null =>
      this.#reaches(oid) ? BigInt(this.environment.engine.size(oid).bytes) : null,
    databaseBytes: (): bigint => BigInt(this.environment.engine.diskBytes()),
  };

  constructor(
    { environment, directory, processId, settings, role = OWNER_ROLE_OID, ...given }: SessionParts,
    notifications: Notifications,
    ofPortal: (name: string) => Cursor | undefined,
  ) {
    const { key = null, address, signedInAs = null, acting } = given;
    this.key = key;
    this.clientAddress = address === undefined ? null : plainAddress(address);
    this.signedInAs = signedInAs;
    this.notifications = notifications;
    this.cursors = new Cursors(ofPortal);
    this.prepared = new PreparedStatements(environment.engine.statementMemory);
    this.processId = processId;
    this.environment = environment;
    this.directory = directory;
    this.temporarySchema = temporarySchema(processId);
    this.#authenticated = role;
    const catalog = environment.engine.catalog();
    const begun = acting === undefined ? signInSettings(catalog, role, settings) : settings;
    this.settings = new SessionSettings(begun, this.temporarySchema, serverSettings(environment));
    const timeoutMs = (): number => Number(this.settings.get('lock_timeout'));
    this.locks = environment.engine.sessionLocks({ processId: this.processId, timeoutMs });
    this.block = new TransactionBlock(environment.engine, this.settings, {
      clockMicros: () => environment.clockMicros(),
      locks: this.locks,
      notifications,
    });
    this.spill = new SpillSpace(environment.temporaryFiles, () => spillLimits(this.settings));
    this.fields = new SeenFields(this);
    this.planner = new Planner(environment.engine, this.settings);
    this.indexBuilds = new IndexBuilds(environment, processId, directory.embeddingBuilds);
    this.#setIdentity('session_authorization', null, false);
    for (const [name, value] of askedRoles(settings)) this.#setIdentity(name, value, false);
    if (acting !== undefined && acting !== role) takeRole(this.settings, catalog, acting);
    this.settings.begin();
  }

  get identity(): Identity {
    const { generation } = this.settings;
    if (this.#identity?.generation === generation) return this.#identity.value;
    const value = readIdentity(this.settings, this.#authenticated);
    this.#identity = { value, generation };
    return value;
  }

  /** Why the session has to end, as its key is not live; null: it goes on. */
  keyEnd(): SqlError | null {
    const { key, changesKeys } = this;
    return key === null || changesKeys || key.isLive() ? null : keyEnded();
  }

  /** As the transaction sees it. */
  catalog(): Catalog {
    return this.block.transaction?.catalog() ?? this.environment.engine.catalog();
  }

  formatSettings(): FormatSettings {
    const { settings, block, environment } = this;
    if (this.#format?.generation === settings.generation) return this.#format.settings;
    const made: FormatSettings = {
      timeZone: settings.get('TimeZone'),
      dateStyle: settings.get('DateStyle'),
      intervalStyle: settings.get('IntervalStyle'),
      byteaOutput: settings.get('bytea_output'),
      extraFloatDigits: Number(settings.get('extra_float_digits')),
      get nowMicros() {
        return block.open ? block.startMicros : environment.clockMicros();
      },
      objects: this.#objects,
    };
    this.#format = { settings: made, generation: settings.generation };
    return made;
  }

  clockMicros(): bigint {
    return this.environment.clockMicros();
  }

  /** Its slice starts now. */
  timeSlice(): TimeSlice {
    return new TimeSlice(this.nowMs);
  }

  /** Counts what a statement holds; who opens it gives it back. */
  openAccount(): Account {
    return new Account(this.environment.engine.statementMemory);
  }

  /** For rows that outlive the statement that made them; who asks for it ends it. */
  keptBatches(): KeptBatches {
    const account = this.openAccount();
    return new KeptBatches(this.spill, account, account);
  }

  /** Schemas that names are looked up in: without those that the role may not use. */
  searchPath(): readonly string[] {
    this.#searchPath = this.#remember(this.#searchPath, this.catalog(), (catalog) =>
      visiblePath(catalog, this.identity.current, this.settings.searchPath()),
    );
    return this.#searchPath.value;
  }

  /** Value that SHOW prints; the transaction's own settings come from the transaction. */
  showSetting(name: string): string | null {
    switch (name.toLowerCase()) {
      case 'transaction_isolation':
        return this.block.isolation;
      case 'transaction_read_only':
        return this.block.readOnly ? 'on' : 'off';
      case 'transaction_deferrable':
        return this.block.deferrable ? 'on' : 'off';
      default:
        return this.settings.show(name);
    }
  }

  /** @param value null: as it was at the start. */
  setSetting(name: string, value: string | null, local: boolean): string {
    this.block.start();
    if (IDENTITY_NAMES.has(name.toLowerCase())) {
      this.#setIdentity(name.toLowerCase(), value, local);
      return this.settings.show(name) ?? '';
    }
    if (SUPERUSER_SETTINGS.has(name.toLowerCase())) {
      requireSuperuser(this.catalog(), this.identity, `permission denied to set parameter "${name}"`);
    }
    return this.settings.set(name, value, local);
  }

  /** @throws SqlError 22023, 42501. */
  #setIdentity(name: string, value: string | null, local: boolean): void {
    const set = name === 'role' ? setRole : setSessionRole;
    set(this.settings, { catalog: this.catalog(), identity: this.identity, value, local });
  }

  /** @throws SqlError 25006 where the session, or its transaction, only reads. */
  allow(effect: Effect, what: string): void {
    refuseEffect(this, effect, what);
    refuseBeyondRows(this, effect, what);
  }

  catalogServices(): CatalogServices {
    const scope = rowLimits(this);
    this.#services = this.#remember(this.#services, this.fields.catalog(), (whole) => {
      const catalog = scope === null ? whole : limitedCatalog(whole, scope);
      const role = this.identity.current;
      const texts = this.#texts(catalog);
      return catalogServices(catalog, this.searchPath(), { ...this.#bytes, role, texts });
    });
    return this.#services.value;
  }

  /** @param how `parameters` are values to plan for, which a plan needs that is run; `exact` in place of `quern.exact`. */
  plan(
    parsed: ParsedStatement,
    types: readonly number[],
    how: Partial<Pick<PlanRequest, 'parameters' | 'exact' | 'rowRole' | 'rowKey'>> = {},
  ): Planned {
    return this.planner.plan({
      statement: parsed.statement,
      text: parsed.text,
      catalog: this.fields.catalog(),
      format: this.formatSettings(),
      names: this,
      types,
      parameters: how.parameters,
      exact: how.exact,
      rowRole: how.rowRole ?? this.identity.current,
      rowKey: how.rowKey === undefined ? (this.key?.rowKey ?? null) : how.rowKey,
    });
  }

  #reaches(oid: number): boolean {
    const scope = rowLimits(this);
    const catalog = this.catalog();
    return (scope === null ? catalog : limitedCatalog(catalog, scope)).relations.has(oid);
  }

  #texts(catalog: Catalog): DefinitionTexts {
    const searchPath = this.searchPath();
    const settings = this.formatSettings();
    // Whoever may ask for a text is shown it: names in it are found as the owner finds them.
    return definitionTexts(bindContext({ catalog, searchPath, parameterTypes: [], settings }));
  }

  #objectNames(): ObjectNames {
    this.#names = this.#remember(this.#names, this.catalog(), (catalog) =>
      objectNames(catalog, this.searchPath()),
    );
    return this.#names.value;
  }

  /** Remembers a value for this version of the catalog and these settings, and else makes it anew. */
  #remember<T>(known: Remembered<T> | null, catalog: Catalog, make: (catalog: Catalog) => T): Remembered<T> {
    const { generation } = this.settings;
    if (known?.catalog === catalog && known.generation === generation) return known;
    return { catalog, generation, value: make(catalog) };
  }
}
