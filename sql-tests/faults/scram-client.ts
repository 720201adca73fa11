/** A client's side of SCRAM-SHA-256, with nothing of the server's code. Source: RFC 5802. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';

const hmac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** @param header `n,,`, or `p=tls-server-end-point,,` with the hash that it binds to. */
export class ScramClient {
  readonly first: string;
  readonly #password: string;
  readonly #channel: Buffer;
  readonly #bare: string;

  constructor(password: string, { nonce = 'client', header = 'n,,', binding = Buffer.alloc(0) } = {}) {
    this.#password = password;
    this.#channel = Buffer.concat([Buffer.from(header), binding]);
    this.#bare = `n=,r=${nonce}`;
    this.first = header + this.#bare;
  }

  /** @param serverFirst `r=…,s=…,i=…` */
  final(serverFirst: string): string {
    const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(\d+)$/.exec(serverFirst) ?? [];
    const salted = pbkdf2Sync(this.#password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
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
