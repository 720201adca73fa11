/** Time-outs of a session: of statements, of transactions, and of a client that asks nothing. */
import { SqlError } from '../../errors.ts';
import type { SessionState } from '../session-state.ts';

const IDLE = {
  block: {
    condition: 'idle_in_transaction_session_timeout',
    message: 'terminating connection due to idle-in-transaction timeout',
  },
  session: {
    condition: 'idle_session_timeout',
    message: 'terminating connection due to idle-session timeout',
  },
} as const;

export class Timeouts {
  readonly #session: SessionState;
  readonly #end: (reason: SqlError) => void;
  #idle: NodeJS.Timeout | null = null;
  #transaction: NodeJS.Timeout | null = null;
  /** By `nowMs`; null outside of a transaction. */
  #transactionSince: number | null = null;

  /** @param end ends the session, whatever runs. */
  constructor(session: SessionState, end: (reason: SqlError) => void) {
    this.#session = session;
    this.#end = end;
  }

  /** The client has sent something. */
  enter(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#transactionSince ??= this.#session.nowMs();
    this.#limitTransaction();
  }

  /** The client has its answer. */
  leave(): void {
    const { block, settings } = this.#session;
    if (!block.inBlock) this.#transactionSince = null;
    this.#limitTransaction();
    const { idleInTransactionTimeoutMs, idleSessionTimeoutMs } = settings.figures();
    const timeoutMs = block.inBlock ? idleInTransactionTimeoutMs : idleSessionTimeoutMs;
    if (timeoutMs === 0) return;
    const { condition, message } = block.inBlock ? IDLE.block : IDLE.session;
    const reason = new SqlError(condition, message, { severity: 'FATAL' });
    this.#idle = setTimeout(() => this.#end(reason), timeoutMs).unref();
  }

  /** `statement_timeout`; null: there is none. The caller clears it. */
  limitStatement(controller: AbortController): NodeJS.Timeout | null {
    const { statementTimeoutMs } = this.#session.settings.figures();
    if (statementTimeoutMs === 0) return null;
    return setTimeout(() => controller.abort(timedOut()), statementTimeoutMs);
  }

  stop(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (this.#transaction !== null) clearTimeout(this.#transaction);
  }

  /** `transaction_timeout`, from where the transaction began. */
  #limitTransaction(): void {
    if (this.#transaction !== null) clearTimeout(this.#transaction);
    this.#transaction = null;
    const { transactionTimeoutMs } = this.#session.settings.figures();
    if (transactionTimeoutMs === 0 || this.#transactionSince === null) return;
    const passedMs = this.#session.nowMs() - this.#transactionSince;
    const message = 'terminating connection due to transaction timeout';
    const reason = new SqlError('transaction_timeout', message, { severity: 'FATAL' });
    const leftMs = Math.max(0, transactionTimeoutMs - passedMs);
    this.#transaction = setTimeout(() => this.#end(reason), leftMs).unref();
  }
}

function timedOut(): SqlError {
  return new SqlError('query_canceled', 'canceling statement due to statement timeout', {
    routine: 'statement_timeout',
  });
}
