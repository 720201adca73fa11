/**
 * A signed-in client's messages, handed to its session. After an error in the extended protocol everything
 * up to the next Sync is read past. Messages that need no waiting are answered without a promise.
 */
import { unreachable } from '../assert.ts';
import { firstError, SqlError, sqlErrorOf } from '../errors.ts';
import type { Session } from '../session/protocol.ts';
import { takeTurn } from '../time-slice.ts';
import type { Datum } from '../types/datum.ts';
import { findTypeByOid } from '../types/registry.ts';
import { takesLongToRead } from '../types/weight.ts';
import { decodeMessage, type FormatCode, type FrontendMessage } from './decode.ts';
import * as encode from './encode.ts';
import type { Frame } from './framing.ts';
import { decodeText } from './message-reader.ts';
import type { Output } from './output.ts';
import { ALL_TEXT, WireSink } from './result-sink.ts';

export const SYNC = 0x53;
const QUERY = 0x51;
const FUNCTION_CALL = 0x46;
const TERMINATE = 0x58;
/** Parameters read between two turns of the event loop: some 2 ms of vectors. */
const PARAMETER_BYTES_PER_TURN = 256 * 1024;

type Bind = Extract<FrontendMessage, { kind: 'bind' }>;
type Target = Extract<FrontendMessage, { kind: 'describe' | 'close' }>;

export interface HandlerHost {
  readonly output: Output;
  /** The next message while a statement runs that reads from the client; null when the client has gone. */
  nextFrame(signal: AbortSignal): Promise<Frame | null>;
  /** Ends the connection once what has gathered is sent. */
  close(): void;
  /** A failure that is our bug. */
  report(error: unknown): void;
}

export class MessageHandler {
  #session: Session;
  #host: HandlerHost;
  #sink: WireSink;
  /** Reading past everything up to Sync. */
  #skipping = false;
  /** Result formats by portal, where they are not all text. */
  #formats = new Map<string, readonly FormatCode[]>();

  constructor(session: Session, host: HandlerHost) {
    this.#session = session;
    this.#host = host;
    this.#sink = new WireSink(host.output, (signal) => host.nextFrame(signal));
  }

  /** Answers one message; a promise when it has to wait. Never rejects. */
  handle(frame: Frame): void | Promise<void> {
    if (this.#skipping && frame.code !== SYNC && frame.code !== TERMINATE) return;
    try {
      const pending = this.#dispatch(decodeMessage(frame.code, frame.body));
      if (pending instanceof Promise) return pending.catch((error: unknown) => this.fail(error, frame.code));
    } catch (error) {
      this.fail(error, frame.code);
    }
  }

  /** Tells the client, and goes on as the protocol says for a message of type `code`. */
  fail(error: unknown, code: number): void {
    this.#session.fail(error);
    const told = this.#toSqlError(error);
    const { output } = this.#host;
    encode.errorResponse(output.writer, told);
    if (told.fields.severity === 'FATAL') {
      output.flush();
      this.#host.close();
    } else if (code === QUERY || code === FUNCTION_CALL || code === SYNC) {
      this.#ready();
    } else {
      this.#skipping = true;
      output.flush();
    }
  }

  #toSqlError(error: unknown): SqlError {
    const known = sqlErrorOf(error);
    if (known !== null) return known;
    const first = firstError(error);
    const message = first instanceof Error ? first.message : String(first);
    this.#host.report(error);
    return new SqlError('internal_error', message, { cause: error });
  }

  #dispatch(message: FrontendMessage): void | Promise<void> {
    const session = this.#session;
    const { output } = this.#host;
    switch (message.kind) {
      case 'query':
        this.#sink.formats = ALL_TEXT;
        return after(session.simpleQuery(message.text, this.#sink), this.#ready);
      case 'parse': {
        const parsing = session.parse(message.statement, message.text, message.types, this.#sink);
        return after(parsing, () => encode.parseComplete(output.writer));
      }
      case 'bind':
        return this.#bind(message);
      case 'describe':
        this.#describe(message);
        return;
      case 'execute':
        this.#sink.formats = this.#formats.get(message.portal) ?? ALL_TEXT;
        return session.execute(message.portal, Math.max(message.maxRows, 0), this.#sink);
      case 'close':
        return after(this.#close(message), () => encode.closeComplete(output.writer));
      case 'flush':
        output.flush();
        return;
      case 'sync':
        this.#skipping = false;
        return after(session.sync(this.#sink), this.#ready);
      case 'terminate':
        this.#host.close();
        return;
      case 'copy data':
      case 'copy done':
      case 'copy fail':
        return; // What is left of a COPY that failed; PostgreSQL reads past it too.
      case 'function call':
        throw new SqlError('feature_not_supported', 'function call messages are not supported', {
          hint: 'Call the function with SELECT.',
        });
      case 'password':
        throw new SqlError('protocol_violation', 'unexpected password message', { severity: 'FATAL' });
      default:
        unreachable(message);
    }
  }

  /** A field, as it is handed on with every message. */
  readonly #ready = (): void => {
    const status = this.#session.status();
    if (status === 'I' && this.#formats.size > 0) this.#formats.clear();
    encode.readyForQuery(this.#host.output.writer, status);
    this.#host.output.flush();
  };

  #bind(message: Bind): void | Promise<void> {
    const parameters = this.#parameters(message);
    if (parameters instanceof Promise) return parameters.then((read) => this.#bindTo(message, read));
    return this.#bindTo(message, parameters);
  }

  #bindTo(message: Bind, parameters: readonly Datum[]): void | Promise<void> {
    const binding = this.#session.bind(message.portal, message.statement, parameters, this.#sink);
    return after(binding, () => {
      const columns = this.#session.describePortal(message.portal);
      checkFormats(message, columns?.length ?? 0);
      if (message.resultFormats.length > 0) this.#formats.set(message.portal, message.resultFormats);
      else if (this.#formats.size > 0) this.#formats.delete(message.portal);
      encode.bindComplete(this.#host.output.writer);
    });
  }

  #parameters(message: Bind): Datum[] | Promise<Datum[]> {
    const types = this.#session.parameterTypes(message.statement);
    const { parameters, parameterFormats: formats } = message;
    checkParameterCounts(message, types.length);
    let left = PARAMETER_BYTES_PER_TURN;
    const values: Datum[] = [];
    for (let i = 0; i < parameters.length; i++) {
      const bytes = parameters[i] as Buffer | null;
      const type = types[i] as number;
      left -= bytes?.length ?? 0;
      if (left <= 0 || isLong(bytes, type)) return this.#largeParameters(message, types);
      values.push(
        bytes && this.#parameter(bytes, type, { format: encode.formatOf(formats, i), number: i + 1 }),
      );
    }
    return values;
  }

  /** With turns for others. */
  async #largeParameters(message: Bind, types: readonly number[]): Promise<Datum[]> {
    const values: Datum[] = [];
    let left = PARAMETER_BYTES_PER_TURN;
    for (const [i, bytes] of message.parameters.entries()) {
      const format = encode.formatOf(message.parameterFormats, i);
      const type = types[i] as number;
      values.push(
        bytes !== null && isLong(bytes, type)
          ? await this.#session.readParameter(bytes, type, format === 1)
          : bytes && this.#parameter(bytes, type, { format, number: i + 1 }),
      );
      left -= bytes?.length ?? 0;
      if (left > 0) continue;
      left = PARAMETER_BYTES_PER_TURN;
      await takeTurn();
    }
    return values;
  }

  #parameter(bytes: Buffer, oid: number, { format, number }: { format: FormatCode; number: number }): Datum {
    const type = findTypeByOid(oid);
    if (format === 1) {
      if (type === undefined) {
        throw new SqlError('undefined_function', `no binary input function available for type ${oid}`);
      }
      try {
        return type.receive(bytes, -1, this.#session.formatSettings());
      } catch (error) {
        throw inParameter(error, number);
      }
    }
    const text = decodeText(bytes);
    return type === undefined ? text : type.parse(text, -1, this.#session.formatSettings());
  }

  #describe(message: Target): void {
    const { writer } = this.#host.output;
    if (message.target === 'statement') {
      const types = this.#session.parameterTypes(message.name);
      const columns = this.#session.describeStatement(message.name);
      encode.parameterDescription(writer, types);
      if (columns === null) encode.noData(writer);
      else encode.rowDescription(writer, columns, []);
      return;
    }
    const columns = this.#session.describePortal(message.name);
    if (columns === null) encode.noData(writer);
    else encode.rowDescription(writer, columns, this.#formats.get(message.name) ?? ALL_TEXT);
  }

  #close(message: Target): void | Promise<void> {
    if (message.target === 'statement') {
      this.#session.closeStatement(message.name);
      return;
    }
    this.#formats.delete(message.name);
    return this.#session.closePortal(message.name);
  }
}

/** Goes on when what is under way is done: at once where it is. */
function after(pending: void | Promise<void>, next: () => void): void | Promise<void> {
  if (pending instanceof Promise) return pending.then(next);
  next();
}

const isLong = (bytes: Buffer | null, type: number): boolean =>
  bytes !== null && takesLongToRead(findTypeByOid(type), bytes.length);

function checkParameterCounts(
  { statement, parameters, parameterFormats: formats }: Bind,
  wanted: number,
): void {
  if (formats.length > 1 && formats.length !== parameters.length) {
    throw new SqlError(
      'protocol_violation',
      `bind message has ${formats.length} parameter formats but ${parameters.length} parameters`,
    );
  }
  if (parameters.length === wanted) return;
  throw new SqlError(
    'protocol_violation',
    `bind message supplies ${parameters.length} parameters, but prepared statement ` +
      `"${statement}" requires ${wanted}`,
    // The caller's mistake: nothing is wrong with the connection.
    { routine: 'invalid_argument' },
  );
}

/** Says which parameter it was. */
function inParameter(error: unknown, number: number): unknown {
  if (!(error instanceof SqlError) || error.message !== 'incorrect binary data format') return error;
  return new SqlError(error.condition, `${error.message} in bind parameter ${number}`, error.fields);
}

function checkFormats(message: Bind, columnCount: number): void {
  const { length } = message.resultFormats;
  if (length > 1 && length !== columnCount) {
    throw new SqlError(
      'protocol_violation',
      `bind message has ${length} result formats but query has ${columnCount} columns`,
    );
  }
}
