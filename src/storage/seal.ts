/**
 * Encryption of everything that is stored: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce, and
 * names of keys that nobody can choose to collide. Keys are derived by HKDF (RFC 5869), one per purpose and epoch, of
 * the epoch's data key (`key-ring.ts`).
 *
 * A sealed value is a mark (epoch in 4 bytes, nonce in 12), ciphertext, tag (16 bytes). The value's identity
 * (its key in the store) is associated data, so that a value moved elsewhere in the file does not open. No
 * two values have one mark: it tells which version of a value this is.
 *
 * Nonces come from the kernel, one by one, when they are used: what is drawn ahead, and also the state of a
 * generator within the process (OpenSSL's), comes again when a snapshot of a machine is resumed twice.
 */
import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { openSync, readSync } from 'node:fs';
import { assert } from '../assert.ts';

const CIPHER = 'aes-256-gcm';
const EPOCH_BYTES = 4;
/** A sealed value begins with a mark of so many bytes; its ciphertext follows. */
export const MARK_BYTES = 16;
const TAG_BYTES = 16;
/** 32-bit words of a name, and of a block of its message. */
export const NAME_WORDS = 4;
/** After so many seals the next epoch begins; with 2^32 a nonce might come twice (SP 800-38D, 8.3). */
export const SEALS_A_KEY = 2 ** 31;

/** The kernel's generator. It is never closed. */
const KERNEL_RANDOM = openSync('/dev/urandom', 'r');

/** Thrown by `open`; the caller knows which block it was and says so. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Where a sealer has its keys. */
export interface SealKeys {
  /** Null: there is none, or none any more. */
  keyOf(purpose: string, epoch: number): KeyObject | null;
}

/** A key for one purpose (`blocks`, `catalog`, `ids` …); different purposes share nothing. */
export function deriveKey(masterKey: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(
    new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), `quern/1/${purpose}`, 32)),
  );
}

const derivedKeys = (key: Uint8Array): SealKeys => ({
  keyOf: (purpose, epoch) => deriveKey(key, `${purpose}/${epoch}`),
});

/** How often keys of an epoch have been used: one count for all purposes, so it is an upper bound for each. */
export class SealCounter {
  epoch = 0;
  seals = 0;
}

/** Seals with the key of the counter's epoch, opens what any epoch's key has sealed. */
export class Sealer {
  readonly #source: SealKeys;
  readonly #purpose: string;
  readonly #counter: SealCounter;
  /** By epoch. */
  readonly #keys = new Map<number, KeyObject>();

  /** @param source or one key, of which those of all epochs are derived. */
  constructor(source: SealKeys | Uint8Array, purpose: string, counter = new SealCounter()) {
    this.#source = source instanceof Uint8Array ? derivedKeys(source) : source;
    this.#purpose = purpose;
    this.#counter = counter;
  }

  /** The source has no keys of epochs before this one any more. */
  forgetBefore(epoch: number): void {
    for (const known of this.#keys.keys()) if (known < epoch) this.#keys.delete(known);
  }

  /** @param identity bound to the value, needed again to open it. @returns bytes nobody else holds. */
  seal(plain: Uint8Array, identity: Uint8Array): Uint8Array {
    const { epoch } = this.#counter;
    assert(this.#counter.seals++ < 2 * SEALS_A_KEY, 'a data key was used too often');
    const sealed = new Uint8Array(MARK_BYTES + plain.length + TAG_BYTES);
    new DataView(sealed.buffer).setUint32(0, epoch);
    const drawn = readSync(KERNEL_RANDOM, sealed, EPOCH_BYTES, MARK_BYTES - EPOCH_BYTES, null);
    assert(drawn === MARK_BYTES - EPOCH_BYTES, 'the kernel gives no randomness');
    const cipher = createCipheriv(CIPHER, this.#key(epoch), sealed.subarray(EPOCH_BYTES, MARK_BYTES));
    cipher.setAAD(identity);
    sealed.set(cipher.update(plain), MARK_BYTES);
    cipher.final();
    sealed.set(cipher.getAuthTag(), MARK_BYTES + plain.length);
    return sealed;
  }

  /** @throws SealError when the key is another one, or a bit of value or identity has changed. */
  open(sealed: Uint8Array, identity: Uint8Array): Uint8Array {
    const end = sealed.length - TAG_BYTES;
    if (end < MARK_BYTES) throw new SealError('a sealed value is too short');
    const key = this.#key(epochOf(sealed));
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(EPOCH_BYTES, MARK_BYTES));
    decipher.setAAD(identity);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(MARK_BYTES, end));
    try {
      decipher.final();
    } catch (error) {
      throw new SealError('a sealed value does not open', { cause: error });
    }
    return plain;
  }

  #key(epoch: number): KeyObject {
    const known = this.#keys.get(epoch);
    if (known !== undefined) return known;
    const key = this.#source.keyOf(this.#purpose, epoch);
    if (key === null) throw new SealError('there is no key for a sealed value');
    // Epochs of damaged values are any number: keys of those are not kept.
    if (epoch <= this.#counter.epoch) this.#keys.set(epoch, key);
    return key;
  }
}

/** The epoch of whose data key a sealed value is. */
export const epochOf = (sealed: Uint8Array): number =>
  sealed.length < EPOCH_BYTES ? 0 : new DataView(sealed.buffer, sealed.byteOffset).getUint32(0);

/** The mark of a sealed value as text. */
export const markOf = (sealed: Uint8Array): string =>
  Buffer.from(sealed.buffer, sealed.byteOffset, Math.min(MARK_BYTES, sealed.length)).toString('hex');

/**
 * Names of 128 bits that cannot be guessed or read back, made for many messages in a few calls: CBC-MAC with
 * AES-256, a pseudorandom function for messages that begin with their length (Bellare, Kilian and Rogaway,
 * "The Security of the Cipher Block Chaining Message Authentication Code", 2000).
 */
export class NameCipher {
  readonly #cipher: Cipheriv;
  /** One block, and its bytes: memory of its own for each name costs more than the cipher. */
  readonly #block = new Uint32Array(new ArrayBuffer(4 * NAME_WORDS));
  readonly #blockBytes = bytesOf(this.#block);

  constructor(key: KeyObject) {
    // A block by itself at a time: the chaining is done here, for all messages at once.
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  }

  /** The name of a message of one block that is two words and zeros. */
  shortName(first: number, second: number): Uint32Array {
    this.#block[0] = first;
    this.#block[1] = second;
    const made = this.#cipher.update(this.#blockBytes);
    const name = new Uint32Array(NAME_WORDS);
    for (let word = 0; word < NAME_WORDS; word++) name[word] = made.readUInt32LE(4 * word);
    return name;
  }

  /** Names of messages of one block each. */
  blockNames(words: Uint32Array): Uint32Array {
    const names = new Uint32Array(words.length);
    bytesOf(names).set(this.#cipher.update(bytesOf(words)));
    return names;
  }

  /**
   * @param words messages in blocks of NAME_WORDS words, each message beginning with its length.
   * @param starts of each message its first block, and at last the end of them.
   * @returns NAME_WORDS words a message; zeros for a message without a block.
   */
  names(words: Uint32Array, starts: Uint32Array): Uint32Array {
    if (starts.length === 2 && starts[1] === 1) return this.blockNames(words);
    const names = new Uint32Array(NAME_WORDS * (starts.length - 1));
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

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
