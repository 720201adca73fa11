/** A client's side of SCRAM-SHA-256, with nothing of the server's code. Source: RFC 5802. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

const hmac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** @param header `n,,`, or `p=tls-server-end-point,,` with the hash that it binds to. */
export class ScramClient {
  readonly first: string;
  readonly #password: string;
  readonly #channel: Buffer;
  readonly #bare: string;
  readonly #hashed: Map<string, Buffer>;

  /** @param options.hashed passwords that were hashed before, by salt, for who signs in often. */
  constructor(
    password: string,
    { nonce = 'client', header = 'n,,', binding = Buffer.alloc(0), hashed = new Map<string, Buffer>() } = {},
  ) {
    this.#password = password;
    this.#channel = Buffer.concat([Buffer.from(header), binding]);
    this.#hashed = hashed;
    this.#bare = `n=,r=${nonce}`;
    this.first = header + this.#bare;
  }

  /** @param serverFirst `r=…,s=…,i=…` */
  final(serverFirst: string): string {
    const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(\d+)$/.exec(serverFirst) ?? [];
    const name = JSON.stringify([this.#password, salt, iterations]);
    const salted =
      this.#hashed.get(name) ??
      pbkdf2Sync(this.#password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
    this.#hashed.set(name, salted);
    const key = hmac(salted, 'Client Key');
    const withoutProof = `c=${this.#channel.toString('base64')},r=${nonce}`;
    const message = `${this.#bare},${serverFirst},${withoutProof}`;
    const signature = hmac(createHash('sha256').update(key).digest(), message);
    const proof = Buffer.from(key.map((byte, i) => byte ^ (signature[i] as number)));
    return `${withoutProof},p=${proof.toString('base64')}`;
  }
}

/** SASLInitialResponse. */
export function saslInitial(first: string, mechanism = 'SCRAM-SHA-256'): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(first));
  return Buffer.concat([Buffer.from(`${mechanism}\0`), length, Buffer.from(first)]);
}
