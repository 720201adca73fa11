/**
 * One request to /sql, answered: its statements run in a session, their results leave as JSON lines, and a last one says how it
 * ended. The end of the client ends what runs.
 */
import { firstError, notSupported, SqlError, sqlErrorOf } from '../../errors.ts';
import type { DoneRequest, ResultSink, Session, TransactionStatus } from '../../session/protocol.ts';
import type { Datum } from '../../types/datum.ts';
import type { ObjectNames } from '../../types/type.ts';
import { errorLine } from '../error-line.ts';
import type { Refusal } from '../refusal.ts';
import { JsonSink } from './json-sink.ts';
import { LINES, type Output, type ResponseOutput } from './output.ts';
import type { RequestData } from './data.ts';
import { RawSink } from './raw-sink.ts';
import { readParameters } from './parameters.ts';
import type { SqlRequest } from './request.ts';
import { statusOf } from '../status.ts';
import { ValueSink } from '../value-sink.ts';
import { tellProgress } from './progress.ts';

const EXPLAIN = 'EXPLAIN (FORMAT JSON) ';

/** A request as it was read. */
export interface Asked {
  readonly asked: SqlRequest;
  /** Null: its body was all of it. */
  readonly data: RequestData | null;
}

interface Values {
  readonly params: readonly unknown[];
  readonly data: RequestData | null;
}

export interface AnswerOptions {
  /** The output, where it takes data as it is; null: it takes lines. */
  readonly raw: ResponseOutput | null;
  /** The request's, where its stream is that of others too. */
  readonly id: string | null;
  /** Hears of failures that are our bugs. */
  readonly report: (error: unknown) => void;
}

export class Answer {
  readonly #output: Output;
  /** How the last statement ended that did, and the last LSN. */
  ended: DoneRequest = { tag: '', lsn: null };
  readonly #lines: JsonSink;
  readonly #raw: ResponseOutput | null;
  /** Where results go. */
  readonly #sink: ResultSink;
  readonly #report: (error: unknown) => void;
  readonly #gone = new AbortController();
  #session: Session | null = null;
  /** LSN that has been told. */
  #lsn: string | null = null;
  /** Tag of a statement whose end is told with that of its transaction. */
  #held: string | null = null;
  #holds = false;

  constructor(output: Output, { raw, id, report }: AnswerOptions) {
    this.#report = report;
    this.#raw = raw;
    this.#output = output;
    const done = (tag: string): void => this.#done(tag);
    const objects = (): ObjectNames | null => this.#session?.formatSettings().objects ?? null;
    this.#lines = new JsonSink(output, { id, done, objects });
    this.#sink = raw === null ? this.#lines : new RawSink(raw, done);
    output.onClose(() => this.cancel(clientGone()));
  }

  /** Ends what runs, or is about to. */
  cancel(reason: SqlError): void {
    this.#gone.abort(reason);
    this.#session?.cancel(reason);
  }

  /** Runs the statements. The session is the caller's, whatever happens. @throws what they end with. */
  async run(session: Session, { asked, data }: Asked): Promise<void> {
    const { statement, params } = asked;
    this.signal.throwIfAborted();
    if (asked.plan && data !== null) throw notSupported('the plan of a request with data');
    if ((asked.plan || asked.progress) && this.#raw !== null) {
      throw notSupported('plan and progress in a raw answer');
    }
    this.#session = session;
    this.#lsn = session.lastLsn();
    if (this.#raw === null) session.onNotification((notification) => this.#lines.notification(notification));
    if (data !== null) this.#sink.copyIn = ({ signal }) => data.pieces(signal);
    using _ = asked.progress ? tellProgress(session, this.#lines) : null;
    try {
      if (asked.plan) await this.#plan(session, statement, { params: params ?? [], data });
      const isSimple = params === null && data === null && this.#raw === null;
      if (isSimple) await session.simpleQuery(statement, this.#sink);
      else await this.#runOne(session, statement, { params: params ?? [], data });
    } finally {
      this.#session = null;
    }
  }

  /** As drivers do it: parse, bind, describe, execute, sync. Each step may have waited. */
  async #runOne(session: Session, statement: string, given: Values): Promise<void> {
    this.#holds = true;
    try {
      await session.parse('', statement, [], this.#sink);
      const values = await this.#valuesOf(session, given);
      this.signal.throwIfAborted();
      await session.bind('', '', values, this.#sink);
      const columns = session.describePortal('');
      if (columns !== null) this.#sink.describe(columns);
      this.signal.throwIfAborted();
      await session.execute('', 0, this.#sink);
      await given.data?.requireTaken(this.signal);
    } catch (error) {
      session.fail(error);
      await session.sync(this.#sink);
      throw error;
    }
    await session.sync(this.#sink);
    this.#holds = false;
    if (this.#held !== null) this.#done(this.#held);
  }

  /** Tells the plan of the one statement; positions of errors are those of its own text. */
  async #plan(session: Session, statement: string, given: Values): Promise<void> {
    const sink = new ValueSink();
    try {
      await session.parse('', statement, [], sink);
      await session.parse('', `${EXPLAIN}${statement}`, [], sink);
      await session.bind('', '', await this.#valuesOf(session, given), sink);
      this.signal.throwIfAborted();
      await session.execute('', 0, sink);
    } catch (error) {
      session.fail(error);
      await session.sync(sink);
      throw error;
    }
    await session.sync(sink);
    this.signal.throwIfAborted();
    this.#lines.line({ plan: JSON.parse(sink.value) as unknown });
  }

  /** Data is the first parameter, where there is one. */
  async #valuesOf(session: Session, { params, data }: Values): Promise<Datum[]> {
    const types = session.parameterTypes('');
    const first = data !== null && types.length > 0 ? [await data.whole(this.signal)] : [];
    return await readParameters(session, [...first, ...params], types);
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
    if (this.#raw === null) this.#lines.line({ done: { tag, ...(isNew && { lsn }) } });
  }

  /** It was done before: how it ended then. */
  repeats({ tag, lsn }: DoneRequest): void {
    this.#lines.line({ done: { tag, ...(lsn !== null && { lsn }), repeated: true } });
  }

  /** The transaction goes on: its next request brings the token. A raw answer has no place for it. */
  keeps(token: string, status: TransactionStatus): void {
    if (this.#raw !== null) return;
    this.#lines.line({ transaction: { token, status: status === 'E' ? 'failed' : 'open' } });
  }

  /** Aborted when the client has gone, or the statement is to end. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Nothing is done: the line says why. */
  refuse({ status, message, hint }: Refusal): void {
    if (this.#raw !== null && !becomesLines(this.#raw)) return;
    this.#output.status = status;
    this.#lines.line({ error: { message, hint: hint ?? undefined } });
  }

  /** How it ended. */
  fail(thrown: unknown): void {
    const error = this.#told(thrown);
    if (this.#raw !== null && !becomesLines(this.#raw)) return;
    this.#output.status = statusOf(error);
    this.#lines.line({ error: errorLine(error) });
  }

  #told(thrown: unknown): SqlError {
    const known = sqlErrorOf(thrown);
    if (known !== null) return known;
    this.#report(thrown);
    const first = firstError(thrown);
    return new SqlError('internal_error', first instanceof Error ? first.message : String(first));
  }
}

/** An error is a line, where nothing else has left yet. False: the answer is broken off. */
function becomesLines(output: ResponseOutput): boolean {
  if (output.hasBegun) {
    output.breakOff();
    return false;
  }
  output.discard();
  output.headers['content-type'] = LINES;
  return true;
}

const clientGone = (): SqlError =>
  new SqlError('connection_failure', 'connection to client lost', { severity: 'FATAL' });
