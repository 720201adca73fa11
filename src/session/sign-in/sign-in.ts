/**
 * Who may in. A key that is known is let in at once, whatever others do; every other try takes a place in the
 * throttle before any work is done for it, and costs the same time whichever part of it was wrong. The same
 * key tried by many connections at once (a pool after a restart) is one try.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SqlError } from '../../errors.ts';
import { USER } from '../environment.ts';
import type { Keys, Role } from './keys.ts';
import { PasswordThrottle } from './password-throttle.ts';
import type { StartupParameters } from '../protocol.ts';

/** Keys that are looked at in all, at a time: hashing one takes 16 MB and a tenth of a second of processor time. */
const CHECKS_COUNT_MAX = 200;

type Who = Pick<StartupParameters, 'user' | 'remoteAddress'>;

export class SignIn {
  readonly #keys: Keys;
  readonly #throttle: PasswordThrottle;
  /** Tries that have not ended, by address, user and key. */
  readonly #running = new Map<string, Promise<Role | null>>();
  /** The last of the checks that go on, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys;
    this.#throttle = new PasswordThrottle(now);
  }

  /**
   * The role of a right key; null for a wrong key or a wrong user, which are never told apart.
   * @throws SqlError 57P03 when there are too many tries.
   */
  check(who: Who, key: string): Promise<Role | null> | Role {
    const known = who.user === USER ? this.#keys.known(key) : null;
    if (known !== null) return known;
    const name = JSON.stringify([who.remoteAddress, who.user, this.#keys.digest(key)]);
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const tried = this.#try(who, key).finally(() => this.#running.delete(name));
    this.#running.set(name, tried);
    return tried;
  }

  async #try({ user, remoteAddress }: Who, key: string): Promise<Role | null> {
    if (this.#running.size >= CHECKS_COUNT_MAX) throw tooManyAtOnce();
    const waitMs = this.#throttle.begin(remoteAddress);
    if (waitMs > 0) await sleep(waitMs);
    const checked = this.#last.then(() => this.#keys.verify(key));
    this.#last = checked.catch(() => undefined);
    const role = await checked;
    if (role === null || user !== USER) return null;
    this.#throttle.succeeded(remoteAddress);
    return role;
  }
}

function tooManyAtOnce(): SqlError {
  return new SqlError('cannot_connect_now', 'too many keys are being checked', {
    severity: 'FATAL',
    hint: 'Try again in a few seconds.',
  });
}
