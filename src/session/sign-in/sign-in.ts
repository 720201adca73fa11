/**
 * Who may in. A key that is known is let in at once, whatever others do; every other try takes a place in the
 * throttle before it is told, and costs the same time whichever part of it was wrong. The same key tried by many
 * connections at once (a pool after a restart) is one try.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedCache } from '../../bounded-cache.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { USER } from '../environment.ts';
import type { StartupParameters } from '../protocol.ts';
import type { HeldKey, Keys } from './keys.ts';
import { PasswordThrottle } from './password-throttle.ts';
import { type Candidate, type ChannelBinding, ScramExchange } from './scram-exchange.ts';
import { type Verifier, verifierOf } from '../../catalog/access/scram.ts';
import { candidatesOf, mayBe, type RoleWithPassword, roleWithPassword, type SignedIn } from './who.ts';

/** Texts that are looked at in all, at a time: hashing one takes 16 MB and a tenth of a second of processor time. */
const CHECKS_COUNT_MAX = 200;
const NONCE_BYTES = 18;
const CALLERS_COUNT_MAX = 10_000;

type Who = Pick<StartupParameters, 'user' | 'remoteAddress'>;

interface SignInOptions {
  readonly keys: Keys;
  readonly catalog: () => Catalog;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** An exchange of messages that shows who somebody is. */
export interface Exchange {
  /** @returns the server's first message. @throws SqlError 08P01, 28000. */
  begin(message: string): string;
  /** Null for a wrong key or a wrong user. @throws SqlError 08P01, 28000, 57P03. */
  end(message: string): Promise<{ readonly who: SignedIn; readonly final: string } | null>;
}

export class SignIn {
  readonly #options: SignInOptions;
  readonly #keys: Keys;
  readonly #throttle: PasswordThrottle;
  /** Tries that have not ended, by address, user and key. */
  readonly #running = new Map<string, Promise<SignedIn | null>>();
  /** Chosen keys and passwords that were right, which are let in at once. */
  readonly #proved = new Set<string>();
  #textsCount = 0;
  /** The key that came last from an address by a user's name: it is likely to come again. */
  readonly #newest = new BoundedCache<string, string>({ entriesMax: CALLERS_COUNT_MAX });
  /** Proofs so far, which are told apart by their number. */
  #proofs = 0;
  /** The last of the checks that go on, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#keys = options.keys;
    this.#throttle = new PasswordThrottle(options.now);
  }

  /** True while a live key has no verifier, which it gets from its text. */
  get needsText(): boolean {
    return this.#keys.needsText;
  }

  /**
   * Whose a right key is; null for a wrong key or a wrong user, which are never told apart.
   * @throws SqlError 57P03 when there are too many tries.
   */
  check(who: Who, key: string): Promise<SignedIn | null> | SignedIn {
    const known = this.#accepted(who, this.#keys.known(key));
    if (known !== null) {
      this.#used(known, key);
      return known;
    }
    const name = JSON.stringify([who.remoteAddress, who.user, this.#keys.digest(key)]);
    return this.#once(name, () => this.#try(who, key));
  }

  /**
   * Another way of showing a key, whose tries are slowed as those of keys are. @param find in one turn, when it is looked at.
   * @throws SqlError 57P03.
   */
  async by(find: () => HeldKey | null, remoteAddress: string): Promise<HeldKey | null> {
    const found = await this.#slowed({ user: USER, remoteAddress }, async () => {
      const held = find();
      return held === null ? null : { role: held.role, key: held };
    });
    return found?.key ?? null;
  }

  /** @param channel of the connection, and the mechanism that its client chose. */
  exchange(
    who: Who,
    { mechanism, binding }: { readonly mechanism: string; readonly binding: ChannelBinding },
  ): Exchange {
    const { salting, candidates, owned } = this.#candidates(who);
    const nonce = Buffer.from(this.#options.randomBytes(NONCE_BYTES)).toString('base64');
    const secret = this.#newest.get(callerName(who));
    const likely = candidates.find((one) => secret !== undefined && one.who?.key?.secret === secret);
    const exchange = new ScramExchange({ salting, candidates, likely, nonce, mechanism, binding });
    return {
      begin: (message) => exchange.begin(message),
      end: (message) => this.#proofOf(who, exchange.end(message), owned),
    };
  }

  /** A role's own password serves its name alone, and has a salt of its own. */
  #candidates({ user, remoteAddress: address }: Who) {
    const { keys } = this;
    const catalog = this.#options.catalog();
    const owned = roleWithPassword(catalog, user, keys.now());
    if (owned !== null) {
      const who: SignedIn | null = { role: owned.role.oid, key: null };
      return { salting: owned.verifier, candidates: [{ verifier: owned.verifier, who }], owned };
    }
    const candidates: Candidate<SignedIn | null>[] = candidatesOf(keys, catalog, { user, address }).map(
      ({ verifier, held }) => ({ verifier, who: { role: held.role, key: held } }),
    );
    // Nobody's: an unknown user costs what a known one does.
    return {
      salting: keys.salting,
      candidates: [...candidates, { verifier: this.#nobody(user), who: null }],
      owned: null,
    };
  }

  get keys(): Keys {
    return this.#keys;
  }

  /** A verifier whose password nobody knows. */
  #nobody(user: string): Verifier {
    const text = (part: string): string =>
      createHmac('sha256', this.#keys.digest(`nobody ${part}`))
        .update(user)
        .digest('base64');
    return { storedKey: text('stored'), serverKey: text('server') };
  }

  async #proofOf(
    who: Who,
    proved: { readonly who: SignedIn | null; readonly final: string } | null,
    owned: RoleWithPassword | null,
  ) {
    const found = proved?.who ?? null;
    const name = found === null ? null : proofName(found);
    const isMade = found?.key != null && this.#keys.liveOf(found.key)?.secret.prefix !== '';
    const isKnown = isMade || (name !== null && this.#proved.has(name));
    if (!isKnown) {
      const asked = JSON.stringify([who.remoteAddress, who.user, name ?? ++this.#proofs]);
      await this.#once(asked, () => this.#slowed(who, async () => found));
    }
    if (proved === null || found === null || name === null) return null;
    if (!isMade) this.#proved.add(name);
    // It may have ended since the exchange began.
    if (found.key === null ? !this.#isStill(who, owned) : !this.#keys.isLive(found.key)) return null;
    if (found.key !== null) this.#newest.set(callerName(who), found.key.secret);
    this.#used(found, null);
    return { who: found, final: proved.final };
  }

  #once(name: string, run: () => Promise<SignedIn | null>): Promise<SignedIn | null> {
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const tried = run().finally(() => this.#running.delete(name));
    this.#running.set(name, tried);
    return tried;
  }

  async #try(who: Who, key: string): Promise<SignedIn | null> {
    if (this.#textsCount >= CHECKS_COUNT_MAX) throw tooManyAtOnce();
    this.#textsCount++;
    const found = await this.#checked(who, key).finally(() => this.#textsCount--);
    if (found !== null) this.#used(found, key);
    return found;
  }

  #checked(who: Who, key: string): Promise<SignedIn | null> {
    return this.#slowed(who, async () => {
      const checked = this.#last.then(() => this.#keys.verify(key));
      this.#last = checked.catch(() => undefined);
      const held = await checked;
      const role = await this.#byPassword(who, key);
      return this.#accepted(who, held) ?? role;
    });
  }

  /** Takes its place among the tries of its network. */
  async #slowed({ remoteAddress }: Who, check: () => Promise<SignedIn | null>): Promise<SignedIn | null> {
    const waitMs = this.#throttle.begin(remoteAddress);
    if (waitMs > 0) await sleep(waitMs);
    const found = await check();
    if (found !== null) this.#throttle.succeeded(remoteAddress);
    return found;
  }

  async #byPassword({ user }: Who, text: string): Promise<SignedIn | null> {
    const owned = roleWithPassword(this.#options.catalog(), user, this.#keys.now());
    const given = await verifierOf(text, owned?.verifier ?? this.#keys.salting);
    if (owned === null || given.storedKey !== owned.verifier.storedKey) return null;
    return this.#isStill({ user }, owned) ? { role: owned.role.oid, key: null } : null;
  }

  #isStill({ user }: Pick<Who, 'user'>, was: RoleWithPassword | null): boolean {
    const owned = roleWithPassword(this.#options.catalog(), user, this.#keys.now());
    return was !== null && owned?.role.oid === was.role.oid && owned.role.verifier === was.role.verifier;
  }

  #accepted({ user, remoteAddress }: Who, held: HeldKey | null): SignedIn | null {
    const live = held === null ? null : this.#keys.liveOf(held);
    if (live === null || !mayBe(this.#options.catalog(), user, remoteAddress, live)) return null;
    return { role: live.held.role, key: live.held };
  }

  /** Not waited for: who is in is in. */
  #used({ key }: SignedIn, text: string | null): void {
    if (key !== null) this.#keys.used(key, text).catch(() => undefined);
  }
}

const callerName = ({ user, remoteAddress }: Who): string => `${remoteAddress} ${user}`;

const proofName = ({ role, key }: SignedIn): string => (key === null ? `role ${role}` : `key ${key.secret}`);

function tooManyAtOnce(): SqlError {
  return new SqlError('cannot_connect_now', 'too many keys are being checked', {
    severity: 'FATAL',
    hint: 'Try again in a few seconds.',
  });
}
