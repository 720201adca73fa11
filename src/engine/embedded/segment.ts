/**
 * Segments: immutable runs of rows made from heads and smaller segments. Columns and structures are sections
 * of bytes, stored in sealed blocks of 64 KB and brought into shared memory when first needed.
 */
import { columnByAttribute, type Index, type Relation } from '../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../index/registry.ts';
import type { GraphFact, Structure, StructureKind } from '../../index/structure.ts';
import { BLOCK_BYTES } from '../../limits.ts';
import type { Operation } from '../../storage/store.ts';
import { columnVector, type StoredColumn, sharedBytes } from './column.ts';
import type { ValueOrder, Zones } from '../engine.ts';
import { valueOrder } from './value-order.ts';
import { columnZones } from './zones.ts';
import { textDictionary } from './text-dictionary.ts';
import type { TextDictionary } from '../../types/vector.ts';
import type { Decimals } from '../../types/object-vector.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { decimalColumn } from './decimals.ts';
import { columnRows } from './column-rows.ts';
import { convertVector } from './convert.ts';
import { damaged, numberKey, type Records } from './records.ts';
import { NAME_WORDS, type NameCipher } from '../../storage/seal.ts';
import { KeyTable } from './key-table.ts';
import { rowNames, type UniqueKey } from './unique-key.ts';
import { columnSection, keySection, structureSection } from './segment-names.ts';
import { type Source, structureName, seenDimension, structureOptions, structurePlans } from './source.ts';

/** What is stored of a segment besides its blocks. */
export interface Manifest {
  readonly segment: number;
  readonly rowCount: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /** Section number by name: `rows`, `column/3/values`, `structure/16390/vectors/graph` … */
  readonly sections: readonly { readonly name: string; readonly size: number }[];
  readonly columns: readonly { readonly attribute: number; readonly type: number }[];
  /** Ids of unique keys (`UniqueKey.id`) whose tables are stored. */
  readonly keys: readonly string[];
  readonly structures: readonly {
    readonly index: number;
    readonly kind: StructureKind;
    readonly dimension: number;
    readonly graph?: GraphFact | null;
    /** How long it took to make. */
    readonly buildMs?: number;
  }[];
  /** Indexes that were there when it was made, also those that keep nothing of its rows. */
  readonly indexes?: readonly number[];
}

/** Rows whose keys are named at a time. */
const KEY_ROWS = 1024;

export type Sections = ReadonlyMap<string, Uint8Array>;

export class Segment implements Source {
  readonly manifest: Manifest;
  readonly #records: Records;
  readonly #pause: () => Promise<void>;
  readonly #sections = new Map<string, Uint8Array>();
  readonly #structures = new Map<string, Structure | null>();
  readonly #keys = new Map<string, KeyTable>();
  readonly #zones = new Map<number, Promise<Zones | null>>();
  readonly #orders = new Map<number, Promise<ValueOrder | null>>();
  readonly #columns = new Map<number, StoredColumn | null>();
  /** Columns brought into memory. */
  readonly #loaded = new Set<number>();
  readonly #dictionaries = new Map<number, TextDictionary | null>();
  readonly #decimals = new Map<number, Decimals | null>();
  #rowNumbers: Float64Array | null = null;

  /** @param pause gives the event loop a turn when it is time. @param sections those in memory already. */
  constructor(records: Records, manifest: Manifest, pause: () => Promise<void>, sections?: Sections) {
    this.manifest = manifest;
    this.#records = records;
    this.#pause = pause;
    for (const [name, bytes] of sections ?? []) this.#sections.set(name, bytes);
  }

  get rowCount(): number {
    return this.manifest.rowCount;
  }

  get rowNumbers(): Float64Array {
    if (this.#rowNumbers === null) {
      const { buffer, byteOffset } = this.section('rows');
      this.#rowNumbers = new Float64Array(buffer, byteOffset, this.rowCount);
    }
    return this.#rowNumbers;
  }

  get bytes(): number {
    return this.manifest.sections.reduce((sum, section) => sum + section.size, 0);
  }

  /** Of a structure's vectors; 0 where there are none. */
  dimension(index: number, kind: StructureKind): number {
    const stored = this.manifest.structures.find((s) => s.index === index && s.kind === kind);
    return stored?.dimension ?? this.#structures.get(structureName(index, kind))?.dimension ?? 0;
  }

  load(attributes: readonly number[]): void | Promise<void> {
    if (!attributes.every((attribute) => this.#loaded.has(attribute))) return this.#load(attributes);
  }

  async #load(attributes: readonly number[]): Promise<void> {
    for (const attribute of attributes) {
      if (this.#loaded.has(attribute)) continue;
      for (const part of ['values', 'offsets', 'nulls'] as const) {
        await this.#loadSection(columnSection(attribute, part));
      }
      await this.#encode(attribute);
      this.#loaded.add(attribute);
    }
  }

  /** Others that read the column meanwhile do without a dictionary. */
  async #encode(attribute: number): Promise<void> {
    if (this.#dictionaries.has(attribute)) return;
    this.#dictionaries.set(attribute, null);
    const column = this.column(attribute);
    if (column === null) return;
    if (column.type === OID.numeric) this.#decimals.set(attribute, await decimalColumn(column, this.#pause));
    if (typeByOid(column.type).vector !== 'text') return;
    this.#dictionaries.set(attribute, await textDictionary(column, this.#pause));
  }

  /** Every section, for a merge. */
  async loadAll(): Promise<Sections> {
    for (const { name } of this.manifest.sections) await this.#loadSection(name);
    return this.#sections;
  }

  column(attribute: number): StoredColumn | null {
    const known = this.#columns.get(attribute);
    if (known !== undefined) return known;
    const found = this.#findColumn(attribute);
    if (this.#loaded.has(attribute)) this.#columns.set(attribute, found);
    return found;
  }

  zones(attribute: number): Promise<Zones | null> {
    return this.#ofColumn(this.#zones, attribute, columnZones);
  }

  order(attribute: number): Promise<ValueOrder | null> {
    return this.#ofColumn(this.#orders, attribute, valueOrder);
  }

  /** What is made of a column when it is first wanted. */
  #ofColumn<T>(
    known: Map<number, Promise<T | null>>,
    attribute: number,
    make: (column: StoredColumn, pause: () => Promise<void>) => Promise<T | null>,
  ): Promise<T | null> {
    const found = known.get(attribute);
    if (found !== undefined) return found;
    const made = this.#loadedColumn(attribute).then((column) =>
      column === null ? null : make(column, this.#pause),
    );
    known.set(attribute, made);
    // Failed once is not failed for ever: the block may be there when it is read again.
    made.catch(() => known.delete(attribute));
    return made;
  }

  async #loadedColumn(attribute: number): Promise<StoredColumn | null> {
    await this.load([attribute]);
    return this.column(attribute);
  }

  #findColumn(attribute: number): StoredColumn | null {
    const column = this.manifest.columns.find((c) => c.attribute === attribute);
    if (column === undefined) return null;
    const dictionary = this.#dictionaries.get(attribute);
    const decimals = this.#decimals.get(attribute);
    const offsets = this.#optional(columnSection(attribute, 'offsets'));
    return {
      type: column.type,
      rowCount: this.rowCount,
      values: this.section(columnSection(attribute, 'values')),
      offsets:
        offsets === null ? null : new Uint32Array(offsets.buffer, offsets.byteOffset, this.rowCount + 1),
      nulls: this.#optional(columnSection(attribute, 'nulls')),
      ...(dictionary && { dictionary }),
      ...(decimals && { decimals }),
    };
  }

  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const name = structureName(index.oid, kind);
    const known = this.#structures.get(name);
    if (known !== undefined) return known;
    const made = this.#loadStructure(relation, index, kind);
    this.#structures.set(name, made);
    return made;
  }

  keys(key: UniqueKey, cipher: NameCipher): KeyTable {
    const known = this.#keys.get(key.id);
    if (known !== undefined) return known;
    const table = this.#storedKeys(key) ?? new KeyTable(this.rowCount);
    while (table.rowCount < this.rowCount) this.#nameRows(table, key, cipher);
    this.#keys.set(key.id, table);
    return table;
  }

  async loadKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    if (this.#keys.has(key.id)) return;
    if (this.manifest.keys.includes(key.id)) {
      for (const part of ['names', 'slots'] as const) await this.#loadSection(keySection(key.id, part));
      return;
    }
    await this.load(key.index.columns);
    const table = new KeyTable(this.rowCount);
    while (table.rowCount < this.rowCount) {
      this.#nameRows(table, key, cipher);
      await pause();
    }
    if (!this.#keys.has(key.id)) this.#keys.set(key.id, table);
  }

  #storedKeys({ id }: UniqueKey): KeyTable | null {
    if (!this.manifest.keys.includes(id)) return null;
    const names = this.section(keySection(id, 'names'));
    const slots = this.section(keySection(id, 'slots'));
    return KeyTable.load(
      new Uint32Array(names.buffer, names.byteOffset, names.length / 4),
      new Int32Array(slots.buffer, slots.byteOffset, slots.length / 4),
    );
  }

  /** For an index younger than the segment. */
  #nameRows(table: KeyTable, key: UniqueKey, cipher: NameCipher): void {
    const start = table.rowCount;
    const end = Math.min(this.rowCount, start + KEY_ROWS);
    const names = rowNames(this, key, { cipher, start, end });
    for (let at = 0; at < names.length; at += NAME_WORDS) table.push(names, at);
  }

  /** A section's bytes, read now when they are not in memory. */
  section(name: string): Uint8Array {
    const known = this.#sections.get(name);
    if (known !== undefined) return known;
    const bytes = this.#allocate(name);
    for (let block = 0; block * BLOCK_BYTES < bytes.length; block++) this.#readBlock(name, bytes, block);
    this.#sections.set(name, bytes);
    return bytes;
  }

  release(): void {
    for (const structure of this.#structures.values()) structure?.release();
    this.#structures.clear();
  }

  #optional(name: string): Uint8Array | null {
    return this.manifest.sections.some((section) => section.name === name) ? this.section(name) : null;
  }

  async #loadSection(name: string): Promise<void> {
    if (this.#sections.has(name) || !this.manifest.sections.some((section) => section.name === name)) return;
    const bytes = this.#allocate(name);
    for (let block = 0; block * BLOCK_BYTES < bytes.length; block++) {
      this.#readBlock(name, bytes, block);
      await this.#pause();
    }
    if (!this.#sections.has(name)) this.#sections.set(name, bytes);
  }

  #allocate(name: string): Uint8Array {
    const section = this.manifest.sections.find((s) => s.name === name);
    if (section === undefined) throw this.#damaged(`section "${name}"`);
    return sharedBytes(section.size);
  }

  #readBlock(name: string, into: Uint8Array, block: number): void {
    const section = this.manifest.sections.findIndex((s) => s.name === name);
    const key = numberKey(this.manifest.segment, section, block);
    const sealed = this.#records.store.get('blocks', key);
    const what = `block ${block} of section "${name}"`;
    if (sealed === undefined) throw this.#damaged(what);
    let plain: Uint8Array;
    try {
      plain = this.#records.open('blocks', key, sealed);
    } catch {
      throw this.#damaged(what);
    }
    into.set(plain, block * BLOCK_BYTES);
  }

  #damaged(what: string): Error {
    return damaged(`${what} of segment ${this.manifest.segment}`, this.#records.store.name);
  }

  #loadStructure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const plan = structurePlans(relation).find((p) => p.index.oid === index.oid && p.kind === kind);
    if (plan === undefined) return null;
    const stored = this.manifest.structures.find((s) => s.index === index.oid && s.kind === kind);
    if (stored !== undefined) {
      const prefix = structureSection(index.oid, kind, '');
      const sections = new Map<string, Uint8Array>();
      for (const { name } of this.manifest.sections) {
        if (name.startsWith(prefix)) sections.set(name.slice(prefix.length), this.section(name));
      }
      const options = structureOptions(plan, stored.dimension);
      return STRUCTURE_METHODS[kind].load(options, sections, this.rowCount);
    }
    return this.#buildStructure(relation, index, kind);
  }

  /** For an index younger than the segment; passages cannot be made here. */
  #buildStructure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const attribute = index.columns[0] ?? 0;
    const type = columnByAttribute(relation, attribute)?.type;
    const column = this.column(attribute);
    if (column === null || type === undefined || (index.kind === 'semantic' && kind === 'vectors'))
      return null;
    const method = STRUCTURE_METHODS[kind];
    const dimension = kind === 'keywords' ? 0 : Math.max(0, type.modifier) || seenDimension(column);
    if (method.dimensioned && dimension === 0) return null;
    const options = { dimension, options: index.options };
    if (method.ofColumn) return method.ofColumn(options, columnRows(column, type.oid));
    const structure = method.head(options);
    const values = convertVector(columnVector(column, 0, this.rowCount), column.type, type.oid);
    structure.append({ kind, values });
    return structure;
  }
}

/** The blocks of a segment, ready to be stored, `count` operations at a time. */
export function* blockOperations(
  records: Records,
  manifest: Manifest,
  sections: Sections,
): Generator<Operation> {
  for (const [number, { name }] of manifest.sections.entries()) {
    const bytes = sections.get(name) ?? new Uint8Array(0);
    for (let block = 0; block * BLOCK_BYTES < bytes.length; block++) {
      const plain = bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
      yield records.put('blocks', numberKey(manifest.segment, number, block), plain);
    }
  }
}
