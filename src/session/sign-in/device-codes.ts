/**
 * Commands that sign in by a browser (RFC 8628): one waits with a secret of its own and shows a short code; somebody who is signed
 * in approves it; whoever has the secret gets a new key, once. In memory only. The key is made when it is fetched, by the rights
 * that its approver has then, so that one which nobody fetches never was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { DEVICE_CODE_MINUTES, DEVICE_CODES_COUNT_MAX } from '../../limits.ts';
import { endOf, handKey, requireMayHand, type WantedKey } from './handed-key.ts';
import { type HeldKey, keyEnded, type Keys, type RandomBytes } from './keys.ts';
import { PasswordThrottle } from './password-throttle.ts';

/** No vowels, which make words, and no letters that are taken for others. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LETTERS = 8;
const SECRET_BYTES = 32;
const LIFE_MS = DEVICE_CODE_MINUTES * 60_000;
/** Those of one address that wait: its oldest goes. */
const CODES_AN_ADDRESS_MAX = 10;
const CLIENT_CHARACTERS_MAX = 100;

interface DeviceOptions {
  readonly keys: Keys;
  readonly catalog: () => Catalog;
  readonly randomBytes: RandomBytes;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Somebody who is signed in, and until when. */
interface Approver {
  readonly key: HeldKey;
  isLive(): boolean;
}

interface Waiting {
  readonly secretDigest: string;
  readonly code: string;
  readonly client: string;
  readonly address: string;
  readonly endMs: number;
  answer: { readonly by: Approver; readonly wanted: WantedKey } | 'denied' | null;
}

/** Whoever waits, as an approver is to know him. */
interface WaitingShown {
  /** `ABCD-EFGH`. */
  readonly code: string;
  /** In its own words, which may be anybody's. */
  readonly client: string;
  readonly address: string;
  readonly expires_s: number;
}

type Fetched =
  | { readonly state: 'waiting' | 'denied' | 'over' }
  | { readonly state: 'approved'; readonly name: string; readonly key: string };

export class DeviceCodes {
  readonly #options: DeviceOptions;
  readonly #throttle: PasswordThrottle;
  /** The oldest first. */
  #all: readonly Waiting[] = [];

  constructor(options: DeviceOptions) {
    this.#options = options;
    this.#throttle = new PasswordThrottle(options.now);
  }

  /** @throws SqlError 53300 where too many wait. */
  begin(client: string, address: string): { readonly secret: string; readonly code: string } {
    const { randomBytes, now, keys } = this.#options;
    const own = this.#current().filter((one) => one.address === address);
    if (own.length >= CODES_AN_ADDRESS_MAX) this.#remove(own[0]);
    if (this.#all.length >= DEVICE_CODES_COUNT_MAX) throw tooMany();
    const secret = Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');
    const waiting: Waiting = {
      secretDigest: keys.digest(`device ${secret}`),
      code: this.#newCode(),
      client: client.replace(/\p{C}/gu, ' ').slice(0, CLIENT_CHARACTERS_MAX),
      address,
      endMs: now() + LIFE_MS,
      answer: null,
    };
    this.#all = [...this.#all, waiting];
    return { secret, code: written(waiting.code) };
  }

  /** Null: no such code waits. @throws SqlError 57P01 where the approver is out, 57P03 after too many wrong codes. */
  async find(code: string, by: Approver, address: string): Promise<WaitingShown | null> {
    await this.#slowed(by, address);
    const found = this.#find(code, address);
    if (found === null) return null;
    const { client, endMs } = found;
    const leftMs = endMs - this.#options.now();
    return { code: written(found.code), client, address: found.address, expires_s: Math.ceil(leftMs / 1000) };
  }

  /**
   * Answers whoever waits, once. @param wanted null: no. @returns false: no such code waits.
   * @throws SqlError 42501 where the approver makes no keys, 42710, 42939 for the name, 22023 for the end, 57P01, 57P03.
   */
  async answer(
    code: string,
    by: Approver,
    { address, wanted }: { readonly address: string; readonly wanted: WantedText | null },
  ): Promise<boolean> {
    await this.#slowed(by, address);
    const found = this.#find(code, address);
    if (found === null) return false;
    if (wanted === null) {
      found.answer = 'denied';
    } else {
      const key = { name: wanted.name, expiresMs: endOf(this.#options, by.key, wanted.expires) };
      requireMayHand(this.#options, by.key, key);
      found.answer = { by, wanted: key };
    }
    const { client, address: from } = found;
    const event = wanted === null ? 'device refused' : 'device approved';
    this.#options.log(event, { address, key: by.key.name, client, from });
    return true;
  }

  /** Once it is not waiting any more, the secret is good for nothing. @throws SqlError 42501, 42710, 54000, 57P01. */
  async fetch(secret: string): Promise<Fetched> {
    const digest = this.#options.keys.digest(`device ${secret}`);
    const found = this.#current().find(({ secretDigest }) => secretDigest === digest);
    if (found === undefined) return { state: 'over' };
    const { answer } = found;
    if (answer === null) return { state: 'waiting' };
    this.#remove(found);
    if (answer === 'denied') return { state: 'denied' };
    if (!answer.by.isLive()) throw keyEnded();
    return { state: 'approved', ...(await handKey(this.#options, answer.by.key, answer.wanted)) };
  }

  /** Each try takes its place among those of its network before it is looked at. */
  async #slowed(by: Approver, address: string): Promise<void> {
    const waitMs = this.#throttle.begin(address);
    if (waitMs > 0) await sleep(waitMs);
    if (!by.isLive()) throw keyEnded();
  }

  /** In the turn in which it is answered: nobody else has answered it by then. */
  #find(code: string, address: string): Waiting | null {
    const asked = code.toUpperCase().replace(/[\s-]/g, '');
    const found = this.#current().find((one) => one.code === asked && one.answer === null);
    if (found === undefined) return null;
    this.#throttle.succeeded(address);
    return found;
  }

  #current(): readonly Waiting[] {
    const now = this.#options.now();
    this.#all = this.#all.filter(({ endMs }) => endMs > now);
    return this.#all;
  }

  #remove(gone: Waiting | undefined): void {
    this.#all = this.#all.filter((one) => one !== gone);
  }

  /** One that nobody else has who waits. */
  #newCode(): string {
    for (;;) {
      const code = this.#randomLetters();
      if (!this.#all.some((one) => one.code === code)) return code;
    }
  }

  /** Bytes above the last multiple of the letters' number would make some likelier. */
  #randomLetters(): string {
    let letters = '';
    while (letters.length < CODE_LETTERS) {
      const [byte = 0] = this.#options.randomBytes(1);
      if (byte < 256 - (256 % LETTERS.length)) letters += LETTERS[byte % LETTERS.length];
    }
    return letters;
  }
}

/** As the approver types it. */
interface WantedText {
  readonly name: string | null;
  readonly expires: string | null;
}

const written = (code: string): string =>
  `${code.slice(0, CODE_LETTERS / 2)}-${code.slice(CODE_LETTERS / 2)}`;

const tooMany = (): SqlError =>
  new SqlError('too_many_connections', 'too many commands wait to be signed in', {
    hint: `Try again in a few minutes, or sign in with a key.`,
  });
