/**
 * Encryption of everything that is stored: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce, and
 * names of keys that nobody can choose to collide. Keys are derived from the master key by HKDF
 * (RFC 5869), one per purpose.
 *
 * A sealed value is nonce (12 bytes), ciphertext, tag (16 bytes). The value's identity (its key in the
 * store) is associated data, so that a value moved elsewhere in the file does not open.
 *
 * Nonces come from the operating system here, and not from outside: a repeated nonce would break the cipher.
 */
import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCES_IN_POOL = 512;
/** 32-bit words of a name, and of a block of its message. */
export const NAME_WORDS = 4;

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

/**
 * Names of 128 bits that cannot be guessed or read back, made for many messages in a few calls: CBC-MAC with
 * AES-256, a pseudorandom function for messages that begin with their length (Bellare, Kilian and Rogaway,
 * "The Security of the Cipher Block Chaining Message Authentication Code", 2000).
 */
export class NameCipher {
  readonly #cipher: Cipheriv;

  constructor(key: KeyObject) {
    // A block by itself at a time: the chaining is done here, for all messages at once.
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  }

  /**
   * @param words messages in blocks of NAME_WORDS words, each message beginning with its length.
   * @param starts of each message its first block, and at last the end of them.
   * @returns NAME_WORDS words a message; zeros for a message without a block.
   */
  names(words: Uint32Array, starts: Uint32Array): Uint32Array {
    const names = new Uint32Array(NAME_WORDS * (starts.length - 1));
    if (starts.length === 2 && starts[1] === 1) {
      bytesOf(names).set(this.#cipher.update(bytesOf(words)));
      return names;
    }
    const active = new Uint32Array(starts.length - 1);
    for (let block = 0; ; block++) {
      let count = 0;
      for (let i = 0; i < active.length; i++) {
        if ((starts[i] as number) + block < (starts[i + 1] as number)) active[count++] = i;
      }
      if (count === 0) return names;
      const chained = new Uint32Array(NAME_WORDS * count);
      for (let i = 0; i < count; i++) {
        const message = active[i] as number;
        const at = NAME_WORDS * ((starts[message] as number) + block);
        for (let word = 0; word < NAME_WORDS; word++) {
          const before = names[NAME_WORDS * message + word] as number;
          chained[NAME_WORDS * i + word] = before ^ (words[at + word] as number);
        }
      }
      const bytes = this.#cipher.update(bytesOf(chained));
      bytesOf(chained).set(bytes);
      for (let i = 0; i < count; i++) {
        const to = NAME_WORDS * (active[i] as number);
        for (let word = 0; word < NAME_WORDS; word++) {
          names[to + word] = chained[NAME_WORDS * i + word] as number;
        }
      }
    }
  }
}

const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
