/**
 * The transaction a session is in. Without BEGIN every statement (of the simple protocol: every query
 * message; of the extended one: every pipeline up to Sync) is a transaction of its own, "implicit" here.
 * The engine's transaction is begun by the first statement that needs one.
 */
import type { Engine, Isolation as EngineIsolation, SessionLocks, Transaction } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { runTask, type Task, wait } from '../../task.ts';
import { Deferral, type DeferralMark } from './deferral.ts';
import type { Notifications } from '../statements/notifications.ts';
import type { TransactionStatus } from '../protocol.ts';
import { type SessionSettings, type SettingsMark, staysReadOnly } from '../settings/settings.ts';

export type Isolation = 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable';

export interface TransactionModes {
  readonly isolation: Isolation | null;
  readonly readOnly: boolean | null;
  readonly deferrable: boolean | null;
}

interface Savepoint {
  readonly name: string;
  readonly mark: number;
  readonly settings: SettingsMark;
  readonly notifications: number;
  readonly deferral: DeferralMark;
}

/** Outcome that the end of a transaction tells the session. */
export type Outcome = 'committed' | 'rolled back';

export class TransactionBlock {
  /** The message at hand holds several statements, which are one transaction. */
  severalStatements = false;
  #engine: Engine;
  #settings: SessionSettings;
  #state: 'none' | 'block' | 'failed' = 'none';
  #transaction: Transaction | null = null;
  #settingsMark: SettingsMark | null = null;
  #savepoints: Savepoint[] = [];
  #isolation: Isolation = 'read committed';
  #readOnly = false;
  #deferrable = false;
  /** True when a statement has run: after that the isolation stays as it is. */
  #used = false;
  /** When the transaction's constraints are checked. */
  readonly deferral = new Deferral();
  /** LSNs of the last commit, by collection or partition. */
  lastLsns: ReadonlyMap<string, string> = new Map();
  /** Numbers that the session took, by sequence, the last one last; they outlive transactions. */
  readonly takenNumbers = new Map<number, bigint>();

  /** Start of the transaction, microseconds since 2000-01-01: `now()`. */
  startMicros = 0n;
  #clockMicros: () => bigint;
  #locks: SessionLocks;
  #notifications: Notifications;

  constructor(
    engine: Engine,
    settings: SessionSettings,
    {
      clockMicros,
      locks,
      notifications,
    }: {
      readonly clockMicros: () => bigint;
      readonly locks: SessionLocks;
      readonly notifications: Notifications;
    },
  ) {
    this.#engine = engine;
    this.#locks = locks;
    this.#notifications = notifications;
    this.#settings = settings;
    this.#clockMicros = clockMicros;
  }

  /** The engine's transaction if it has been begun. */
  get transaction(): Transaction | null {
    return this.#transaction;
  }

  status(): TransactionStatus {
    return this.#state === 'none' ? 'I' : this.#state === 'block' ? 'T' : 'E';
  }

  /** The newest of the last commit's; null before one. */
  get lastLsn(): string | null {
    let newest: string | null = null;
    for (const lsn of this.lastLsns.values()) {
      if (newest === null || BigInt(lsn) > BigInt(newest)) newest = lsn;
    }
    return newest;
  }

  get inBlock(): boolean {
    return this.#state !== 'none';
  }

  /** The statement is a transaction of its own: in no block, and the only one of its message. */
  get standsAlone(): boolean {
    return !this.inBlock && !this.severalStatements;
  }

  get failed(): boolean {
    return this.#state === 'failed';
  }

  get open(): boolean {
    return this.#settingsMark !== null;
  }

  get isolation(): Isolation {
    return this.open ? this.#isolation : (this.#settings.get('default_transaction_isolation') as Isolation);
  }

  get readOnly(): boolean {
    if (this.#settings.isReadOnly) return true;
    return this.open ? this.#readOnly : this.#settings.isOn('default_transaction_read_only');
  }

  get deferrable(): boolean {
    return this.open ? this.#deferrable : this.#settings.isOn('default_transaction_deferrable');
  }

  /** As in PostgreSQL, READ UNCOMMITTED is READ COMMITTED. */
  get engineIsolation(): EngineIsolation {
    const { isolation } = this;
    return isolation === 'read uncommitted' ? 'read committed' : isolation;
  }

  /** Begins an implicit transaction unless one is open. Cheap: the engine hears of it when it is needed. */
  start(): void {
    if (this.open) return;
    this.#isolation = this.isolation;
    this.#readOnly = this.readOnly;
    this.#deferrable = this.deferrable;
    this.#settingsMark = this.#settings.mark();
    this.#used = false;
    this.startMicros = this.#clockMicros();
  }

  /** The engine's transaction, begun now if need be. */
  require(): Transaction {
    this.start();
    this.#used = true;
    this.#transaction ??= this.#engine.begin({
      isolation: this.engineIsolation,
      readOnly: this.readOnly,
      session: this.#locks,
    });
    return this.#transaction;
  }

  /** BEGIN. @returns false when a block is open already. */
  begin(modes: TransactionModes): boolean {
    this.#checkReadOnly(modes);
    const fresh = this.#state === 'none';
    this.start();
    this.#state = 'block';
    this.setModes(modes);
    return fresh;
  }

  /** SET TRANSACTION. @throws SqlError 25001 when the isolation changes after the first statement; 25006. */
  setModes(modes: TransactionModes): void {
    this.#checkReadOnly(modes);
    if (modes.isolation !== null && modes.isolation !== this.#isolation) {
      if (this.#used) {
        throw new SqlError(
          'active_sql_transaction',
          'SET TRANSACTION ISOLATION LEVEL must be called before any query',
        );
      }
      this.#isolation = modes.isolation;
    }
    if (modes.readOnly !== null) {
      if (this.#used && this.#readOnly && !modes.readOnly) {
        throw new SqlError(
          'active_sql_transaction',
          'transaction read-write mode must be set before any query',
        );
      }
      this.#readOnly = modes.readOnly;
    }
    if (modes.deferrable !== null) this.#deferrable = modes.deferrable;
  }

  #checkReadOnly({ readOnly }: TransactionModes): void {
    if (readOnly === false && this.#settings.isReadOnly) throw staysReadOnly();
  }

  /** @throws SqlError 40001 and its kin; everything is rolled back then. */
  commit(): Outcome | Promise<Outcome> {
    return runTask(this.#commit());
  }

  *#commit(): Task<Outcome> {
    if (this.#state === 'failed') {
      this.rollback();
      return 'rolled back';
    }
    const transaction = this.#transaction;
    this.#transaction = null;
    try {
      if (transaction !== null) yield* this.#commitEngine(transaction);
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.#settings.endTransaction();
    this.#clear();
    this.#notifications.commit();
    return 'committed';
  }

  rollback(): void {
    const transaction = this.#transaction;
    const mark = this.#settingsMark;
    this.#clear();
    if (mark !== null) this.#settings.rollbackTo(mark);
    this.#notifications.undo();
    transaction?.rollback();
  }

  /** A statement failed: an implicit transaction ends, a block waits for its ROLLBACK. */
  fail(): void {
    if (this.#state === 'none') this.rollback();
    else this.#state = 'failed';
  }

  savepoint(name: string): void {
    const mark = this.require().savepoint();
    const notifications = this.#notifications.mark();
    const deferral = this.deferral.mark();
    this.#savepoints.push({ name, mark, settings: this.#settings.mark(), notifications, deferral });
  }

  /** @throws SqlError 3B001. */
  release(name: string): void {
    this.#savepoints.length = this.#position(name);
  }

  /** Keeps the savepoint itself, and ends the failed state. @throws SqlError 3B001. */
  rollbackTo(name: string): void {
    const position = this.#position(name);
    const savepoint = this.#savepoints[position] as Savepoint;
    this.#savepoints.length = position + 1;
    this.require().rollbackTo(savepoint.mark);
    this.#settings.rollbackTo(savepoint.settings);
    this.#notifications.undo(savepoint.notifications);
    this.deferral.rollbackTo(savepoint.deferral);
    this.#state = 'block';
  }

  #position(name: string): number {
    const position = this.#savepoints.findLastIndex((savepoint) => savepoint.name === name);
    if (position < 0) throw new SqlError('savepoint_exception', `savepoint "${name}" does not exist`);
    return position;
  }

  *#commitEngine(transaction: Transaction): Task<void> {
    const lsns = yield* wait(transaction.commit());
    if (lsns.size > 0) this.lastLsns = lsns;
  }

  #clear(): void {
    this.#state = 'none';
    this.#transaction = null;
    this.#settingsMark = null;
    this.#savepoints = [];
    this.deferral.clear();
  }
}
