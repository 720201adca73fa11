/**
 * Encryption of everything that is stored: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce, and
 * HMAC-SHA-256 for names that must not be read from the file. Keys are derived from the master key by HKDF
 * (RFC 5869), one per purpose.
 *
 * A sealed value is nonce (12 bytes), ciphertext, tag (16 bytes). The value's identity (its key in the
 * store) is associated data, so that a value moved elsewhere in the file does not open.
 *
 * Nonces come from the operating system here, and not from outside: a repeated nonce would break the cipher.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCES_IN_POOL = 512;

/** Thrown by `open`; the caller knows which block it was and says so. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** A key for one purpose (`blocks`, `catalog`, `ids` …); different purposes share nothing. */
export function deriveKey(masterKey: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(
    new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), `quern/1/${purpose}`, 32)),
  );
}

export class Sealer {
  readonly #key: KeyObject;
  readonly #pool = new Uint8Array(NONCE_BYTES * NONCES_IN_POOL);
  #next = NONCES_IN_POOL;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** @param identity bound to the value, needed again to open it. @returns bytes nobody else holds. */
  seal(plain: Uint8Array, identity: Uint8Array): Uint8Array {
    const nonce = this.#nonce();
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    cipher.setAAD(identity);
    const sealed = new Uint8Array(NONCE_BYTES + plain.length + TAG_BYTES);
    sealed.set(nonce, 0);
    sealed.set(cipher.update(plain), NONCE_BYTES);
    cipher.final();
    sealed.set(cipher.getAuthTag(), NONCE_BYTES + plain.length);
    return sealed;
  }

  /** @throws SealError when the key is another one, or a bit of value or identity has changed. */
  open(sealed: Uint8Array, identity: Uint8Array): Uint8Array {
    const end = sealed.length - TAG_BYTES;
    if (end < NONCE_BYTES) throw new SealError('a sealed value is too short');
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(identity);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(NONCE_BYTES, end));
    try {
      decipher.final();
    } catch (error) {
      throw new SealError('a sealed value does not open', { cause: error });
    }
    return plain;
  }

  #nonce(): Uint8Array {
    if (this.#next === NONCES_IN_POOL) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const at = NONCE_BYTES * this.#next++;
    return this.#pool.slice(at, at + NONCE_BYTES);
  }
}

/** Names that cannot be guessed or read back: 128 bits of an HMAC. */
export class NameHash {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** 16 characters of Latin-1, one a byte. */
  hash(text: string): string {
    const digest = createHmac('sha256', this.#key).update(text, 'utf8').digest();
    return digest.toString('latin1', 0, 16);
  }
}
