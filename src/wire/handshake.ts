/**
 * From a new connection to a session: encryption requests, start-up packet, version negotiation, password or its proof.
 * A password is asked for over TLS or loopback only. One `Handshake` serves one connection; `connection.ts`
 * feeds it frames and does what it answers.
 */
import { present } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { isLoopback } from '../network-address.ts';
import type { ProofExchange, Session, SessionFactory, StartupParameters } from '../session/protocol.ts';
import { decodeMessage } from './decode.ts';
import * as encode from './encode.ts';
import type { Frame } from './framing.ts';
import type { Output } from './output.ts';
import { decodeSaslInitial, mechanismsOf } from './sasl.ts';
import { decodeStartup, PROTOCOL_MINOR_MAX, type StartupPacket, startupSettings } from './startup.ts';
import type { ClientAuth } from './tls.ts';
import type { Channel } from './tls-channel.ts';

/** Next step of the connection. */
export type Step =
  | { readonly next: 'read' | 'read password' | 'upgrade' | 'close' }
  | { readonly next: 'session'; readonly session: Session };

export interface HandshakeOptions {
  readonly factory: SessionFactory;
  readonly remoteAddress: string;
  /** A key goes over no network. */
  readonly isInner: boolean;
  readonly output: Output;
  /** The connection as it is now. */
  readonly channel: () => Channel;
  readonly clientAuth: ClientAuth;
  /** True when as many clients have signed in as may. */
  readonly full: () => boolean;
  /** Takes one of the places there are for clients; false where none is left, or the client has gone. */
  readonly admit: () => boolean;
}

/** As clients ask for it by ALPN. */
export const ALPN_PROTOCOL = 'postgresql';

const TOO_MANY = 'sorry, too many clients already';

/** Type bytes of messages while a client signs in. */
const PASSWORD = 0x70; // p
const TERMINATE = 0x58; // X

/** A proof that is under way. */
interface Proof {
  readonly binding: Uint8Array | null;
  readonly offered: readonly string[];
  /** Null before the client has chosen. */
  readonly exchange: ProofExchange | null;
}

type Startup = Extract<StartupPacket, { kind: 'startup' }>;

export class Handshake {
  encrypted = false;
  /** TLS began with the first byte, without a question for it. */
  isDirect = false;
  #options: HandshakeOptions;
  #startup: StartupParameters | null = null;
  #proof: Proof | null = null;
  /** Each kind of encryption is asked for once at most. */
  #asked = new Set<string>();

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** @throws SqlError; all of them end the connection. */
  handle(frame: Frame): Step | Promise<Step> {
    if (this.#startup !== null) return this.#signIn(this.#startup, frame);
    this.#requireProtocol();
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

  #start(packet: Startup): Step | Promise<Step> {
    const { output, full, remoteAddress, isInner } = this.#options;
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
    const isSafe = this.encrypted || isInner || isLoopback(remoteAddress);
    if (!isSafe) throw passwordInClear(remoteAddress, user);
    const startup = {
      user,
      database: packet.parameters.get('database') || user,
      settings: startupSettings(packet.parameters),
      remoteAddress,
      encrypted: this.encrypted,
    };
    this.#startup = startup;
    const certified = this.#certified(startup);
    if (certified !== null) return this.#admit(certified);
    this.#askPassword();
    return { next: 'read password' };
  }

  /** Direct TLS is for who has said that it is this protocol: anything else may be a request that was sent astray. */
  #requireProtocol(): void {
    if (!this.isDirect || this.#options.channel().protocol === ALPN_PROTOCOL) return;
    throw new SqlError(
      'protocol_violation',
      'received direct SSL connection request without ALPN protocol negotiation extension',
      { severity: 'FATAL', hint: `Offer the protocol "${ALPN_PROTOCOL}" by ALPN.` },
    );
  }

  /** The session of who has shown enough by a certificate; null where a password is wanted beside it, or instead. */
  #certified(startup: StartupParameters): Session | null {
    const { channel, clientAuth, factory } = this.#options;
    if (clientAuth === 'none') return null;
    const { client } = channel();
    if (client === null) {
      if (clientAuth === 'require') throw certificateWanted('The client showed none.');
      return null;
    }
    if ('fault' in client) throw certificateWanted(`The one that was shown is refused: ${client.fault}.`);
    return factory.certified?.(startup, client.commonName) ?? null;
  }

  #askPassword(): void {
    const { output, factory } = this.#options;
    if (factory.takesProofs?.() === true) {
      const { binding } = this.#options.channel();
      const offered = mechanismsOf(binding !== null);
      this.#proof = { binding, offered, exchange: null };
      encode.authenticationSasl(output.writer, offered);
    } else encode.authenticationCleartextPassword(output.writer);
    output.flush();
  }

  async #signIn(startup: StartupParameters, frame: Frame): Promise<Step> {
    if (frame.code === TERMINATE) return { next: 'close' };
    if (frame.code !== PASSWORD) {
      throw fatal('protocol_violation', `expected password response, got message type ${frame.code}`);
    }
    if (this.#proof !== null) return await this.#prove(startup, this.#proof, frame);
    const message = decodeMessage(frame.code, frame.body);
    const password = message.kind === 'password' ? message.password : '';
    return await this.#admit(await this.#options.factory.authenticate(startup, password));
  }

  async #prove(startup: StartupParameters, proof: Proof, { body }: Frame): Promise<Step> {
    const { factory, output } = this.#options;
    if (proof.exchange === null) {
      const { mechanism, data } = decodeSaslInitial(body, proof.offered);
      const exchange = present(factory.exchange, 'a factory that takes proofs').call(factory, startup, {
        mechanism,
        binding: proof.binding,
      });
      const answer = exchange.begin(data);
      this.#proof = { ...proof, exchange };
      encode.authenticationSaslData(output.writer, answer, false);
      output.flush();
      return { next: 'read' };
    }
    const { session, final } = await proof.exchange.end(body.toString('utf8'));
    encode.authenticationSaslData(output.writer, final, true);
    return await this.#admit(session);
  }

  async #admit(session: Session): Promise<Step> {
    const { output, admit } = this.#options;
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

function certificateWanted(detail: string): SqlError {
  return new SqlError(
    'invalid_authorization_specification',
    'connection requires a valid client certificate',
    {
      severity: 'FATAL',
      detail,
      hint: 'Give the client one of an authority in --tls-client-ca (sslcert, sslkey).',
    },
  );
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
