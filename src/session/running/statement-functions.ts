/**
 * Function context of a statement: one object per statement, so that the statement's
 * time stands still while the clock goes on.
 */
import { present } from '../../assert.ts';
import type { SystemContext } from '../../catalog/system/context.ts';
import { systemColumns } from '../../catalog/system/registry.ts';
import type { Effect, FunctionContext } from '../../functions/function.ts';
import type { SessionServices } from '../../functions/services.ts';
import type { Notice } from '../../errors.ts';
import type { CatalogServices } from '../../functions/function.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings } from '../../types/type.ts';
import { DATABASE, USER } from '../environment.ts';

/** The session's side. */
export interface FunctionHost {
  readonly processId: number;
  formatSettings(): FormatSettings;
  clockMicros(): bigint;
  random(): number;
  searchPath(): readonly string[];
  showSetting(name: string): string | null;
  setSetting(name: string, value: string, local: boolean): string;
  allow(effect: Effect, what: string): void;
  notice(notice: Notice): void;
  catalogServices(): CatalogServices;
  readonly services: SessionServices;
}

export class StatementFunctions implements FunctionContext {
  readonly settings: FormatSettings;
  readonly statementMicros: bigint;
  readonly #system: SystemContext | null;
  readonly signal: AbortSignal;
  readonly isServer: boolean;
  readonly #host: FunctionHost;

  /**
   * @param signal aborted when the statement is cancelled.
   * @param system makes what system relations are made of; absent where values of a client are read or written.
   */
  constructor(
    host: FunctionHost,
    signal: AbortSignal,
    system?: (functions: StatementFunctions) => SystemContext,
    isServer = false,
  ) {
    this.isServer = isServer;
    this.#host = host;
    this.signal = signal;
    this.settings = host.formatSettings();
    this.statementMicros = host.clockMicros();
    this.#system = system?.(this) ?? null;
  }

  get system(): SystemContext {
    return present(this.#system, 'a statement that runs');
  }

  get catalog(): CatalogServices {
    return this.#host.catalogServices();
  }

  clockMicros(): bigint {
    return this.#host.clockMicros();
  }

  random(): number {
    return this.#host.random();
  }

  user(): string {
    return USER;
  }

  database(): string {
    return DATABASE;
  }

  searchPath(): readonly string[] {
    return this.#host.searchPath();
  }

  setting(name: string): string | null {
    return this.#host.showSetting(name);
  }

  setSetting(name: string, value: string, local: boolean): string {
    return this.#host.setSetting(name, value, local);
  }

  allow(effect: Effect, what: string): void {
    this.#host.allow(effect, what);
  }

  systemRows(relation: string, columns: readonly string[]): Iterable<readonly Datum[]> {
    return systemColumns(this.system, relation, columns);
  }

  backendPid(): number {
    return this.#host.processId;
  }

  notice(notice: Notice): void {
    this.#host.notice(notice);
  }

  get services(): SessionServices {
    return this.#host.services;
  }
}
