/**
 * What the engine keeps in the store, record by record: keys, sealed values, and errors that name the record.
 *
 * | space    | key                              | value (sealed, but for the format record)               |
 * |----------|----------------------------------|---------------------------------------------------------|
 * | meta     | `format`, `check`, `catalog`     | format version; key check; catalog as JSON               |
 * | meta     | `sequence OID`                   | where a sequence stands as JSON                          |
 * | meta     | `statistics OID`                 | what ANALYZE found of a relation as JSON                 |
 * | tables   | slot                             | relation, partition, storage, LSN, next row as JSON      |
 * | segments | storage, segment                 | manifest of a segment as JSON                            |
 * | blocks   | segment, section, block          | 64 KB of a section, less of those read in ranges         |
 * | chunks   | storage, first row               | rows of the head, one commit's batch                     |
 * | deletes  | storage, page                    | deleted rows of 4,096 row numbers, one bit each          |
 *
 * Numbers in keys are big-endian: 4 bytes, row numbers 6.
 */
import { SqlError } from '../../errors.ts';
import { deriveKey, NameCipher, SealError, Sealer } from '../../storage/seal.ts';
import { type KeyRange, type Operation, SPACES, type Space, type Store } from '../../storage/store.ts';

const FORMAT_VERSION = 4;
const CHECK_TEXT = 'quern key check';
export const DELETE_PAGE_ROWS = 4096;

export function numberKey(...parts: readonly number[]): Uint8Array {
  const key = Buffer.alloc(parts.length * 4);
  parts.forEach((part, i) => {
    key.writeUInt32BE(part, i * 4);
  });
  return key;
}

/** All keys that begin with these numbers. */
export function prefixRange(...parts: readonly number[]): KeyRange {
  const next = [...parts.slice(0, -1), (parts[parts.length - 1] ?? 0) + 1];
  return { from: numberKey(...parts), to: numberKey(...next) };
}

function rowKey(storage: number, row: number): Uint8Array {
  const key = Buffer.alloc(10);
  key.writeUInt32BE(storage, 0);
  key.writeUIntBE(row, 4, 6);
  return key;
}

const textKey = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export interface TableRecord {
  readonly slot: number;
  readonly relation: number;
  readonly partition: string | null;
  readonly storage: number;
  readonly exists: boolean;
  readonly lsn: number;
  readonly nextRow: number;
}

export class Records {
  readonly store: Store;
  /** Makes the names of keys. */
  readonly names: NameCipher;
  readonly #sealers: Readonly<Record<Space, Sealer>>;

  constructor(store: Store, masterKey: Uint8Array) {
    const sealer = (purpose: string): Sealer => new Sealer(deriveKey(masterKey, purpose));
    this.store = store;
    this.names = new NameCipher(deriveKey(masterKey, 'names'));
    this.#sealers = {
      meta: sealer('meta'),
      tables: sealer('tables'),
      segments: sealer('segments'),
      blocks: sealer('blocks'),
      chunks: sealer('chunks'),
      deletes: sealer('deletes'),
    };
  }

  /** Checks format and key of a store, or marks a new one. @throws SqlError that says which does not fit. */
  async begin(): Promise<void> {
    const format = this.store.get('meta', textKey('format'));
    if (format === undefined) {
      await this.store.write([
        { kind: 'put', space: 'meta', key: textKey('format'), value: textKey(String(FORMAT_VERSION)) },
        this.put('meta', textKey('check'), textKey(CHECK_TEXT)),
      ]);
      return;
    }
    const version = Number(Buffer.from(format).toString('utf8'));
    if (version !== FORMAT_VERSION) {
      throw new SqlError(
        'config_file_error',
        `data file "${this.store.name}" has format ${version}, this server reads format ${FORMAT_VERSION}`,
        { hint: 'Start it with the version of Quern that wrote it, or a newer one.' },
      );
    }
    this.#checkKey();
  }

  #checkKey(): void {
    const key = textKey('check');
    const sealed = this.store.get('meta', key) ?? new Uint8Array(0);
    try {
      this.#sealers.meta.open(sealed, identityOf('meta', key));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new SqlError(
        'config_file_error',
        `the encryption key does not fit data file "${this.store.name}"`,
        {
          hint: 'Give the key the data was made with; nothing has been changed.',
          cause: error,
        },
      );
    }
  }

  put(space: Space, key: Uint8Array, plain: Uint8Array): Operation {
    const value = this.#sealers[space].seal(plain, identityOf(space, key));
    return { kind: 'put', space, key, value };
  }

  /** The value; undefined when it is not there. @throws SqlError data_corrupted naming the record. */
  get(space: Space, key: Uint8Array): Uint8Array | undefined {
    const sealed = this.store.get(space, key);
    return sealed === undefined ? undefined : this.open(space, key, sealed);
  }

  open(space: Space, key: Uint8Array, sealed: Uint8Array): Uint8Array {
    try {
      return this.#sealers[space].open(sealed, identityOf(space, key));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw damaged(`record ${space}/${Buffer.from(key).toString('hex')}`, this.store.name);
    }
  }

  putJson(space: Space, key: Uint8Array, value: unknown): Operation {
    return this.put(space, key, textKey(JSON.stringify(value)));
  }

  putCatalog(json: string): Operation {
    return this.put('meta', textKey('catalog'), textKey(json));
  }

  catalog(): string | null {
    const plain = this.get('meta', textKey('catalog'));
    return plain === undefined ? null : Buffer.from(plain).toString('utf8');
  }

  putSequence(sequence: number, last: bigint, called: boolean): Operation {
    return this.putJson('meta', textKey(`sequence ${sequence}`), { last: String(last), called });
  }

  removeSequence(sequence: number): Operation {
    return { kind: 'remove', space: 'meta', key: textKey(`sequence ${sequence}`) };
  }

  /** Null before its first number. */
  sequence(sequence: number): { readonly last: string; readonly called: boolean } | null {
    const plain = this.get('meta', textKey(`sequence ${sequence}`));
    return plain === undefined ? null : JSON.parse(Buffer.from(plain).toString('utf8'));
  }

  putAnalysis(relation: number, analysis: unknown): Operation {
    return this.putJson('meta', textKey(`statistics ${relation}`), analysis);
  }

  removeAnalysis(relation: number): Operation {
    return { kind: 'remove', space: 'meta', key: textKey(`statistics ${relation}`) };
  }

  /** As `putAnalysis` was given it; null before the first ANALYZE. */
  analysis(relation: number): unknown {
    const plain = this.get('meta', textKey(`statistics ${relation}`));
    return plain === undefined ? null : JSON.parse(Buffer.from(plain).toString('utf8'));
  }

  putTable(table: TableRecord): Operation {
    return this.putJson('tables', numberKey(table.slot), table);
  }

  tables(): readonly TableRecord[] {
    return this.store
      .scan('tables', {})
      .map(({ key, value }) => JSON.parse(Buffer.from(this.open('tables', key, value)).toString('utf8')));
  }

  putChunk(storage: number, firstRow: number, plain: Uint8Array): Operation {
    return this.put('chunks', rowKey(storage, firstRow), plain);
  }

  removeChunk(storage: number, firstRow: number): Operation {
    return { kind: 'remove', space: 'chunks', key: rowKey(storage, firstRow) };
  }

  /** Chunks of a storage in row order. */
  chunks(storage: number): readonly { firstRow: number; plain: Uint8Array }[] {
    return this.store.scan('chunks', prefixRange(storage)).map(({ key, value }) => ({
      firstRow: Buffer.from(key).readUIntBE(4, 6),
      plain: this.open('chunks', key, value),
    }));
  }

  putDeletes(storage: number, page: number, bits: Uint8Array): Operation {
    return this.put('deletes', numberKey(storage, page), bits);
  }

  deletes(storage: number): Map<number, Uint8Array> {
    const pages = new Map<number, Uint8Array>();
    for (const { key, value } of this.store.scan('deletes', prefixRange(storage))) {
      pages.set(Buffer.from(key).readUInt32BE(4), new Uint8Array(this.open('deletes', key, value)));
    }
    return pages;
  }
}

export function damaged(what: string, file: string): SqlError {
  return new SqlError('data_corrupted', `${what} of data file "${file}" is damaged`, {
    hint: 'Restore the data folder from a backup; nothing has been overwritten.',
  });
}

function identityOf(space: Space, key: Uint8Array): Uint8Array {
  const identity = new Uint8Array(key.length + 1);
  identity[0] = SPACES[space];
  identity.set(key, 1);
  return identity;
}
