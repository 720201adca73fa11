/**
 * The server's side of one SCRAM exchange: two messages of the client, two answers. One thing to know: the password is
 * told apart by the proof alone, among the verifiers of all whom the user's name may be, which share a salt.
 * Source: RFC 5802, sections 5 to 7.
 */
import { SqlError } from '../../errors.ts';
import { proofCheck, type Salting, signatureOf, type Verifier } from '../../catalog/access/scram.ts';

export const MECHANISM = { plain: 'SCRAM-SHA-256', binding: 'SCRAM-SHA-256-PLUS' } as const;

/** Hash of the server's certificate (RFC 5929, tls-server-end-point); null: nothing to bind to. */
export type ChannelBinding = Uint8Array | null;

export interface Candidate<Who> {
  readonly verifier: Verifier;
  readonly who: Who;
}

interface ExchangeOptions<Who> {
  readonly salting: Salting;
  readonly candidates: readonly Candidate<Who>[];
  /** One of them, that is tried before the others. */
  readonly likely?: Candidate<Who> | undefined;
  /** Random, of this exchange alone. */
  readonly nonce: string;
  readonly mechanism: string;
  readonly binding: ChannelBinding;
}

/** Whose proof it was, and the server's own. */
interface Proved<Who> {
  readonly who: Who;
  readonly final: string;
}

const CLIENT_FIRST =
  /^(n|y|p=([^,]*)),(?:a=[^,]*)?,((?:(?!m=)[^,]+,)?n=([^,]*),r=([\x21-\x2b\x2d-\x7e]+)(?:,.*)?)$/s;
const CLIENT_FINAL = /^(c=([A-Za-z0-9+/=]*),r=([\x21-\x2b\x2d-\x7e]+)(?:,[^,]+)*?),p=([A-Za-z0-9+/=]+)$/s;
/** No client's is shorter, or so long. */
const NONCE_CHARACTERS_MAX = 1024;

export class ScramExchange<Who> {
  readonly #options: ExchangeOptions<Who>;
  #first: { readonly header: string; readonly bare: string; readonly nonce: string } | null = null;
  #serverFirst = '';
  #isOver = false;

  constructor(options: ExchangeOptions<Who>) {
    this.#options = options;
  }

  /** @returns the server's first message. @throws SqlError 08P01, 28000 for a channel that is not bound as it must be. */
  begin(message: string): string {
    if (this.#first !== null) throw malformed();
    const match = CLIENT_FIRST.exec(message);
    const [, flag = '', type, bare = '', , nonce = ''] = match ?? [];
    if (match === null || nonce.length > NONCE_CHARACTERS_MAX) throw malformed();
    this.#checkBinding(flag, type);
    const { salting, nonce: own } = this.#options;
    const header = message.slice(0, message.length - bare.length);
    this.#first = { header, bare, nonce: nonce + own };
    this.#serverFirst = `r=${nonce}${own},s=${salting.salt},i=${salting.iterations}`;
    return this.#serverFirst;
  }

  /** A client that could bind, and believes that the server cannot, was lied to. */
  #checkBinding(flag: string, type: string | undefined): void {
    const { mechanism, binding } = this.#options;
    const binds = mechanism === MECHANISM.binding;
    if (binds !== (type !== undefined)) throw malformed();
    if (flag === 'y' && binding !== null) throw negotiation();
    if (type !== undefined && (type !== 'tls-server-end-point' || binding === null)) {
      throw new SqlError('protocol_violation', 'unsupported SCRAM channel-binding type', FATAL);
    }
  }

  /**
   * Whose password it was; null: nobody's.
   * @throws SqlError 08P01 for what is no answer to this exchange, 28000 for another channel.
   */
  end(message: string): Proved<Who> | null {
    const first = this.#first;
    const match = CLIENT_FINAL.exec(message);
    const [, withoutProof = '', bound = '', nonce = '', written = ''] = match ?? [];
    if (first === null || this.#isOver || match === null || nonce !== first.nonce) throw malformed();
    this.#isOver = true;
    if (!Buffer.from(bound, 'base64').equals(this.#channel(first.header))) throw channelDiffers();
    const authMessage = `${first.bare},${this.#serverFirst},${withoutProof}`;
    const isOf = proofCheck(authMessage, Buffer.from(written, 'base64'));
    const { candidates, likely } = this.#options;
    let found = likely !== undefined && isOf(likely.verifier) ? likely : null;
    // Else all of them, so that the time tells nothing of which it was.
    if (found === null) for (const one of candidates) if (isOf(one.verifier)) found ??= one;
    if (found === null) return null;
    return { who: found.who, final: `v=${signatureOf(found.verifier, authMessage)}` };
  }

  #channel(header: string): Buffer {
    const { binding } = this.#options;
    const bytes = Buffer.from(header);
    return header.startsWith('p=') && binding !== null ? Buffer.concat([bytes, binding]) : bytes;
  }
}

const FATAL = { severity: 'FATAL' } as const;

const malformed = (): SqlError => new SqlError('protocol_violation', 'malformed SCRAM message', FATAL);

const negotiation = (): SqlError =>
  new SqlError('invalid_authorization_specification', 'SCRAM channel binding negotiation error', {
    ...FATAL,
    detail:
      'The client supports SCRAM channel binding but thinks the server does not. However, this server does support channel binding.',
  });

const channelDiffers = (): SqlError =>
  new SqlError('invalid_authorization_specification', 'SCRAM channel binding check failed', FATAL);
