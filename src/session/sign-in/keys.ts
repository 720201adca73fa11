/**
 * API keys: the passwords of the SQL port. Only hashes are kept, in one sealed record. A key that was made
 * here cannot be guessed, so a digest under a key derived from the master key is enough, and it is known from
 * the start; one that a person chose is hashed with scrypt, and known by its digest once it was right.
 */
import { createHmac, type KeyObject, scrypt, timingSafeEqual } from 'node:crypto';
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

type StoredKey =
  | { readonly role: Role; readonly digest: string }
  | { readonly role: Role; readonly salt: string; readonly hash: string };

export type RandomBytes = (size: number) => Uint8Array;

export class Keys {
  #record: KeyRecord;
  #random: RandomBytes;
  #stored: readonly StoredKey[] = [];
  #digestKey: KeyObject;
  /** Digests of keys that are known without scrypt, with their roles. */
  #known = new Map<string, Role>();

  /** @param digestKey of digests, the same at each start. */
  constructor(record: KeyRecord, random: RandomBytes, digestKey: KeyObject) {
    this.#record = record;
    this.#random = random;
    this.#digestKey = digestKey;
  }

  /**
   * Reads the record; at the first start makes the owner key.
   * @param configured becomes the owner key at the first start; null: a random one.
   * @returns the key that was made here, to be shown once; null when there was one or it was given.
   */
  async open(configured: string | null): Promise<string | null> {
    const text = await this.#record.read();
    if (text !== null) {
      this.#use(JSON.parse(text) as StoredKey[]);
      return null;
    }
    if (configured === null) return this.resetOwner();
    await this.#keep([await this.#chosen(configured)]);
    return null;
  }

  /** A new owner key in place of the old one. */
  async resetOwner(): Promise<string> {
    const key = `quern_${Buffer.from(this.#random(KEY_BYTES)).toString('base64url')}`;
    await this.#keep([{ role: 'owner', digest: this.digest(key) }]);
    return key;
  }

  /** Tells keys apart without telling them. */
  digest(key: string): string {
    return createHmac('sha256', this.#digestKey).update(key).digest('base64');
  }

  /** The role of a key that needs no hashing, at once; null for one that may still be right. */
  known(key: string): Role | null {
    return this.#known.get(this.digest(key)) ?? null;
  }

  /** The role of a right key; null for a wrong one. Takes the same time for both. */
  async verify(key: string): Promise<Role | null> {
    const digest = this.digest(key);
    let role = this.#known.get(digest) ?? null;
    for (const stored of this.#stored) {
      if ('digest' in stored) continue;
      const hash = await derive(key, Buffer.from(stored.salt, 'base64'), HASH_BYTES);
      if (timingSafeEqual(hash, Buffer.from(stored.hash, 'base64'))) role = stored.role;
    }
    if (role !== null) this.#known.set(digest, role);
    return role;
  }

  async #chosen(key: string): Promise<StoredKey> {
    const salt = this.#random(SALT_BYTES);
    const hash = await derive(key, salt, HASH_BYTES);
    return { role: 'owner', salt: Buffer.from(salt).toString('base64'), hash: hash.toString('base64') };
  }

  async #keep(stored: readonly StoredKey[]): Promise<void> {
    await this.#record.write(JSON.stringify(stored));
    this.#use(stored);
  }

  #use(stored: readonly StoredKey[]): void {
    this.#stored = stored;
    this.#known.clear();
    for (const key of stored) if ('digest' in key) this.#known.set(key.digest, key.role);
  }
}
