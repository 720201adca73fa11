/**
 * Records that the engine keeps in the store: keys, sealed values, and errors that name the record.
 *
 * | space    | key                              | value (sealed, but for the format record)               |
 * |----------|----------------------------------|---------------------------------------------------------|
 * | meta     | `format`, `check`                | format version; key check                                |
 * | meta     | `root`                           | what must be stored, in which version (`root.ts`)        |
 * | meta     | `catalog`                        | catalog as JSON                                          |
 * | meta     | `sequence OID`                   | where a sequence stands as JSON                          |
 * | meta     | `statistics OID`                 | what ANALYZE found of a relation as JSON                 |
 * | tables   | slot                             | relation, partition, storage, LSN, next row, marks of what the storage holds as JSON |
 * | segments | storage, segment                 | manifest of a segment as JSON                            |
 * | blocks   | segment, section, block          | 64 KB of a section, less of those read in ranges         |
 * | chunks   | storage, first row               | rows of the head, one commit's batch                     |
 * | deletes  | storage, page                    | deleted rows of 4,096 row numbers, one bit each          |
 * | journal  | commit                           | a small commit's changes on top of all that (`link.ts`)  |
 *
 * Numbers in keys are big-endian: 4 bytes, row numbers 6. The format version is associated data of check and
 * root: with another one they do not open.
 */
import { randomBytes } from 'node:crypto';
import { present } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import { EntryCipher, type EntrySet } from '../../../storage/entry-set.ts';
import type { KeyRing } from '../../../storage/key-ring.ts';
import { markOf, NameCipher, SealCounter, SealError, Sealer } from '../../../storage/seal.ts';
import {
  type Entry,
  type KeyRange,
  type Operation,
  SPACES,
  type Space,
  type Store,
} from '../../../storage/store.ts';
import { missingData } from '../../../storage/data-file.ts';
import {
  CHECK_KEY,
  CHECK_TEXT,
  damaged,
  DERIVED_FORMAT,
  FORMAT_KEY,
  FormatCheck,
  GUARDED_FORMAT,
  identityOf,
  KEYED_FORMAT,
  requireRing,
} from './format.ts';
import { decodeLink, encodeLink, type Link, type LinkSequence } from './link.ts';
import { CATALOG_KEY, metaEntry, newRoot, Root, ROOT_KEY, type RootRecord } from './root.ts';
import { type EntryMarks, entryNumbers, type StorageEntries, type StorageSpace } from './storage-entries.ts';

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

function sequenceKey(sequence: number): Uint8Array {
  const key = Buffer.alloc(6);
  key.writeUIntBE(sequence, 0, 6);
  return key;
}

const textKey = (text: string): Uint8Array => Buffer.from(text, 'utf8');

type Put = Extract<Operation, { kind: 'put' }>;

export interface TableRecord {
  readonly slot: number;
  readonly relation: number;
  readonly partition: string | null;
  readonly storage: number;
  readonly exists: boolean;
  readonly lsn: number;
  readonly nextRow: number;
  /** When it came into being, in Unix milliseconds; absent: of before that was kept. */
  readonly createdMs?: number;
  /** When it was last written to; absent likewise. */
  readonly changedMs?: number | undefined;
  readonly entries: EntryMarks;
}

interface StoredLink extends Link {
  readonly key: Uint8Array;
  /** Bytes of its record. */
  readonly size: number;
}

export class Records {
  readonly store: Store;
  /** Makes the names of keys. */
  readonly names: NameCipher;
  readonly cipher: EntryCipher;
  readonly #ring: KeyRing;
  readonly #made: Sealer[] = [];
  readonly #sealers: Readonly<Record<Space, Sealer>>;
  readonly #counter = new SealCounter();
  readonly #formats: FormatCheck;
  #root: Root | null = null;
  /** Format that the data had when it was opened, but for its marks: by which values are laid out. */
  #layout = DERIVED_FORMAT;

  constructor(store: Store, ring: KeyRing) {
    this.store = store;
    this.#ring = ring;
    this.names = new NameCipher(ring.lasting('names'));
    this.cipher = new EntryCipher(ring.lasting('entries'));
    this.#sealers = {
      meta: this.sealer('meta'),
      tables: this.sealer('tables'),
      segments: this.sealer('segments'),
      blocks: this.sealer('blocks'),
      chunks: this.sealer('chunks'),
      deletes: this.sealer('deletes'),
      journal: this.sealer('journal'),
    };
    this.#formats = new FormatCheck(store, this.#sealers.meta, ring);
  }

  /** Seals in the epoch that the data is in. */
  sealer(purpose: string): Sealer {
    const sealer = new Sealer(this.#ring, purpose, this.#counter);
    this.#made.push(sealer);
    return sealer;
  }

  /** Data keys of epochs before are destroyed. */
  forgetBefore(epoch: number): void {
    for (const sealer of this.#made) sealer.forgetBefore(epoch);
  }

  /** Small commits are kept as they come. */
  get hasJournal(): boolean {
    return this.#format >= 7;
  }

  /** Sections of segments are made smaller for the disk. */
  get packs(): boolean {
    return this.#format >= 6;
  }

  /** By which new values are laid out. */
  get #format(): number {
    return this.root.record.ring === undefined ? this.#layout : KEYED_FORMAT;
  }

  get root(): Root {
    return present(this.#root, 'root');
  }

  /**
   * Checks format, key and root of a store, or marks a new one.
   * @param mayBeNew false: there has been data, so that a store without any has lost it.
   * @param newFormat of a new one.
   * @throws SqlError that says which does not fit.
   */
  async begin(mayBeNew: boolean, newFormat = DERIVED_FORMAT): Promise<void> {
    const { generation } = this.#ring.content;
    if (isEmpty(this.store)) {
      if (!mayBeNew) throw missingData(this.store.name);
      await this.#makeNew(generation === 0 ? newFormat : KEYED_FORMAT);
      return;
    }
    const version = this.#formats.check();
    const sealed = this.store.get('meta', ROOT_KEY);
    if (sealed === undefined) throw damaged('record meta/root', this.store.name);
    this.#layout = version;
    const plain = this.open('meta', ROOT_KEY, sealed);
    const record = JSON.parse(Buffer.from(plain).toString('utf8')) as RootRecord;
    if (version === GUARDED_FORMAT) this.#layout = record.layout ?? DERIVED_FORMAT;
    requireRing(this.#ring, record, this.store.name);
    this.#setRoot(record, sealed);
    this.#readMeta();
  }

  async #makeNew(format: number): Promise<void> {
    const { installation, generation } = this.#ring.content;
    const made = newRoot(installation || randomBytes(16).toString('hex'), generation);
    const record = format === GUARDED_FORMAT ? { ...made, layout: DERIVED_FORMAT } : made;
    this.#layout = record.layout ?? format;
    const root = this.#putRoot(record);
    await this.store.write([...this.#formatMarks(format), root]);
    this.#setRoot(record, root.value);
  }

  #setRoot(record: RootRecord, sealed: Uint8Array): void {
    const { store, cipher } = this;
    const seal = (next: RootRecord): Put => this.#putRoot(next);
    this.#root = new Root({ store, cipher, counter: this.#counter, seal }, record, sealed);
  }

  #putRoot(record: RootRecord): Put {
    return this.#putIn('meta', ROOT_KEY, textKey(JSON.stringify(record)), this.#formatOf(record));
  }

  #formatOf({ layout, ring }: RootRecord): number {
    if (ring !== undefined) return KEYED_FORMAT;
    return layout === undefined ? this.#layout : GUARDED_FORMAT;
  }

  /** Written in one with the root that names a generation of data keys: the check is sealed anew with it. */
  get keyedMarks(): readonly Operation[] {
    return this.#formatMarks(KEYED_FORMAT);
  }

  #formatMarks(version: number): readonly Operation[] {
    return [
      { kind: 'put', space: 'meta', key: FORMAT_KEY, value: textKey(String(version)) },
      this.#putIn('meta', CHECK_KEY, CHECK_TEXT, version),
    ];
  }

  /** The sets of what lies beside the catalog; the entries themselves are read when they are needed. */
  #readMeta(): void {
    const { root } = this;
    const entries = this.store.scan('meta', {});
    const terms = this.cipher.terms(entries.map(({ value }) => value));
    for (const [i, { key }] of entries.entries()) {
      const entry = metaEntry(key);
      if (entry !== null) root[entry.set].apply(new Map([[entry.number, terms[i] as bigint]]));
    }
    for (const set of ['sequences', 'statistics'] as const) {
      if (root[set].mark !== root.record[set]) throw this.incomplete(set);
    }
  }

  /** Some of what the newest commit left is not there, or not as it left it. */
  incomplete(what: string): SqlError {
    return new SqlError(
      'data_corrupted',
      `${what} of data file "${this.store.name}" are not those of the newest commit`,
      { hint: 'Restore the data folder from a backup; nothing has been overwritten.' },
    );
  }

  put(space: Space, key: Uint8Array, plain: Uint8Array): Put {
    return this.#putIn(space, key, plain, this.#layout);
  }

  #putIn(space: Space, key: Uint8Array, plain: Uint8Array, version: number): Put {
    const value = this.#sealers[space].seal(plain, identityOf(space, key, version));
    return { kind: 'put', space, key, value };
  }

  /** The value of an entry of a set; null when there is none. @throws SqlError when it is not the newest. */
  #listed(set: EntrySet, number: number, key: Uint8Array): unknown {
    const sealed = this.store.get('meta', key);
    const [term = null] = sealed === undefined ? [] : this.cipher.terms([sealed]);
    if (term !== set.term(number)) {
      throw damaged(`record meta/${Buffer.from(key).toString('utf8')}`, this.store.name);
    }
    if (sealed === undefined) return null;
    return JSON.parse(Buffer.from(this.open('meta', key, sealed)).toString('utf8'));
  }

  open(space: Space, key: Uint8Array, sealed: Uint8Array): Uint8Array {
    try {
      return this.#sealers[space].open(sealed, identityOf(space, key, this.#layout));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw this.#damagedRecord(space, key);
    }
  }

  #damagedRecord(space: Space, key: Uint8Array): SqlError {
    const name = Buffer.from(key).toString(space === 'meta' ? 'utf8' : 'hex');
    return damaged(`record ${space}/${name}`, this.store.name);
  }

  /** A stored value, sealed with the newest key. @throws SqlError XX001 that names the record. */
  sealAnew(space: Space, key: Uint8Array, sealed: Uint8Array): Put {
    return this.put(space, key, this.open(space, key, sealed));
  }

  putJson(space: Space, key: Uint8Array, value: unknown): Operation {
    return this.put(space, key, textKey(JSON.stringify(value)));
  }

  putCatalog(json: string): Operation {
    return this.put('meta', CATALOG_KEY, textKey(json));
  }

  /** Null before the first. */
  catalog(): string | null {
    const sealed = this.store.get('meta', CATALOG_KEY);
    const mark = sealed === undefined ? null : markOf(sealed);
    if (mark !== this.root.record.catalog) throw damaged('record meta/catalog', this.store.name);
    if (sealed === undefined) return null;
    return Buffer.from(this.open('meta', CATALOG_KEY, sealed)).toString('utf8');
  }

  putSequence([sequence, last, called]: LinkSequence): Operation {
    return this.putJson('meta', textKey(`sequence ${sequence}`), { last, called });
  }

  removeSequence(sequence: number): Operation {
    return { kind: 'remove', space: 'meta', key: textKey(`sequence ${sequence}`) };
  }

  /** Null before its first number. */
  sequence(sequence: number): { readonly last: string; readonly called: boolean } | null {
    const stored = this.#listed(this.root.sequences, sequence, textKey(`sequence ${sequence}`));
    return stored as { last: string; called: boolean } | null;
  }

  putAnalysis(relation: number, analysis: unknown): Operation {
    return this.putJson('meta', textKey(`statistics ${relation}`), analysis);
  }

  removeAnalysis(relation: number): Operation {
    return { kind: 'remove', space: 'meta', key: textKey(`statistics ${relation}`) };
  }

  /** As `putAnalysis` was given it; null before the first ANALYZE. */
  analysis(relation: number): unknown {
    return this.#listed(this.root.statistics, relation, textKey(`statistics ${relation}`));
  }

  putTable(table: TableRecord): Operation {
    return this.putJson('tables', numberKey(table.slot), table);
  }

  tables(): readonly TableRecord[] {
    const { root } = this;
    const stored = this.#scan('tables', {}, root.tables);
    if (root.tables.mark !== root.record.tables) throw this.incomplete('tables');
    return stored.map(({ key, value }) => this.#json('tables', key, value) as TableRecord);
  }

  putChunk(storage: number, firstRow: number, plain: Uint8Array): Operation {
    return this.put('chunks', rowKey(storage, firstRow), plain);
  }

  removeChunk(storage: number, firstRow: number): Operation {
    return { kind: 'remove', space: 'chunks', key: rowKey(storage, firstRow) };
  }

  /** Manifests of a storage's segments. */
  manifests(storage: number, entries: StorageEntries): readonly unknown[] {
    const stored = this.#scan('segments', prefixRange(storage), entries.segments);
    return stored.map(({ key, value }) => this.#json('segments', key, value));
  }

  /** Chunks of a storage up to a row, in row order. */
  chunks(
    storage: number,
    nextRow: number,
    entries: StorageEntries,
  ): readonly { firstRow: number; plain: Uint8Array }[] {
    const range = { from: rowKey(storage, 0), to: rowKey(storage, nextRow) };
    return this.#scan('chunks', range, entries.chunks).map(({ key, value }) => ({
      firstRow: entryNumbers(key).number,
      plain: this.open('chunks', key, value),
    }));
  }

  /** Removes chunks from a row on. */
  removeChunks(storage: number, nextRow: number): readonly Operation[] {
    const range = { ...prefixRange(storage), from: rowKey(storage, nextRow) };
    return this.store.scanKeys('chunks', range).map((key) => ({ kind: 'remove', space: 'chunks', key }));
  }

  putDeletes(storage: number, page: number, bits: Uint8Array): Operation {
    return this.put('deletes', numberKey(storage, page), bits);
  }

  deletes(storage: number, entries: StorageEntries): Map<number, Uint8Array> {
    const pages = new Map<number, Uint8Array>();
    for (const { key, value } of this.#scan('deletes', prefixRange(storage), entries.deletes)) {
      pages.set(entryNumbers(key).number, new Uint8Array(this.open('deletes', key, value)));
    }
    return pages;
  }

  /** The next commit's changes as one record. */
  putLink(link: Omit<Link, 'previous'>): Put {
    const { record } = this.root;
    const plain = encodeLink({ ...link, previous: record.journal ?? '' });
    return this.put('journal', sequenceKey(record.sequence + 1), plain);
  }

  /** All links, the oldest first. @throws SqlError XX001 when one is missing, or there is another. */
  links(): readonly StoredLink[] {
    let previous = '';
    const links = this.store.scan('journal', {}).map(({ key, value }): StoredLink => {
      const link = decodeLink(this.open('journal', key, value));
      if (link.previous !== previous) throw this.incomplete('commits');
      previous = markOf(value);
      return { ...link, key, size: value.length };
    });
    if (previous !== (this.root.record.journal ?? '')) throw this.incomplete('commits');
    return links;
  }

  /** Entries as they are stored; their set takes them in. */
  #scan(space: StorageSpace | 'tables', range: KeyRange, set: EntrySet): readonly Entry[] {
    const entries = this.store.scan(space, range);
    for (const { key } of entries) {
      if (key.length !== KEY_BYTES[space]) throw this.#damagedRecord(space, key);
    }
    const terms = this.cipher.terms(entries.map(({ value }) => value));
    const numberOf = (key: Uint8Array): number =>
      entryNumbers(key)[space === 'tables' ? 'storage' : 'number'];
    set.apply(new Map(entries.map(({ key }, i) => [numberOf(key), terms[i] as bigint])));
    return entries;
  }

  #json(space: Space, key: Uint8Array, sealed: Uint8Array): unknown {
    return JSON.parse(Buffer.from(this.open(space, key, sealed)).toString('utf8'));
  }
}

const KEY_BYTES = { tables: 4, segments: 8, chunks: 10, deletes: 8 } as const;

const isEmpty = (store: Store): boolean =>
  Object.keys(SPACES).every((space) => store.scanKeys(space as Space, { limit: 1 }).length === 0);
