/**
 * Which format data has, and whether format, keys and data belong together. The number is associated data of the key
 * check and of the root: with another one they do not open, so that it cannot be changed.
 */
import { SqlError } from '../../../errors.ts';
import type { KeyRing } from '../../../storage/key-ring.ts';
import { lostRing } from '../../../storage/ring-file.ts';
import { SealError, type Sealer } from '../../../storage/seal.ts';
import { SPACES, type Space, type Store } from '../../../storage/store.ts';
import { ROOT_KEY, type RootRecord } from './root.ts';

/** Format of data whose keys are all derived from one: up to 6 it has no journal, in 5 nothing is packed. */
export const DERIVED_FORMAT = 7;
/**
 * Data that has roles, grants or keys which a server without them would misread. Laid out as the format that it was
 * marked from, which its root says.
 */
export const GUARDED_FORMAT = 8;
/** Data whose keys lie in a file (`key-ring.ts`): what new data has, and all data that a server has opened. */
export const KEYED_FORMAT = 9;
const FORMATS: readonly number[] = [5, 6, DERIVED_FORMAT, GUARDED_FORMAT, KEYED_FORMAT];

export const FORMAT_KEY: Uint8Array = Buffer.from('format');
export const CHECK_KEY = Buffer.from('check');
export const CHECK_TEXT: Uint8Array = Buffer.from('quern key check');
const NOTHING = new Uint8Array(0);

export class FormatCheck {
  readonly #store: Store;
  readonly #sealer: Sealer;
  readonly #ring: KeyRing;

  /** @param sealer of the space `meta`. */
  constructor(store: Store, sealer: Sealer, ring: KeyRing) {
    this.#store = store;
    this.#sealer = sealer;
    this.#ring = ring;
  }

  /** @returns the format of the data. @throws SqlError XX001, F0000 that says what does not fit. */
  check(): number {
    const { name } = this.#store;
    const format = this.#store.get('meta', FORMAT_KEY);
    if (format === undefined) throw damaged('record meta/format', name);
    const version = Number(Buffer.from(format).toString('utf8'));
    if (!FORMATS.includes(version)) throw this.#otherFormat(version);
    const isDerived = this.#ring.content.generation === 0;
    if (version === KEYED_FORMAT && isDerived) throw lostRing(this.#ring.name, 'is missing');
    if (!this.#opens(CHECK_KEY, version)) throw this.#doesNotOpen(version);
    return version;
  }

  #opens(key: Uint8Array, version: number): boolean {
    try {
      const sealed = this.#store.get('meta', key) ?? NOTHING;
      this.#sealer.open(sealed, identityOf('meta', key, version));
      return true;
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  }

  /** It says another format than the one that it was sealed with. */
  #isOfAnother(version: number): boolean {
    return FORMATS.some(
      (format) => format !== version && [CHECK_KEY, ROOT_KEY].some((key) => this.#opens(key, format)),
    );
  }

  #doesNotOpen(version: number): SqlError {
    const { name } = this.#store;
    const { content, name: ring } = this.#ring;
    if (this.#opens(ROOT_KEY, version)) return damaged('record meta/check', name);
    if (this.#isOfAnother(version)) return damaged('record meta/format', name);
    if (content.generation > 0) {
      return lostRing(ring, `does not open data file "${name}": one is older, or of other data`);
    }
    return new SqlError('config_file_error', `the encryption key does not fit data file "${name}"`, {
      hint: 'Give the key the data was made with; nothing has been changed.',
    });
  }

  #otherFormat(version: number): SqlError {
    const { name } = this.#store;
    if (this.#isOfAnother(version)) return damaged('record meta/format', name);
    return new SqlError(
      'config_file_error',
      `data file "${name}" has format ${version}, this server reads format ${FORMATS.join(' and ')}`,
      { hint: 'Start it with the version of Quern that wrote it; nothing has been changed.' },
    );
  }
}

/**
 * The file of data keys may be one change ahead of the root: the start goes on with what a crash ended.
 * @throws SqlError XX001 that names which of the two is not the newest.
 */
export function requireRing(
  ring: KeyRing,
  { installation, ring: known = 0 }: RootRecord,
  data: string,
): void {
  const { name, content } = ring;
  if (content.generation === 0) return;
  if (content.installation !== installation) throw lostRing(name, 'belongs to other data');
  if (content.generation < known) throw lostRing(name, 'is older than the data');
  if (content.generation <= known + 1) return;
  throw new SqlError('data_corrupted', `data file "${data}" is older than file "${name}"`, {
    hint: 'Restore both together, from one backup; nothing has been overwritten.',
  });
}

export function damaged(what: string, file: string): SqlError {
  return new SqlError('data_corrupted', `${what} of data file "${file}" is damaged`, {
    hint: 'Restore the data folder from a backup; nothing has been overwritten.',
  });
}

/** Identity that a value is bound to: with the format, where a record tells whether all else can be read. */
export function identityOf(space: Space, key: Uint8Array, version: number): Uint8Array {
  const bindsFormat = key === ROOT_KEY || key === CHECK_KEY;
  const format = bindsFormat ? Buffer.from(` ${version}`) : NOTHING;
  const identity = new Uint8Array(1 + key.length + format.length);
  identity[0] = SPACES[space];
  identity.set(key, 1);
  identity.set(format, 1 + key.length);
  return identity;
}
