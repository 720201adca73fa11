/**
 * Browsers that are signed in. A browser has a token, of which only a digest is kept, beside its key in the sealed record: a
 * restart signs nobody out, and what becomes of the key becomes of its browsers. Whether one still is signed in is asked at
 * each request, and again after what takes time.
 */
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { BROWSER_DAYS, BROWSER_IDLE_HOURS, BROWSERS_A_KEY_COUNT_MAX } from '../../limits.ts';
import { USER } from '../environment.ts';
import type { KeptBrowser } from './key-record.ts';
import type { HeldKey, Keys, RandomBytes } from './keys.ts';
import { mayBe } from './who.ts';

const HOUR_MS = 3_600_000;
const IDLE_MS_MAX = BROWSER_IDLE_HOURS * HOUR_MS;
const AGE_MS_MAX = BROWSER_DAYS * 24 * HOUR_MS;
const TOKEN_BYTES = 32;
const USER_AGENT_CHARACTERS_MAX = 200;
/** The key's id, by which its browsers are found, and what nobody can guess. */
const TOKEN = /^([\w-]{1,64})\.[\w-]{43}$/;

interface BrowsersOptions {
  readonly keys: Keys;
  readonly catalog: () => Catalog;
  readonly randomBytes: RandomBytes;
}

/** One that is signed in. */
export interface Browser {
  readonly held: HeldKey;
  /** Its end, if it is used until then, in Unix milliseconds; the key may end before. */
  readonly endMs: number;
  /** Neither it nor its key has ended since, or was changed. */
  isLive(): boolean;
  /** Signs it out; with all others of its key. */
  end(everywhere: boolean): Promise<void>;
}

interface From {
  readonly address: string;
  readonly userAgent: string;
}

export class Browsers {
  readonly #options: BrowsersOptions;
  /** Digests of those whose use is being noted. */
  readonly #noting = new Set<string>();

  constructor(options: BrowsersOptions) {
    this.#options = options;
  }

  /** @returns the token of one more. @throws SqlError 57P01 once the key is live no more. */
  async add(held: HeldKey, { address, userAgent }: From): Promise<string> {
    const { keys, randomBytes } = this.#options;
    const token = `${held.id}.${Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')}`;
    const now = keys.now();
    const added: KeptBrowser = {
      digest: this.#digest(token),
      secret: held.secret,
      createdMs: now,
      usedMs: now,
      address,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS_MAX),
    };
    await keys.changeBrowsers(held, (browsers) => [
      ...browsers.filter((one) => !this.#isOver(one)).slice(1 - BROWSERS_A_KEY_COUNT_MAX),
      added,
    ]);
    return token;
  }

  /** Whose a token is, shown from there; null: nobody's, or no longer. */
  find(token: string, address: string): Browser | null {
    const found = this.#find(token, address);
    if (found === null) return null;
    const { held, kept } = found;
    this.#noteUse(held, kept);
    return {
      held,
      endMs: kept.createdMs + AGE_MS_MAX,
      isLive: () => this.#options.keys.isLive(held) && this.#find(token, address) !== null,
      end: (everywhere) =>
        this.#change(held, (browsers) => browsers.filter((one) => !everywhere && one.digest !== kept.digest)),
    };
  }

  #find(token: string, address: string): { readonly held: HeldKey; readonly kept: KeptBrowser } | null {
    const { keys, catalog } = this.#options;
    const [, id = ''] = TOKEN.exec(token) ?? [];
    const digest = this.#digest(token);
    const kept = keys.byId(id)?.browsers?.find((one) => one.digest === digest);
    if (kept === undefined || this.#isOver(kept)) return null;
    const live = keys.liveOf({ id, secret: kept.secret });
    return live !== null && mayBe(catalog(), USER, address, live) ? { held: live.held, kept } : null;
  }

  /** Told apart from keys, whose digests are made alike. */
  #digest(token: string): string {
    return this.#options.keys.digest(`browser ${token}`);
  }

  /** A clock that was put back does not make one older. */
  #isOver({ createdMs, usedMs }: KeptBrowser): boolean {
    const now = this.#options.keys.now();
    return now >= createdMs + AGE_MS_MAX || now >= usedMs + IDLE_MS_MAX;
  }

  /** Not waited for; what could not be written is noted by the next request. */
  #noteUse(held: HeldKey, { digest, usedMs }: KeptBrowser): void {
    const now = this.#options.keys.now();
    if (now < usedMs + HOUR_MS || this.#noting.has(digest)) return;
    this.#noting.add(digest);
    this.#change(held, (browsers) =>
      browsers.map((one) => (one.digest === digest ? { ...one, usedMs: now } : one)),
    )
      .catch(() => undefined)
      .finally(() => this.#noting.delete(digest));
  }

  /** Those of a key that has ended have ended. */
  async #change(
    held: HeldKey,
    change: (browsers: readonly KeptBrowser[]) => readonly KeptBrowser[],
  ): Promise<void> {
    try {
      await this.#options.keys.changeBrowsers(held, change);
    } catch (error) {
      if (!(error instanceof SqlError) || error.condition !== 'admin_shutdown') throw error;
    }
  }
}
