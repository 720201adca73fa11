/**
 * Transactions that go on after the request that began them: their sessions, by tokens that nobody guesses. A token is good for
 * the key that got it alone; one request at a time uses it. Who leaves one idle finds it rolled back.
 */
import { SqlError } from '../../errors.ts';
import {
  HTTP_TRANSACTION_IDLE_MS_MAX,
  HTTP_TRANSACTIONS_COUNT_MAX,
  HTTP_TRANSACTIONS_OF_KEY_COUNT_MAX,
} from '../../limits.ts';
import type { Session } from '../../session/protocol.ts';

const TOKEN_BYTES = 24;

export interface KeptTransactionsOptions {
  readonly randomBytes: (size: number) => Uint8Array;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

/** A transaction that a request uses. */
export interface KeptTransaction {
  readonly token: string;
  readonly owner: string;
  readonly session: Session;
}

interface Held extends KeptTransaction {
  /** Rolls it back when it fires; null while a request uses it. */
  idle: NodeJS.Timeout | null;
}

export class KeptTransactions {
  readonly #options: KeptTransactionsOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: KeptTransactionsOptions) {
    this.#options = options;
  }

  /** Keeps a session for the requests to come, from now on. @throws SqlError 53300 where that is one too many. */
  keep(owner: string, session: Session): string {
    this.#requireRoom(owner);
    const token = Buffer.from(this.#options.randomBytes(TOKEN_BYTES)).toString('base64url');
    const held = { token, owner, session, idle: null };
    this.#held.set(token, held);
    this.#rest(held);
    return token;
  }

  /** The transaction, for one request. @throws SqlError 25P01 for a token that is not, or not theirs; 55006. */
  take(owner: string, token: string): KeptTransaction {
    const held = this.#held.get(token);
    if (held === undefined || held.owner !== owner) throw unknown();
    if (held.idle === null) throw busy();
    clearTimeout(held.idle);
    held.idle = null;
    return held;
  }

  /** The request is over: the transaction waits for the next. */
  giveBack({ token }: KeptTransaction): void {
    const held = this.#held.get(token);
    if (held !== undefined) this.#rest(held);
  }

  /** Ends its session; what is not committed is rolled back. */
  async end({ token, session }: KeptTransaction): Promise<void> {
    const held = this.#held.get(token);
    this.#held.delete(token);
    if (held?.idle != null) clearTimeout(held.idle);
    await session[Symbol.asyncDispose]();
  }

  /** Ends those that no request uses. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#held.values()].flatMap((held) => (held.idle === null ? [] : [this.end(held)])),
    );
  }

  /** The session ends by itself, too: its own time-outs, the end of its key. */
  #rest(held: Held): void {
    const end = (): void => void this.end(held).catch(this.#options.report);
    held.idle = setTimeout(end, HTTP_TRANSACTION_IDLE_MS_MAX);
    held.idle.unref();
    held.session.onTerminate(end);
  }

  #requireRoom(owner: string): void {
    const own = [...this.#held.values()].filter((held) => held.owner === owner).length;
    const isFull = this.#held.size >= HTTP_TRANSACTIONS_COUNT_MAX;
    if (!isFull && own < HTTP_TRANSACTIONS_OF_KEY_COUNT_MAX) return;
    throw new SqlError('too_many_connections', 'too many transactions are open over HTTP', {
      detail: `A key may have ${HTTP_TRANSACTIONS_OF_KEY_COUNT_MAX}, all keys together ${HTTP_TRANSACTIONS_COUNT_MAX}.`,
      hint: 'End those that are open, by COMMIT or ROLLBACK.',
    });
  }
}

/** Whose it would be is not told. */
const unknown = (): SqlError =>
  new SqlError('no_active_sql_transaction', 'there is no transaction of this token', {
    hint: 'It has ended, was idle for too long, or is of another key. Begin anew.',
  });

const busy = (): SqlError =>
  new SqlError('object_in_use', 'the transaction is busy with another request', {
    hint: 'Send its requests one after the other.',
  });
