/**
 * One client connection: its socket, its framer, and the loop that takes one message after the other.
 * Reading stops while more than enough is waiting; whatever the client does, the session is released.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { SqlError } from '../errors.ts';
import { AUTHENTICATION_TIMEOUT_MS } from '../limits.ts';
import type { Session, SessionFactory } from '../session/protocol.ts';
import { runTask, type Task, wait } from '../task.ts';
import { TimeSlice } from '../time-slice.ts';
import * as encode from './encode.ts';
import { type Frame, Framer } from './framing.ts';
import { ALPN_PROTOCOL, Handshake, type Step } from './handshake.ts';
import { type HandlerHost, MessageHandler, SYNC } from './message-handler.ts';
import { Output } from './output.ts';
import { PeerProbe } from './peer-probe.ts';
import type { ServerTls } from './tls.ts';
import { channelOf } from './tls-channel.ts';

/** Bytes that may wait while a statement runs before the socket is no longer read. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** So long a client has to close its side when the server has closed its own. */
const CLOSE_GRACE_MS = 1000;

/** First byte of a TLS handshake: clients may begin with it (`sslnegotiation=direct`). */
const TLS_HANDSHAKE = 0x16;

/** A socket, or what takes and gives bytes as it does. */
type Way = Duplex & Partial<Pick<Socket, 'setNoDelay' | 'setKeepAlive' | 'destroySoon'>>;

export interface ConnectionOptions {
  readonly factory: SessionFactory;
  readonly tls: ServerTls;
  /** The client's. */
  readonly remoteAddress: string;
  /** The bytes leave the process nowhere. */
  readonly isInner: boolean;
  /** True when as many clients have signed in as may. */
  readonly full: () => boolean;
  /** Failures that are our bugs, and how connections end. */
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** The client has signed in and takes a place; false where none is left. */
  readonly admit: (connection: Connection) => boolean;
  readonly onClose: (connection: Connection) => void;
}

export class Connection implements HandlerHost {
  readonly output: Output;
  #options: ConnectionOptions;
  #socket: Way;
  readonly #probe: PeerProbe;
  #framer = new Framer();
  #handshake: Handshake;
  #session: Session | null = null;
  #handler: MessageHandler | null = null;
  #busy = false;
  /** The client has said something. */
  #hasBegun = false;
  readonly #slice = new TimeSlice(() => performance.now());
  /** Wakes a statement that waits for what the client sends. */
  #wake: (() => void) | null = null;
  #closing = false;
  #ended = false;
  /** Why the server ends this connection as soon as it can. */
  #stopReason: SqlError | null = null;
  #authenticationTimer: NodeJS.Timeout;
  #onData = (chunk: Buffer): void => this.#receive(chunk);
  #onEnd = (): void => this.#endedByClient();

  constructor(socket: Way, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.output = new Output(socket);
    this.#probe = new PeerProbe(this.output, () => this.#session !== null);
    this.#handshake = new Handshake({
      ...options,
      output: this.output,
      channel: () => channelOf(this.#socket),
      clientAuth: options.tls.clientAuth,
      admit: () => !this.#closing && options.admit(this),
    });
    this.#authenticationTimer = setTimeout(() => this.#authenticationTimedOut(), AUTHENTICATION_TIMEOUT_MS);
    socket.setNoDelay?.(true);
    socket.setKeepAlive?.(true, 60_000);
    socket.once('close', () => this.#closed());
    this.#attach(socket);
  }

  /** Ends the connection once what has gathered is sent. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#probe.stop();
    this.output.flush();
    this.#socket.end();
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
    timer.unref();
  }

  /** A failure that is our bug: logged, told to the client as XX000, and never the end of the process. */
  report(error: unknown): void {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    this.#options.log('internal error', { name, message, stack });
  }

  /** Ends an idle connection at once, a busy one with its statement. */
  stop(reason: SqlError): void {
    this.#stopReason = reason;
    if (this.#busy && this.#session !== null) this.#session.cancel(reason);
    else this.#fatal(reason);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** A key is being checked, or a statement runs. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Makes room for others: says why, and waits for nothing more of the client. */
  giveUp(reason: SqlError): void {
    this.#fatal(reason);
    this.#socket.destroySoon?.();
  }

  #attach(socket: Way): void {
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', () => undefined); // 'close' follows, and does what there is to do.
  }

  #receive(chunk: Buffer): void {
    if (this.#closing) return;
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (isFirst && chunk[0] === TLS_HANDSHAKE) {
      this.#handshake.isDirect = true;
      this.#upgrade(chunk);
      return;
    }
    this.#framer.push(chunk);
    this.#wake?.();
    if (!this.#busy) void runTask(this.#pump());
    else if (this.#framer.pending > WAITING_BYTES_MAX) this.#pause();
  }

  /** A paused socket does not tell that its client has gone. */
  #pause(): void {
    this.#socket.pause();
    this.#probe.start();
  }

  #resume(): void {
    this.#probe.stop();
    this.#socket.resume();
  }

  /** The next message for a statement that reads from the client itself, while `#pump` waits for it. */
  async nextFrame(signal: AbortSignal): Promise<Frame | null> {
    for (;;) {
      signal.throwIfAborted();
      const frame = this.#framer.nextOfCopy();
      if (this.#socket.isPaused() && (frame === null || this.#framer.pending <= WAITING_BYTES_MAX)) {
        this.#resume();
      }
      if (frame !== null) return frame;
      if (this.#ended || this.#closing) return null;
      await this.#moreBytes(signal);
    }
  }

  /** Resolves when bytes have come, the client has gone, or the signal says to stop. */
  #moreBytes(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#wake = null;
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done);
    });
  }

  /** Takes messages until there is none. Never fails. */
  *#pump(): Task<void> {
    this.#busy = true;
    this.#slice.begin();
    while (!this.#closing) {
      const frame = this.#nextFrame();
      if (frame === null) break;
      const handling = this.#handler === null ? this.#shake(frame) : this.#handler.handle(frame);
      if (handling instanceof Promise) yield* wait(handling);
      if (this.output.behind) yield* wait(this.output.drain());
      if (this.#socket.isPaused() && this.#framer.pending <= WAITING_BYTES_MAX) this.#resume();
      const pause = this.#hasMore(frame.code) ? this.#slice.yieldToOthers() : null;
      if (pause !== null) yield* wait(pause);
      // Last: another session may have said so while this one was between two statements.
      if (this.#stopReason !== null) this.#fatal(this.#stopReason);
    }
    this.#busy = false;
    if (this.#ended) this.close();
    if (this.#closing) yield* wait(this.#release());
    else if (this.#socket.isPaused()) this.#resume();
  }

  /** True when there is more to do than to send the answer of what is done: that waits for nobody. */
  #hasMore(done: number): boolean {
    const { nextCode } = this.#framer;
    return nextCode !== undefined && (nextCode !== SYNC || done === SYNC);
  }

  /** Null when more bytes are needed; what is wrong with the stream is told to the client. */
  #nextFrame(): Frame | null {
    for (;;) {
      try {
        return this.#framer.next();
      } catch (error) {
        if (this.#handler !== null && error instanceof SqlError && error.fields.severity !== 'FATAL') {
          this.#handler.fail(error, this.#framer.skippedCode);
        } else {
          this.#fatal(error);
          return null;
        }
      }
    }
  }

  async #shake(frame: Frame): Promise<void> {
    try {
      this.#take(await this.#handshake.handle(frame));
    } catch (error) {
      if (!(error instanceof SqlError)) this.report(error);
      this.#fatal(error);
    }
  }

  #take(step: Step): void {
    switch (step.next) {
      case 'read':
        return;
      case 'read password':
        this.#framer.phase = 'authentication';
        return;
      case 'upgrade':
        if (this.#framer.pending > 0) {
          throw new SqlError('protocol_violation', 'received unencrypted data after SSL request');
        }
        this.#upgrade(null);
        return;
      case 'close':
        this.close();
        return;
      case 'session':
        this.#open(step.session);
    }
  }

  #open(session: Session): void {
    clearTimeout(this.#authenticationTimer);
    this.#framer.phase = 'ready';
    this.#framer.account = session.openAccount();
    this.#session = session;
    this.#handler = new MessageHandler(session, this);
    session.onTerminate((reason) => this.stop(reason));
    session.onNotification(({ processId, channel, payload }) => {
      encode.notificationResponse(this.output.writer, processId, channel, payload);
      if (!this.#busy) this.output.flush();
    });
  }

  /** @param read what of the TLS handshake was read already. */
  #upgrade(read: Buffer | null): void {
    const plain = this.#socket;
    plain.off('data', this.#onData);
    plain.off('end', this.#onEnd);
    if (read !== null) {
      plain.pause();
      plain.unshift(read);
    }
    const { tls } = this.#options;
    const secure = new TLSSocket(plain, {
      isServer: true,
      secureContext: tls.context,
      ALPNProtocols: [ALPN_PROTOCOL],
      requestCert: tls.clientAuth !== 'none',
      // One that is not good is told so, by an error that clients show.
      rejectUnauthorized: false,
    });
    this.#handshake.encrypted = true;
    this.#socket = secure;
    this.output.socket = secure;
    secure.on('_tlsError', () => plain.destroy());
    this.#attach(secure);
  }

  #fatal(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const told = error instanceof SqlError ? error : new SqlError('internal_error', message);
    const { condition, fields } = told;
    if (this.#closing) return;
    encode.errorResponse(
      this.output.writer,
      new SqlError(condition, told.message, { ...fields, severity: 'FATAL' }),
    );
    this.close();
  }

  #authenticationTimedOut(): void {
    this.#fatal(new SqlError('query_canceled', 'canceling authentication due to timeout'));
  }

  #endedByClient(): void {
    this.#ended = true;
    this.#wake?.();
    if (this.#busy) this.#probe.start();
    else this.close();
  }

  #closed(): void {
    clearTimeout(this.#authenticationTimer);
    this.#probe.stop();
    this.#closing = true;
    this.#wake?.();
    this.#session?.cancel(
      new SqlError('connection_failure', 'connection to client lost', { severity: 'FATAL' }),
    );
    this.#options.onClose(this);
    if (!this.#busy) void this.#release();
  }

  async #release(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    this.#handler = null;
    this.#framer.account?.[Symbol.dispose]();
    try {
      await session?.[Symbol.asyncDispose]();
    } catch (error) {
      this.report(error);
    }
  }
}
