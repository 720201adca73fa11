/** The statement that calls a function, and its session, as functions see them: one object a plan that runs. */
import { present } from '../../assert.ts';
import type { Snapshot } from '../../engine/engine.ts';
import type { SystemContext } from '../../catalog/system/context.ts';
import { systemColumns } from '../../catalog/system/registry.ts';
import type { Effect, FunctionContext } from '../../functions/function.ts';
import type { SessionServices } from '../../functions/services.ts';
import type { Notice } from '../../errors.ts';
import type { CatalogServices } from '../../functions/function.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings } from '../../types/type.ts';
import { DATABASE } from '../environment.ts';
import { systemFacts } from '../facts.ts';
import { shownRole } from '../identity.ts';
import type { SessionState } from '../session-state.ts';
import { rowLimits } from '../scope/key-limits.ts';
import { limitedCatalog, limitedFacts } from '../scope/limited-facts.ts';
import type { Statement } from './statement.ts';

export class StatementFunctions implements FunctionContext {
  readonly settings: FormatSettings;
  readonly isServer: boolean;
  readonly #statement: Statement;
  readonly #session: SessionState;
  readonly #snapshot: Snapshot | null;
  #system: SystemContext | null = null;

  /** @param snapshot that system relations are made of; null where values of a client are read or written. */
  constructor(statement: Statement, snapshot: Snapshot | null, isServer = false) {
    this.isServer = isServer;
    this.#statement = statement;
    this.#session = statement.session;
    this.settings = this.#session.formatSettings();
    this.#snapshot = snapshot;
  }

  get statementMicros(): bigint {
    return this.#statement.micros;
  }

  get system(): SystemContext {
    this.#system ??= this.#makeSystem(present(this.#snapshot, 'a statement that runs'));
    return this.#system;
  }

  #makeSystem(snapshot: Snapshot): SystemContext {
    const session = this.#session;
    const scope = rowLimits(session);
    const whole = systemFacts(session, snapshot);
    const known = session.fields.catalog(snapshot.catalog);
    const catalog = scope === null ? known : limitedCatalog(known, scope);
    const facts = scope === null ? whole : limitedFacts(whole, scope, session.processId);
    const role = session.identity.current;
    return { catalog, role, settings: this.settings, functions: this, facts };
  }

  get catalog(): CatalogServices {
    return this.#session.catalogServices();
  }

  clockMicros(): bigint {
    return this.#session.clockMicros();
  }

  random(): number {
    return this.#session.random();
  }

  user(): string {
    return shownRole(this.#session.catalog(), this.#session.identity.current);
  }

  sessionUser(): string {
    return shownRole(this.#session.catalog(), this.#session.identity.session);
  }

  systemUser(): string | null {
    return this.#session.signedInAs;
  }

  keyAttribute(name: string): string | null {
    const attributes = this.#session.key?.scope.attributes;
    if (attributes === undefined || !Object.hasOwn(attributes, name)) return null;
    return attributes[name] ?? null;
  }

  database(): string {
    return DATABASE;
  }

  searchPath(): readonly string[] {
    return this.#session.searchPath();
  }

  setting(name: string): string | null {
    return this.#session.showSetting(name);
  }

  setSetting(name: string, value: string, local: boolean): string {
    return this.#session.setSetting(name, value, local);
  }

  allow(effect: Effect, what: string): void {
    this.#session.allow(effect, what);
  }

  systemRows(relation: string, columns: readonly string[]): Iterable<readonly Datum[]> {
    return systemColumns(this.system, relation, columns);
  }

  backendPid(): number {
    return this.#session.processId;
  }

  notice(notice: Notice): void {
    this.#statement.notice(notice);
  }

  get services(): SessionServices {
    return this.#statement.services;
  }
}
