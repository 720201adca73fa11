/**
 * One request to /sql, answered: its statements run in a session, their results leave as JSON lines, and a last one says how it
 * ended. The end of the client ends what runs.
 */
import type { ServerResponse } from 'node:http';
import { kindOf } from '../../error-kinds.ts';
import { firstError, SqlError, sqlErrorOf } from '../../errors.ts';
import type { DoneRequest, Session, TransactionStatus } from '../../session/protocol.ts';
import type { Refusal } from '../refusal.ts';
import { JsonSink } from './json-sink.ts';
import { AnswerOutput } from './output.ts';
import { readParameters } from './parameters.ts';
import type { SqlRequest } from './request.ts';
import { statusOf } from './status.ts';

const HEADERS = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export class Answer {
  readonly output: AnswerOutput;
  /** How the last statement ended that did, and the last LSN. */
  ended: DoneRequest = { tag: '', lsn: null };
  readonly #sink: JsonSink;
  readonly #report: (error: unknown) => void;
  readonly #gone = new AbortController();
  #session: Session | null = null;
  /** LSN that has been told. */
  #lsn: string | null = null;
  /** Tag of a statement whose end is told with that of its transaction. */
  #held: string | null = null;
  #holds = false;

  /** @param report hears of failures that are our bugs. */
  constructor(response: ServerResponse, report: (error: unknown) => void) {
    this.#report = report;
    this.output = new AnswerOutput(response, { ...HEADERS });
    this.#sink = new JsonSink(
      this.output,
      (tag) => this.#done(tag),
      () => this.#session?.formatSettings().objects ?? null,
    );
    response.once('close', () => this.cancel(clientGone()));
  }

  /** Ends what runs, or is about to. */
  cancel(reason: SqlError): void {
    this.#gone.abort(reason);
    this.#session?.cancel(reason);
  }

  /** Runs the statements. The session is the caller's, whatever happens. @throws what they end with. */
  async run(session: Session, { statement, params }: SqlRequest): Promise<void> {
    this.#gone.signal.throwIfAborted();
    this.#session = session;
    this.#lsn = session.lastLsn();
    session.onNotification((notification) => this.#sink.notification(notification));
    try {
      if (params === null) await session.simpleQuery(statement, this.#sink);
      else await this.#runWith(session, statement, params);
    } finally {
      this.#session = null;
    }
  }

  /** As drivers do it: parse, bind, describe, execute, sync. Each step may have waited. */
  async #runWith(session: Session, statement: string, params: readonly unknown[]): Promise<void> {
    const { signal } = this.#gone;
    this.#holds = true;
    try {
      await session.parse('', statement, [], this.#sink);
      const values = await readParameters(session, params, session.parameterTypes(''));
      signal.throwIfAborted();
      await session.bind('', '', values, this.#sink);
      const columns = session.describePortal('');
      if (columns !== null) this.#sink.describe(columns);
      signal.throwIfAborted();
      await session.execute('', 0, this.#sink);
    } catch (error) {
      session.fail();
      await session.sync(this.#sink);
      throw error;
    }
    await session.sync(this.#sink);
    this.#holds = false;
    if (this.#held !== null) this.#done(this.#held);
  }

  #done(tag: string): void {
    if (this.#holds) {
      this.#held = tag;
      return;
    }
    const lsn = this.#session?.lastLsn() ?? null;
    const isNew = lsn !== this.#lsn;
    this.#lsn = lsn;
    this.ended = { tag, lsn: isNew ? lsn : this.ended.lsn };
    this.#sink.line({ done: { tag, ...(isNew && { lsn }) } });
  }

  /** It was done before: how it ended then. */
  repeats({ tag, lsn }: DoneRequest): void {
    this.#sink.line({ done: { tag, ...(lsn !== null && { lsn }), repeated: true } });
  }

  /** The transaction goes on: its next request brings the token. */
  keeps(token: string, status: TransactionStatus): void {
    this.#sink.line({ transaction: { token, status: status === 'E' ? 'failed' : 'open' } });
  }

  /** The client has gone, or the statement is to end. */
  get isCancelled(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Nothing is done: the line says why. */
  refuse({ status, headers, message, hint }: Refusal): void {
    this.output.status = status;
    Object.assign(this.output.headers, headers);
    this.#sink.line({ error: { message, hint: hint ?? undefined } });
  }

  /** How it ended. */
  fail(thrown: unknown): void {
    const error = this.#told(thrown);
    this.output.status = statusOf(error);
    if (this.output.status === 401) this.output.headers['www-authenticate'] = 'Bearer';
    this.#sink.line({ error: errorLine(error) });
  }

  #told(thrown: unknown): SqlError {
    const known = sqlErrorOf(thrown);
    if (known !== null) return known;
    this.#report(thrown);
    const first = firstError(thrown);
    return new SqlError('internal_error', first instanceof Error ? first.message : String(first));
  }
}

const clientGone = (): SqlError =>
  new SqlError('connection_failure', 'connection to client lost', { severity: 'FATAL' });

/** Fields that are undefined are left out. */
function errorLine(error: SqlError): Readonly<Record<string, unknown>> {
  const { message, sqlstate, fields } = error;
  const { position, hint, detail, where, schema, table, column, dataType, constraint } = fields;
  const place = { schema, table, column, data_type: dataType, constraint };
  const inner = { internal_position: fields.internalPosition, internal_query: fields.internalQuery };
  return { message, sqlstate, kind: kindOf(error), position, hint, detail, where, ...place, ...inner };
}
