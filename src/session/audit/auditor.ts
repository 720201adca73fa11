/**
 * Writes entries of the audit. Those that tell of a transaction are part of its commit (`within`); the others wait for one
 * of their own, many to a commit: `noted` until it is durable, `note` for nothing. One thing to know: what cannot be written
 * keeps others than superusers out, unless the server is told to go on.
 */
import { SqlError } from '../../errors.ts';
import { AUDIT_REFUSALS_MINUTE_MAX, AUDIT_WAITING_COUNT_MAX } from '../../limits.ts';
import { text } from '../datasets/parameters.ts';
import type { Query } from '../server-session.ts';
import type { ReusedSessions } from '../reused-sessions.ts';
import {
  type ApartText,
  type AuditActor,
  type AuditEvent,
  entryText,
  insertEntries,
  NOBODY,
} from './entry.ts';
import { RefusalLimits } from './refusal-limits.ts';

const INSERT_TEXT = `INSERT INTO quern.audit_texts (digest, salt, text, at)
  VALUES ($1, $2, $3, clock_timestamp())`;
/** Entries that nobody waits for go together: a commit each would cost as much as a sign-in. */
const GATHERED_MS = 200;
const AGAIN_MS = 2_000;
/** It is written down whoever has gone. */
const NEVER = new AbortController().signal;

/** Behaviour of the server while entries cannot be written. */
export type WhenFull = 'stop' | 'go on';

interface AuditorOptions {
  /** Unix time. */
  readonly clockMs: () => number;
  readonly keeping: ReusedSessions;
  readonly whenFull: WhenFull;
  readonly report: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** More entries are stored. */
  readonly stored: () => void;
}

/** Where things that are done are written down. */
export interface Audit {
  /** False: nowhere. */
  readonly isOn: boolean;
  /** Stored soon; nobody waits. */
  note(actor: AuditActor, event: AuditEvent): void;
  /** As `note`, so many a minute and address; the next that is stored says how many were left out. */
  noteRefusal(actor: AuditActor, event: AuditEvent): void;
  /** Durable when it resolves. @param apart is kept with it. @throws SqlError 53100, unless the server goes on without. */
  noted(actor: AuditActor, event: AuditEvent, apart?: ApartText | null): Promise<void>;
  /** Within a transaction. @param query its statements as the server's own. @throws SqlError. */
  within(
    query: Query,
    actor: AuditActor,
    events: readonly AuditEvent[],
    apart?: ApartText | null,
  ): Promise<void>;
  /** Entries that were stored by somebody's commit can be read. */
  committed(): void;
  /** @throws SqlError 53100 where entries cannot be written, and that is to stop what would make some. */
  requireWritten(): void;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
}

export const NO_AUDIT: Audit = {
  isOn: false,
  note() {},
  noteRefusal() {},
  async noted() {},
  async within() {},
  committed() {},
  requireWritten() {},
  async settled() {},
};

interface Waiting {
  readonly entry: string;
  readonly apart: ApartText | null;
  /** Tells who waits for it; null: nobody does, and it is tried again. */
  readonly done: ((fault: unknown) => void) | null;
}

export class Auditor implements Audit {
  readonly isOn = true;
  readonly #options: AuditorOptions;
  readonly #limits: RefusalLimits;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  /** Until what nobody waits for is written, or what could not be written is tried again. */
  #later: NodeJS.Timeout | null = null;
  /** Entries that found no room among those that wait. */
  #lost = 0;
  readonly #faults = new Map<'entries' | 'log', unknown>();

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#limits = new RefusalLimits(AUDIT_REFUSALS_MINUTE_MAX, options.clockMs);
  }

  note(actor: AuditActor, event: AuditEvent): void {
    this.#wait({ entry: this.#text(actor, event), apart: null, done: null });
  }

  noteRefusal(actor: AuditActor, event: AuditEvent): void {
    const allowed = this.#limits.take(actor.address ?? '');
    if (allowed === null) return;
    if (allowed.leftOut > 0) {
      this.note({ ...NOBODY, address: actor.address }, leftOut(allowed.leftOut));
    }
    this.note(actor, event);
  }

  noted(actor: AuditActor, event: AuditEvent, apart: ApartText | null = null): Promise<void> {
    const entry = this.#text(actor, event);
    const goesOn = this.#options.whenFull === 'go on' && this.#faults.size > 0;
    if (goesOn) {
      this.#wait({ entry, apart, done: null });
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (fault: unknown): void => (fault === null ? resolve() : reject(this.#cannot()));
    this.#wait({ entry, apart, done });
    return promise;
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.length >= AUDIT_WAITING_COUNT_MAX) {
      this.#lost++;
      waiting.done?.(new Error('too many entries wait'));
      return;
    }
    this.#waiting.push(waiting);
    if (waiting.done !== null && !this.#faults.has('entries')) this.#begin();
    else this.#beginLater();
  }

  #begin(): void {
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    this.#writing ??= this.#write();
  }

  #beginLater(): void {
    if (this.#writing !== null) return;
    this.#later ??= setTimeout(() => this.#begin(), this.#faults.has('entries') ? AGAIN_MS : GATHERED_MS);
    this.#later.unref();
  }

  async within(
    query: Query,
    actor: AuditActor,
    events: readonly AuditEvent[],
    apart: ApartText | null = null,
  ): Promise<void> {
    await insertEntries(
      query,
      events.map((event) => this.#text(actor, event)),
    );
    if (apart !== null) await keepText(query, apart);
  }

  committed(): void {
    this.#options.stored();
  }

  requireWritten(): void {
    if (this.#faults.size > 0 && this.#options.whenFull === 'stop') throw this.#cannot();
  }

  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#begin();
    while (this.#writing !== null) await this.#writing;
  }

  #text(actor: AuditActor, event: AuditEvent): string {
    return entryText(this.#options.clockMs(), actor, event);
  }

  async #write(): Promise<void> {
    // What comes in this turn goes together.
    await undefined;
    do {
      const taken = this.#waiting;
      this.#waiting = [];
      const fault = await this.#store(taken).then(
        () => null,
        (error: unknown) => error,
      );
      this.became('entries', fault);
      if (fault !== null) this.#putBack(taken, fault);
      for (const { done } of fault === null ? taken : []) done?.(null);
    } while (this.#waiting.some(({ done }) => done !== null) && !this.#faults.has('entries'));
    this.#writing = null;
    if (this.#waiting.length > 0) this.#beginLater();
  }

  /** Who waits is told, or goes on without; what nobody waits for is tried again. */
  #putBack(taken: readonly Waiting[], fault: unknown): void {
    const { whenFull } = this.#options;
    const kept = whenFull === 'stop' ? taken.filter(({ done }) => done === null) : taken;
    for (const { done } of taken) done?.(whenFull === 'stop' ? fault : null);
    this.#waiting = [...kept.map((one) => ({ ...one, done: null })), ...this.#waiting];
  }

  async #store(taken: readonly Waiting[]): Promise<void> {
    const entries = taken.map(({ entry }) => entry);
    if (this.#lost > 0) {
      entries.push(this.#text(NOBODY, { action: 'entries lost', detail: { count: this.#lost } }));
    }
    await this.#options.keeping.transaction(async (query) => {
      await insertEntries(query, entries);
      for (const { apart } of taken) if (apart !== null) await keepText(query, apart);
    }, NEVER);
    this.#lost = 0;
    this.#options.stored();
  }

  /** @param fault null: it can be written again. */
  became(what: 'entries' | 'log', fault: unknown): void {
    if ((fault === null) === !this.#faults.has(what)) return;
    const { report, whenFull } = this.#options;
    if (fault === null) {
      this.#faults.delete(what);
      report('the audit is written again', { what });
    } else {
      this.#faults.set(what, fault);
      report('the audit cannot be written', { what, message: String(fault), when_full: whenFull });
    }
  }

  #cannot(): SqlError {
    return new SqlError('disk_full', 'the audit cannot be written', {
      detail: String([...this.#faults.values()][0] ?? 'too many entries wait'),
      hint: 'Superusers may still sign in. quern serve --audit-when-full go-on goes on without.',
    });
  }
}

const leftOut = (count: number): AuditEvent => ({ action: 'refusals left out', detail: { count } });

async function keepText(query: Query, { digest, salt, text: kept }: ApartText): Promise<void> {
  await query(INSERT_TEXT, text(digest), text(salt), text(kept));
}
