/**
 * The HTTP port's way to keys: who brings one, which browsers are signed in with one, and how they come to be: by a key, or by
 * the link that the first start prints, which is good once and for some minutes, in memory only.
 */
import { roleByOid } from '../../catalog/access/roles.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { LINK_MINUTES } from '../../limits.ts';
import { USER } from '../environment.ts';
import { type Browser, Browsers } from './browsers.ts';
import { type HeldKey, keyEnded, type Keys, type RandomBytes } from './keys.ts';
import type { SignIn } from './sign-in.ts';

const MINUTE_MS = 60_000;
const TOKEN_BYTES = 32;

/** Facts of a sign-in that are told; never a key's text. */
export interface SignInFields {
  readonly address: string;
  readonly key?: string;
  readonly role?: string;
  readonly certificate?: string;
  readonly by?: string;
  readonly everywhere?: boolean;
}

interface DeskOptions {
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly catalog: () => Catalog;
  readonly randomBytes: RandomBytes;
  readonly log: (event: string, fields: SignInFields) => void;
}

interface From {
  readonly address: string;
  readonly userAgent: string;
}

interface DeskBrowser {
  readonly key: HeldKey;
  isLive(): boolean;
  end(everywhere: boolean): Promise<void>;
}

/** A key that is signed in, for a page to show. */
interface KeyShown {
  readonly role: string;
  readonly key: {
    readonly name: string;
    readonly prefix: string;
    readonly expires: string | null;
    readonly read_only: boolean;
    readonly collections: readonly string[] | null;
    readonly partitions: readonly string[] | null;
    readonly datasets: readonly string[] | null;
    readonly addresses: readonly string[] | null;
    readonly attributes: Readonly<Record<string, string>>;
  };
}

export class SignInDesk {
  readonly #options: DeskOptions;
  readonly #browsers: Browsers;
  #link: { readonly digest: string; readonly held: HeldKey; readonly endMs: number } | null = null;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#browsers = new Browsers(options);
  }

  /** @returns the token of a link that signs in with the key; null where there is none. */
  makeLink(key: string | null): string | null {
    const { keys, randomBytes } = this.#options;
    const held = key === null ? null : keys.known(key);
    if (held === null) return null;
    const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
    this.#link = { digest: this.#digest(token), held, endMs: keys.now() + LINK_MINUTES * MINUTE_MS };
    return token;
  }

  async byKey(key: string, address: string): Promise<Pick<DeskBrowser, 'key' | 'isLive'>> {
    const held = await this.#heldBy(key, address);
    return { key: held, isLive: () => this.#options.keys.isLive(held) };
  }

  byToken(token: string, address: string): DeskBrowser | null {
    const browser = this.#browsers.find(token, address);
    return browser === null ? null : this.#shown(browser, address);
  }

  /** @throws SqlError 28P01, 57P01, 57P03. */
  async signIn(
    by: { readonly key: string } | { readonly link: string },
    from: From,
  ): Promise<{ readonly token: string; readonly key: HeldKey }> {
    const { address } = from;
    const key = 'key' in by ? await this.#heldBy(by.key, address) : await this.#linked(by.link, address);
    const token = await this.#browsers.add(key, from);
    const role = roleByOid(this.#options.catalog(), key.role)?.name ?? '';
    this.#options.log('sign-in', { address, key: key.name, role, by: 'browser' });
    return { token, key };
  }

  /** @throws SqlError 57P01 once the key is live no more. */
  describe(held: HeldKey): KeyShown {
    const live = this.#options.keys.liveOf(held);
    if (live === null) throw keyEnded();
    const { name, role, expiresMs, scope } = live.key;
    return {
      role: roleByOid(this.#options.catalog(), role)?.name ?? '',
      key: {
        name,
        prefix: live.secret.prefix,
        expires: expiresMs === null ? null : new Date(expiresMs).toISOString(),
        read_only: scope.readOnly,
        collections: scope.collections,
        partitions: scope.partitions,
        datasets: scope.datasets,
        addresses: scope.addresses,
        attributes: scope.attributes,
      },
    };
  }

  #shown({ held, isLive, end }: Browser, address: string): DeskBrowser {
    return {
      key: held,
      isLive,
      end: async (everywhere) => {
        await end(everywhere);
        this.#options.log('sign-out', { address, key: held.name, everywhere });
      },
    };
  }

  /** A password of role `quern` is no key. */
  async #heldBy(key: string, address: string): Promise<HeldKey> {
    const who = await this.#options.signIn.check({ user: USER, remoteAddress: address }, key);
    return who?.key ?? this.#refuse(address);
  }

  async #linked(token: string, address: string): Promise<HeldKey> {
    const take = (): HeldKey | null => this.#takeLink(token);
    return (await this.#options.signIn.by(take, address)) ?? this.#refuse(address);
  }

  /** In one turn: it is nobody else's after it. */
  #takeLink(token: string): HeldKey | null {
    const link = this.#link;
    if (link === null || link.digest !== this.#digest(token)) return null;
    this.#link = null;
    const { keys } = this.#options;
    return keys.now() < link.endMs && keys.isLive(link.held) ? link.held : null;
  }

  #digest(token: string): string {
    return this.#options.keys.digest(`link ${token}`);
  }

  #refuse(address: string): never {
    this.#options.log('sign-in refused', { address, by: 'browser' });
    throw new SqlError('invalid_password', 'this key does not sign in', { severity: 'FATAL' });
  }
}
