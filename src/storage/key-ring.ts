/**
 * The data keys: what everything is sealed with. The encryption key only wraps them (`ring-file.ts`), so that it can be
 * changed at once; a data key is changed by sealing all anew, in the background, and destroyed when nothing needs it.
 *
 * A data key serves the epochs from its first one on, until the next key's. Marks of sealed values (`seal.ts`) name
 * their epoch, and so their data key. Keys of names, of sets and of digests stay for ever: what is made of them
 * cannot be made anew without everything that it was made of.
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey, type SealKeys, Sealer } from './seal.ts';

const KEY_BYTES = 32;

/** Purposes with a key that stays; those that end in an epoch seal values in it for ever. */
const LASTING = ['names', 'entries', 'api-key-digests', 'rollback-guard/0', 'kept-secrets/0'] as const;
export type LastingPurpose = (typeof LASTING)[number];

export interface DataKey {
  /** The first epoch that it serves. */
  readonly from: number;
  readonly key: Uint8Array;
}

export interface RingContent {
  /** The data that the ring belongs to. */
  readonly installation: string;
  /** Grows with each change; the root says which one belongs to it. 0: the ring is in no file. */
  readonly generation: number;
  readonly lasting: Readonly<Record<LastingPurpose, Uint8Array>>;
  /** The oldest first. */
  readonly data: readonly DataKey[];
}

export class KeyRing implements SealKeys {
  /** The path of its file, for messages. */
  readonly name: string;
  #content: RingContent;

  constructor(name: string, content: RingContent) {
    this.name = name;
    this.#content = content;
  }

  get content(): RingContent {
    return this.#content;
  }

  /** The file holds it now. */
  use(content: RingContent): void {
    this.#content = content;
  }

  /** The first epoch of the newest data key. */
  get newest(): number {
    return this.#content.data.at(-1)?.from ?? 0;
  }

  lasting(purpose: LastingPurpose): KeyObject {
    return createSecretKey(this.#content.lasting[purpose]);
  }

  /** Seals for ever with one key; whatever else is sealed goes by the epoch of the data. */
  lastingSealer(purpose: 'rollback-guard' | 'kept-secrets'): Sealer {
    return new Sealer(this, purpose);
  }

  keyOf(purpose: string, epoch: number): KeyObject | null {
    const own = `${purpose}/${epoch}`;
    if (isLasting(own)) return this.lasting(own);
    const found = this.#content.data.findLast(({ from }) => from <= epoch);
    return found === undefined ? null : deriveKey(found.key, own);
  }
}

const isLasting = (purpose: string): purpose is LastingPurpose =>
  (LASTING as readonly string[]).includes(purpose);

/** Keys as data before format 9 has them: all derived from the encryption key. */
export function derivedContent(key: Uint8Array): RingContent {
  const derived = (purpose: string): Uint8Array => new Uint8Array(deriveKey(key, purpose).export());
  return { installation: '', generation: 0, lasting: lastingOf(derived), data: [{ from: 0, key }] };
}

export const derivedRing = (key: Uint8Array): KeyRing => new KeyRing('', derivedContent(key));

export const newKey = (): Uint8Array => new Uint8Array(randomBytes(KEY_BYTES));

/** Keys of new data. */
export const newContent = (): RingContent => ({
  installation: randomBytes(16).toString('hex'),
  generation: 1,
  lasting: lastingOf(newKey),
  data: [{ from: 0, key: newKey() }],
});

const lastingOf = (make: (purpose: LastingPurpose) => Uint8Array): RingContent['lasting'] =>
  Object.fromEntries(LASTING.map((purpose) => [purpose, make(purpose)])) as RingContent['lasting'];

/** As the file has it: JSON, keys in hexadecimal. */
export function encodeContent({ lasting, data, ...rest }: RingContent): string {
  const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex');
  return JSON.stringify({
    ...rest,
    lasting: Object.fromEntries(LASTING.map((purpose) => [purpose, hex(lasting[purpose])])),
    data: data.map(({ from, key }) => ({ from, key: hex(key) })),
  });
}

export function decodeContent(text: string): RingContent {
  const bytes = (key: string): Uint8Array => new Uint8Array(Buffer.from(key, 'hex'));
  const { lasting, data, ...rest } = JSON.parse(text) as Omit<RingContent, 'lasting' | 'data'> & {
    readonly lasting: Readonly<Record<LastingPurpose, string>>;
    readonly data: readonly { readonly from: number; readonly key: string }[];
  };
  return {
    ...rest,
    lasting: lastingOf((purpose) => bytes(lasting[purpose])),
    data: data.map(({ from, key }) => ({ from, key: bytes(key) })),
  };
}
