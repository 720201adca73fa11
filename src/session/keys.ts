/**
 * API keys: the passwords of the SQL port. Only salted hashes are kept, in one sealed record. A key that was
 * right once is known again by a digest under a key of this process, so that scrypt's cost is paid once.
 */
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Uint8Array, number, Buffer>(scrypt);
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export type Role = 'owner';

/** Where the record lasts; sealed by whoever implements it. */
export interface KeyRecord {
  /** Null before the first write. */
  read(): Promise<string | null>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
}

interface StoredKey {
  readonly role: Role;
  readonly salt: string;
  readonly hash: string;
}

export type RandomBytes = (size: number) => Uint8Array;

export class Keys {
  #record: KeyRecord;
  #random: RandomBytes;
  #stored: readonly StoredKey[] = [];
  #digestKey: Uint8Array;
  /** Digests of keys that were right, with their roles. */
  #known = new Map<string, Role>();

  constructor(record: KeyRecord, random: RandomBytes) {
    this.#record = record;
    this.#random = random;
    this.#digestKey = random(KEY_BYTES);
  }

  /**
   * Reads the record; at the first start makes the owner key.
   * @param configured becomes the owner key at the first start; null: a random one.
   * @returns the key that was made here, to be shown once; null when there was one or it was given.
   */
  async open(configured: string | null): Promise<string | null> {
    const text = await this.#record.read();
    if (text !== null) {
      this.#stored = JSON.parse(text) as StoredKey[];
      return null;
    }
    const key = configured ?? this.#newKey();
    await this.#setOwner(key);
    return configured === null ? key : null;
  }

  /** A new owner key in place of the old one. */
  async resetOwner(): Promise<string> {
    const key = this.#newKey();
    await this.#setOwner(key);
    return key;
  }

  /** The role of a right key; null for a wrong one, after the same time. */
  async verify(key: string): Promise<Role | null> {
    const digest = createHmac('sha256', this.#digestKey).update(key).digest('base64');
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    for (const stored of this.#stored) {
      const hash = await derive(key, Buffer.from(stored.salt, 'base64'), HASH_BYTES);
      if (!timingSafeEqual(hash, Buffer.from(stored.hash, 'base64'))) continue;
      this.#known.set(digest, stored.role);
      return stored.role;
    }
    return null;
  }

  async #setOwner(key: string): Promise<void> {
    const salt = this.#random(SALT_BYTES);
    const hash = await derive(key, salt, HASH_BYTES);
    const stored: StoredKey[] = [
      { role: 'owner', salt: Buffer.from(salt).toString('base64'), hash: hash.toString('base64') },
    ];
    await this.#record.write(JSON.stringify(stored));
    this.#stored = stored;
    this.#known.clear();
  }

  #newKey(): string {
    return `quern_${Buffer.from(this.#random(KEY_BYTES)).toString('base64url')}`;
  }
}
