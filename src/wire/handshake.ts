/**
 * From a new connection to a session: encryption requests, start-up packet, version negotiation, password.
 * A password is asked for over TLS or loopback only. One `Handshake` serves one connection; `connection.ts`
 * feeds it frames and does what it answers.
 */
import { SqlError } from '../errors.ts';
import type { Session, SessionFactory, StartupParameters } from '../session/protocol.ts';
import { decodeMessage } from './decode.ts';
import * as encode from './encode.ts';
import type { Frame } from './framing.ts';
import type { Output } from './output.ts';
import { decodeStartup, PROTOCOL_MINOR_MAX, type StartupPacket, startupSettings } from './startup.ts';

/** Next step of the connection. */
export type Step =
  | { readonly next: 'read' | 'read password' | 'upgrade' | 'close' }
  | { readonly next: 'session'; readonly session: Session };

export interface HandshakeOptions {
  readonly factory: SessionFactory;
  readonly remoteAddress: string;
  readonly output: Output;
  /** True when as many clients have signed in as may. */
  readonly full: () => boolean;
  /** Takes one of the places there are for clients; false where none is left, or the client has gone. */
  readonly admit: () => boolean;
}

const TOO_MANY = 'sorry, too many clients already';

type Startup = Extract<StartupPacket, { kind: 'startup' }>;

export class Handshake {
  encrypted = false;
  #options: HandshakeOptions;
  #startup: StartupParameters | null = null;
  /** Each kind of encryption is asked for once at most. */
  #asked = new Set<string>();

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** @throws SqlError; all of them end the connection. */
  handle(frame: Frame): Step | Promise<Step> {
    if (this.#startup !== null) return this.#signIn(this.#startup, frame);
    const packet = decodeStartup(frame.body);
    switch (packet.kind) {
      case 'ssl request':
        return this.#answerSsl();
      case 'gss request':
        return this.#answerGss();
      case 'cancel':
        this.#options.factory.cancel(packet.processId, packet.secretKey);
        return { next: 'close' };
      case 'startup':
        return this.#start(packet);
    }
  }

  #answerSsl(): Step {
    this.#once('ssl');
    const { output } = this.#options;
    output.writer.writeByte(this.encrypted ? 0x4e : 0x53); // N, S
    output.flush();
    return { next: this.encrypted ? 'read' : 'upgrade' };
  }

  #answerGss(): Step {
    this.#once('gss');
    this.#options.output.writer.writeByte(0x4e); // N
    this.#options.output.flush();
    return { next: 'read' };
  }

  #once(kind: string): void {
    if (this.#asked.has(kind)) throw fatal('protocol_violation', 'repeated encryption request');
    this.#asked.add(kind);
  }

  #start(packet: Startup): Step {
    const { output, full, remoteAddress } = this.#options;
    const user = packet.parameters.get('user') ?? '';
    if (packet.minor > PROTOCOL_MINOR_MAX || packet.extensions.length > 0) {
      const minor = Math.min(packet.minor, PROTOCOL_MINOR_MAX);
      encode.negotiateProtocolVersion(output.writer, minor, packet.extensions);
    }
    if (user === '') {
      throw fatal(
        'invalid_authorization_specification',
        'no PostgreSQL user name specified in startup packet',
      );
    }
    const replication = packet.parameters.get('replication') ?? 'false';
    if (!/^(false|off|no|0)$/i.test(replication)) {
      throw fatal('feature_not_supported', 'replication connections are not supported');
    }
    if (full()) throw fatal('too_many_connections', TOO_MANY);
    if (!this.encrypted && !isLoopback(remoteAddress)) throw passwordInClear(remoteAddress, user);
    this.#startup = {
      user,
      database: packet.parameters.get('database') || user,
      settings: startupSettings(packet.parameters),
      remoteAddress,
      encrypted: this.encrypted,
    };
    encode.authenticationCleartextPassword(output.writer);
    output.flush();
    return { next: 'read password' };
  }

  async #signIn(startup: StartupParameters, frame: Frame): Promise<Step> {
    const message = decodeMessage(frame.code, frame.body);
    if (message.kind === 'terminate') return { next: 'close' };
    if (message.kind !== 'password') {
      throw fatal('protocol_violation', `expected password response, got message type ${frame.code}`);
    }
    const { factory, output, admit } = this.#options;
    const session = await factory.authenticate(startup, message.password);
    // Checking a key takes a while: others have come, or the client has gone.
    if (!admit()) {
      await session[Symbol.asyncDispose]();
      throw fatal('too_many_connections', TOO_MANY);
    }
    const { writer } = output;
    encode.authenticationOk(writer);
    for (const [name, value] of session.reportedSettings()) encode.parameterStatus(writer, name, value);
    encode.backendKeyData(writer, session.processId, session.secretKey);
    encode.readyForQuery(writer, session.status());
    output.flush();
    return { next: 'session', session };
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function passwordInClear(address: string, user: string): SqlError {
  return new SqlError(
    'invalid_authorization_specification',
    `connection from "${address}" as user "${user}" must be encrypted`,
    {
      severity: 'FATAL',
      hint: 'A password is not taken in clear over a network: connect with sslmode=require.',
    },
  );
}

function fatal(condition: ConstructorParameters<typeof SqlError>[0], message: string): SqlError {
  return new SqlError(condition, message, { severity: 'FATAL' });
}
