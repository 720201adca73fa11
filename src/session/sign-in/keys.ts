/**
 * API keys: the passwords of the SQL port. Only hashes are kept, in one sealed record outside of the catalog, so that a
 * key makes no plan anew. A key that was made here cannot be guessed, so a digest under a key derived from the master key
 * is enough, and it is known from the start; one that a person chose is hashed with scrypt, and known by its digest once
 * it was right.
 */
import { createHmac, type KeyObject, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import { API_KEYS_COUNT_MAX } from '../../limits.ts';
import {
  type ApiKey,
  decodeKeys,
  encodeKeys,
  type KeptBrowser,
  type KeptKeys,
  type KeySecret,
} from './key-record.ts';
import { type KeyScope, NO_SCOPE } from './key-scope.ts';
import { ITERATIONS, SALT_BYTES, type Salting, verifierOf } from '../../catalog/access/scram.ts';

const derive = promisify<string, Uint8Array, number, Buffer>(scrypt);
const HASH_BYTES = 32;
const KEY_BYTES = 32;
const ID_BYTES = 9;
const OWNER_NAME = 'owner';
/** `quern_` and six characters more: 222 bits of the key are left. */
const PREFIX_CHARACTERS = 12;
/** Days of last use are written together. */
const USES_WRITTEN_AFTER_MS = 2000;

/** Where the record lasts; sealed by whoever implements it. */
export interface KeyRecord {
  /** Null before the first write. */
  read(): Promise<string | null>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
}

export type RandomBytes = (size: number) => Uint8Array;

/** A key as a session of it holds it: it is live for as long as what is kept says the same. */
export interface HeldKey {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly role: number;
  readonly scope: KeyScope;
}

interface LiveKey {
  readonly key: ApiKey;
  readonly secret: KeySecret;
  readonly held: HeldKey;
}

export interface KeyWanted {
  /** Null: as its prefix. */
  readonly name: string | null;
  readonly role: number;
  readonly expiresMs: number | null;
  readonly scope: KeyScope;
}

interface KeysOptions {
  /** Unix time. */
  readonly nowMs?: () => number;
}

export class Keys {
  readonly #record: KeyRecord;
  readonly #random: RandomBytes;
  readonly #digestKey: KeyObject;
  readonly #options: Required<KeysOptions>;
  #kept: KeptKeys;
  #byId: ReadonlyMap<string, ApiKey> = new Map();
  #unverified: readonly ApiKey[] = [];
  /** Digests of keys that are known without scrypt. */
  readonly #known = new Map<string, { readonly key: string; readonly secret: string }>();
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();
  #usesTimer: NodeJS.Timeout | null = null;

  /** @param digestKey of digests, the same at each start. */
  constructor(record: KeyRecord, random: RandomBytes, digestKey: KeyObject, options: KeysOptions = {}) {
    this.#record = record;
    this.#random = random;
    this.#digestKey = digestKey;
    this.#options = { nowMs: () => Date.now(), ...options };
    this.#kept = { salting: this.#newSalting(), keys: [] };
  }

  /**
   * Reads the record; at the first start makes the owner key.
   * @param configured becomes the owner key at the first start; null: a random one.
   * @returns the key that was made here, to be shown once; null when there was one or it was given.
   */
  async open(configured: string | null): Promise<string | null> {
    if (await this.read()) return null;
    if (configured === null) return this.resetOwner();
    const secret = await this.#chosen(configured);
    await this.#change(({ keys }) => [...keys, this.#newKey(ownerKey(OWNER_NAME), secret)]);
    return null;
  }

  /** False: there is no record. */
  async read(): Promise<boolean> {
    const text = await this.#record.read();
    if (text === null) return false;
    this.#use(decodeKeys(text, this.#newSalting()));
    return true;
  }

  /** A new owner key in place of the old ones; others stay. */
  async resetOwner(): Promise<string> {
    const { key, secret } = await this.#made();
    await this.#change(({ keys }) => {
      const others = keys.filter(({ role }) => role !== OWNER_ROLE_OID);
      const isTaken = others.some(({ name }) => name === OWNER_NAME);
      return [this.#newKey(ownerKey(isTaken ? secret.prefix : OWNER_NAME), secret), ...others];
    });
    return key;
  }

  get all(): readonly ApiKey[] {
    return this.#kept.keys;
  }

  get salting(): Salting {
    return this.#kept.salting;
  }

  find(name: string): ApiKey | undefined {
    return this.all.find((key) => key.name === name);
  }

  byId(id: string): ApiKey | undefined {
    return this.#byId.get(id);
  }

  /** @returns the key, to be shown once. @throws SqlError 42710, 54000. */
  async create({ name, ...wanted }: KeyWanted): Promise<{ readonly name: string; readonly key: string }> {
    const { key, secret } = await this.#made();
    const made = this.#newKey({ ...wanted, name: name ?? secret.prefix }, secret);
    await this.#change(({ keys }) => {
      requireFree(keys, made.name);
      if (keys.length >= API_KEYS_COUNT_MAX) throw tooMany();
      return [...keys, made];
    });
    return { name: made.name, key };
  }

  /** @param overlapMs for which the texts of before still go. @returns the new text. */
  async rotate(name: string, overlapMs: number): Promise<string> {
    const { key, secret } = await this.#made();
    const untilMs = this.#options.nowMs() + overlapMs;
    const ended = (old: KeySecret): KeySecret => ({
      ...old,
      untilMs: Math.min(old.untilMs ?? untilMs, untilMs),
    });
    await this.#changeOne(name, (old) => ({
      ...old,
      secrets: [...this.#liveSecrets(old).map(ended), secret],
    }));
    return key;
  }

  /** @throws SqlError 42704, 42710. */
  async alter(name: string, change: Partial<Pick<ApiKey, 'name' | 'expiresMs' | 'scope'>>): Promise<void> {
    await this.#change(({ keys }) => {
      if (change.name !== undefined && change.name !== name) requireFree(keys, change.name);
      return replaced(keys, name, (old) => {
        const { browsers: _, ...changed } = { ...old, ...change };
        // They signed in with what the key was then.
        const stay =
          changed.scope === old.scope && this.#isBefore(old.expiresMs) && this.#isBefore(changed.expiresMs);
        return stay ? { ...old, ...change } : changed;
      });
    });
  }

  /** Durable when it resolves. @throws SqlError 57P01 where the key that is held is live no more, and nothing has changed. */
  async changeBrowsers(
    held: HeldKey,
    change: (browsers: readonly KeptBrowser[]) => readonly KeptBrowser[],
  ): Promise<void> {
    await this.#change(({ keys }) => {
      if (!this.isLive(held)) throw keyEnded();
      return keys.map((key) => (key.id === held.id ? { ...key, browsers: change(key.browsers ?? []) } : key));
    });
  }

  /** @throws SqlError 42704. */
  async drop(name: string): Promise<void> {
    await this.#change(({ keys }) => {
      requireKey(keys, name);
      return keys.filter((key) => key.name !== name);
    });
  }

  /** Written again, as it is. */
  writeAgain(): Promise<void> {
    return this.#change(({ keys }) => keys);
  }

  /** Tells keys apart without telling them. */
  digest(key: string): string {
    return createHmac('sha256', this.#digestKey).update(key).digest('base64');
  }

  /** A key that needs no hashing, at once; null for one that may still be right. */
  known(key: string): HeldKey | null {
    const found = this.#known.get(this.digest(key));
    return found === undefined ? null : this.#hold(found);
  }

  /** Null for a wrong key. Takes the same time for both. */
  async verify(key: string): Promise<HeldKey | null> {
    const digest = this.digest(key);
    let found = this.#known.get(digest) ?? null;
    for (const { id, secrets } of this.all) {
      for (const { id: secret, known } of secrets) {
        if ('digest' in known) continue;
        const hash = await derive(key, Buffer.from(known.salt, 'base64'), HASH_BYTES);
        if (timingSafeEqual(hash, Buffer.from(known.hash, 'base64'))) found = { key: id, secret };
      }
    }
    const held = found === null ? null : this.#hold(found);
    if (found !== null && held !== null) this.#known.set(digest, found);
    return held;
  }

  /** It was right: it has a verifier from now on, and the day is noted. */
  async used({ id, secret }: HeldKey, text: string | null): Promise<void> {
    this.#noteUse(id);
    const isWanted = ({ verifier, ...known }: KeySecret): boolean => known.id === secret && verifier === null;
    if (text === null || !this.all.some((key) => key.id === id && key.secrets.some(isWanted))) return;
    const verifier = await verifierOf(text, this.salting);
    await this.#change(({ keys }) =>
      keys.map((key) => ({
        ...key,
        secrets: key.secrets.map((known) =>
          key.id === id && isWanted(known) ? { ...known, verifier } : known,
        ),
      })),
    );
  }

  /** Keys and texts that are live now, the oldest first. */
  live(): Generator<LiveKey> {
    return this.#liveAmong(this.all);
  }

  /** A key that is held; null once it is live no more. */
  liveOf({ id, secret }: Pick<HeldKey, 'id' | 'secret'>): LiveKey | null {
    const key = this.#byId.get(id);
    for (const live of this.#liveAmong(key === undefined ? [] : [key])) {
      if (live.held.secret === secret) return live;
    }
    return null;
  }

  /** True while a live key has no verifier, which it gets from its text. */
  get needsText(): boolean {
    for (const { secret } of this.#liveAmong(this.#unverified)) if (secret.verifier === null) return true;
    return false;
  }

  *#liveAmong(keys: readonly ApiKey[]): Generator<LiveKey> {
    for (const key of keys) {
      for (const secret of this.#liveSecrets(key)) yield { key, secret, held: heldKey(key, secret) };
    }
  }

  /** Neither expired, nor dropped, nor changed since. Asked before every statement. */
  isLive({ id, secret, role, scope }: HeldKey): boolean {
    const key = this.#byId.get(id);
    if (key === undefined || key.role !== role || key.scope !== scope) return false;
    for (const known of key.secrets) {
      if (known.id === secret) return this.#isBefore(key.expiresMs) && this.#isBefore(known.untilMs);
    }
    return false;
  }

  #isBefore(endMs: number | null): boolean {
    return endMs === null || endMs > this.#options.nowMs();
  }

  /** The next time at which one ends by itself, in Unix milliseconds; null: none does. */
  get nextEndMs(): number | null {
    const now = this.#options.nowMs();
    const ends = this.all.flatMap(({ expiresMs, secrets }) => [
      expiresMs,
      ...secrets.map(({ untilMs }) => untilMs),
    ]);
    const coming = ends.filter((end) => end !== null && end > now) as number[];
    return coming.length === 0 ? null : coming.reduce((least, end) => Math.min(least, end));
  }

  now(): number {
    return this.#options.nowMs();
  }

  /** @param listener called when keys have changed. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #liveSecrets({ expiresMs, secrets }: ApiKey): readonly KeySecret[] {
    return this.#isBefore(expiresMs) ? secrets.filter(({ untilMs }) => this.#isBefore(untilMs)) : [];
  }

  #hold({ key: id, secret: wanted }: { readonly key: string; readonly secret: string }): HeldKey | null {
    const key = this.#byId.get(id);
    const secret = key && this.#liveSecrets(key).find((known) => known.id === wanted);
    return key === undefined || secret === undefined ? null : heldKey(key, secret);
  }

  #noteUse(id: string): void {
    const day = new Date(this.#options.nowMs()).toISOString().slice(0, 10);
    if (this.#byId.get(id)?.lastUsed === day) return;
    // No change of what a key may: nobody is told.
    const keys = this.all.map((key) => (key.id === id ? { ...key, lastUsed: day } : key));
    this.#put({ ...this.#kept, keys });
    if (this.#usesTimer !== null) return;
    this.#usesTimer = setTimeout(() => {
      this.#usesTimer = null;
      // Not written: the day is noted again after the next start.
      this.writeAgain().catch(() => undefined);
    }, USES_WRITTEN_AFTER_MS);
    this.#usesTimer.unref();
  }

  #newKey(wanted: Omit<KeyWanted, 'name'> & { readonly name: string }, secret: KeySecret): ApiKey {
    return {
      ...wanted,
      id: this.#randomText(ID_BYTES),
      createdMs: this.#options.nowMs(),
      secrets: [secret],
      lastUsed: null,
    };
  }

  #newSalting(): Salting {
    return { salt: Buffer.from(this.#random(SALT_BYTES)).toString('base64'), iterations: ITERATIONS };
  }

  #randomText(bytes: number): string {
    return Buffer.from(this.#random(bytes)).toString('base64url');
  }

  async #made(): Promise<{ readonly key: string; readonly secret: KeySecret }> {
    const key = `quern_${this.#randomText(KEY_BYTES)}`;
    const prefix = key.slice(0, PREFIX_CHARACTERS);
    return { key, secret: await this.#secret(key, prefix, { digest: this.digest(key) }) };
  }

  async #chosen(key: string): Promise<KeySecret> {
    const salt = this.#random(SALT_BYTES);
    const hash = await derive(key, salt, HASH_BYTES);
    const known = { salt: Buffer.from(salt).toString('base64'), hash: hash.toString('base64') };
    return await this.#secret(key, '', known);
  }

  async #secret(key: string, prefix: string, known: KeySecret['known']): Promise<KeySecret> {
    const verifier = await verifierOf(key, this.salting);
    return { id: this.#randomText(ID_BYTES), prefix, known, verifier, untilMs: null };
  }

  #changeOne(name: string, change: (key: ApiKey) => ApiKey): Promise<void> {
    return this.#change(({ keys }) => replaced(keys, name, change));
  }

  /** Durable when it resolves, and nothing has changed where it fails. */
  #change(change: (kept: KeptKeys) => readonly ApiKey[]): Promise<void> {
    const changed = this.#last.then(async () => {
      const keys = change(this.#kept);
      const kept = { ...this.#kept, keys };
      await this.#record.write(encodeKeys(kept));
      this.#use({ ...kept, keys: withUses(keys, this.#kept.keys) });
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  #put(kept: KeptKeys): void {
    this.#kept = kept;
    this.#byId = new Map(kept.keys.map((key) => [key.id, key]));
    this.#unverified = kept.keys.filter(({ secrets }) => secrets.some(({ verifier }) => verifier === null));
  }

  #use(kept: KeptKeys): void {
    const secrets = kept.keys.flatMap((key) => key.secrets.map((secret) => ({ key, secret })));
    const wasKnown = new Map([...this.#known].map(([digest, { secret }]) => [secret, digest]));
    this.#put(kept);
    this.#known.clear();
    for (const { key, secret } of secrets) {
      const digest = 'digest' in secret.known ? secret.known.digest : wasKnown.get(secret.id);
      if (digest !== undefined) this.#known.set(digest, { key: key.id, secret: secret.id });
    }
    for (const listener of this.#listeners) listener();
  }
}

const ownerKey = (name: string) => ({ name, role: OWNER_ROLE_OID, expiresMs: null, scope: NO_SCOPE });

const heldKey = ({ id, name, role, scope }: ApiKey, secret: KeySecret): HeldKey => ({
  id,
  name,
  role,
  scope,
  secret: secret.id,
});

/** Days that were noted while a change was written. */
function withUses(keys: readonly ApiKey[], newest: readonly ApiKey[]): readonly ApiKey[] {
  const uses = new Map(newest.map(({ id, lastUsed }) => [id, lastUsed]));
  return keys.map((key) => ({ ...key, lastUsed: uses.get(key.id) ?? key.lastUsed }));
}

function replaced(keys: readonly ApiKey[], name: string, change: (key: ApiKey) => ApiKey): readonly ApiKey[] {
  requireKey(keys, name);
  return keys.map((key) => (key.name === name ? change(key) : key));
}

function requireKey(keys: readonly ApiKey[], name: string): void {
  if (!keys.some((key) => key.name === name)) throw unknownKey(name);
}

export const unknownKey = (name: string): SqlError =>
  new SqlError('undefined_object', `API key "${name}" does not exist`);

/** A prefix is a user name too. */
export function requireFree(keys: readonly ApiKey[], name: string): void {
  const isTaken = keys.some((key) => key.name === name || key.secrets.some(({ prefix }) => prefix === name));
  if (isTaken) throw new SqlError('duplicate_object', `API key "${name}" already exists`);
}

/** Clients take it for the end of their connection, which it is. */
export const keyEnded = (): SqlError =>
  new SqlError('admin_shutdown', 'terminating connection because its key is no longer valid', {
    severity: 'FATAL',
  });

const tooMany = (): SqlError =>
  new SqlError(
    'program_limit_exceeded',
    `there are ${API_KEYS_COUNT_MAX} API keys, and more there cannot be`,
  );
