/**
 * Segments: immutable runs of rows made from heads and smaller segments. Columns and structures are sections
 * of bytes, stored in sealed blocks. They are brought into memory when first needed and may go again
 * (`memory.ts`); the values of vectors stay on disk and are read in ranges.
 */
import { columnByAttribute, type Index, type Relation } from '../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../index/registry.ts';
import {
  FLOATS_SECTION,
  type GraphFact,
  type PagedBytes,
  type StoredStructure,
  type Structure,
  type StructureKind,
  type StructureLoad,
} from '../../index/structure.ts';
import { BLOCK_BYTES } from '../../limits.ts';
import type { Operation } from '../../storage/store.ts';
import { isDense, isPaged, type StoredColumn, columnVector, sharedBytes } from './column.ts';
import type { ValueOrder, Zones } from '../engine.ts';
import { valueOrder } from './value-order.ts';
import { columnZones } from './zones.ts';
import { textDictionary } from './text-dictionary.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { decimalColumn } from './decimals.ts';
import { columnRows } from './column-rows.ts';
import { convertVector } from './convert.ts';
import type { Memory, Resident } from './memory.ts';
import { numberKey, type Records } from './records.ts';
import { type SectionRecord, SectionReader, type SegmentContext } from './section-reader.ts';
import { NAME_WORDS, type NameCipher } from '../../storage/seal.ts';
import { KeyTable } from './key-table.ts';
import { rowNames, type UniqueKey } from './unique-key.ts';
import { columnSection, keySection, structureSection } from './segment-names.ts';
import {
  type Source,
  type StructurePlan,
  seenDimension,
  structureName,
  structureOptions,
  structurePlans,
} from './source.ts';

/** What is stored of a segment besides its blocks. */
export interface Manifest {
  readonly segment: number;
  readonly rowCount: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /** By number: `rows`, `column/3/values`, `structure/16390/vectors/graph` … */
  readonly sections: readonly SectionRecord[];
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

interface HeldColumn extends Resident {
  readonly column: StoredColumn;
  /** With dictionary or decimals, where it has them: they take a while to make. */
  readonly complete: boolean;
}

interface HeldStructure extends Resident {
  readonly structure: Structure | null;
}

interface HeldKeys extends Resident {
  readonly table: KeyTable;
}

export class Segment implements Source {
  readonly manifest: Manifest;
  readonly sections: SectionReader;
  readonly #memory: Memory;
  readonly #pause: () => Promise<void>;
  readonly #columns = new Map<number, HeldColumn>();
  readonly #structures = new Map<string, HeldStructure>();
  readonly #keys = new Map<string, HeldKeys>();
  /** What is on its way into memory, so that nobody brings it twice. */
  readonly #loading = new Map<string, Promise<void>>();
  readonly #pages = new Map<string, PagedBytes>();
  readonly #zones = new Map<number, Promise<Zones | null>>();
  readonly #orders = new Map<number, Promise<ValueOrder | null>>();
  #rowNumbers: Float64Array | null = null;

  constructor(context: SegmentContext, manifest: Manifest) {
    this.manifest = manifest;
    this.sections = new SectionReader(context, manifest.segment, manifest.sections);
    this.#memory = context.memory;
    this.#pause = context.pause;
  }

  get rowCount(): number {
    return this.manifest.rowCount;
  }

  get rowNumbers(): Float64Array {
    if (this.#rowNumbers === null) {
      const { buffer, byteOffset } = this.sections.read('rows');
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
    return stored?.dimension ?? this.#structures.get(structureName(index, kind))?.structure?.dimension ?? 0;
  }

  load(attributes: readonly number[]): void | Promise<void> {
    if (!attributes.every((attribute) => this.#isLoaded(attribute))) return this.#load(attributes);
  }

  #isLoaded(attribute: number): boolean {
    return this.#columns.get(attribute)?.complete === true || this.#typeOf(attribute) === null;
  }

  async #load(attributes: readonly number[]): Promise<void> {
    for (const attribute of attributes) {
      if (this.#isLoaded(attribute)) continue;
      await this.#once(`column ${attribute}`, () => this.#loadColumn(attribute));
    }
  }

  /** Work that is under way is waited for, not begun again. */
  #once(name: string, work: () => Promise<void>): Promise<void> {
    let loading = this.#loading.get(name);
    if (loading === undefined) {
      loading = work().finally(() => this.#loading.delete(name));
      this.#loading.set(name, loading);
    }
    return loading;
  }

  async #loadColumn(attribute: number): Promise<void> {
    const type = this.#typeOf(attribute);
    if (type === null) return;
    const sections = new Map<string, Uint8Array>();
    for (const name of this.#columnSections(attribute, type)) {
      sections.set(name, await this.sections.load(name));
    }
    const column = this.#columnOf(attribute, type, sections);
    const decimals = type === OID.numeric ? await decimalColumn(column, this.#pause) : null;
    const isText = typeByOid(type).vector === 'text';
    const dictionary = isText ? await textDictionary(column, this.#pause) : null;
    const complete = { ...column, ...(dictionary && { dictionary }), ...(decimals && { decimals }) };
    this.#holdColumn(attribute, complete, true);
  }

  column(attribute: number): StoredColumn | null {
    const held = this.#columns.get(attribute);
    if (held !== undefined) {
      this.#memory.use(held);
      return held.column;
    }
    const type = this.#typeOf(attribute);
    if (type === null) return null;
    const names = this.#columnSections(attribute, type);
    const sections = new Map(names.map((name) => [name, this.sections.read(name)]));
    const column = this.#columnOf(attribute, type, sections);
    this.#holdColumn(attribute, column, typeByOid(type).vector !== 'text' && type !== OID.numeric);
    return column;
  }

  #holdColumn(attribute: number, column: StoredColumn, complete: boolean): void {
    const before = this.#columns.get(attribute);
    if (before !== undefined) this.#memory.remove(before);
    const drop = (): void => void this.#columns.delete(attribute);
    const held: HeldColumn = { kind: 'column', bytes: columnBytes(column), column, complete, drop };
    this.#columns.set(attribute, held);
    this.#memory.add(held);
  }

  /** Null when these rows have no such column. */
  #typeOf(attribute: number): number | null {
    return this.manifest.columns.find((column) => column.attribute === attribute)?.type ?? null;
  }

  /** Those that come into memory. */
  #columnSections(attribute: number, type: number): string[] {
    const parts = isPaged(type) ? (['offsets', 'nulls'] as const) : (['values', 'offsets', 'nulls'] as const);
    return parts.map((part) => columnSection(attribute, part)).filter((name) => this.sections.has(name));
  }

  #columnOf(attribute: number, type: number, sections: Sections): StoredColumn {
    const offsets = sections.get(columnSection(attribute, 'offsets'));
    const values = columnSection(attribute, 'values');
    return {
      type,
      rowCount: this.rowCount,
      values: sections.get(values) ?? new Uint8Array(0),
      offsets: offsets ? new Uint32Array(offsets.buffer, offsets.byteOffset, this.rowCount + 1) : null,
      nulls: sections.get(columnSection(attribute, 'nulls')) ?? null,
      ...(isPaged(type) && { pages: this.#paged(values) }),
    };
  }

  #paged(name: string): PagedBytes {
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const pages = this.sections.paged(name);
    this.#pages.set(name, pages);
    return pages;
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

  loadStructure(relation: Relation, index: Index, kind: StructureKind): void | Promise<void> {
    const name = structureName(index.oid, kind);
    if (!this.#structures.has(name)) {
      return this.#once(`structure ${name}`, () => this.#bringStructure(relation, index, kind));
    }
  }

  async #bringStructure(relation: Relation, index: Index, kind: StructureKind): Promise<void> {
    const load = this.#openStructure(relation, index, kind);
    if (load === null) {
      await this.load(index.columns);
      this.structure(relation, index, kind);
      return;
    }
    const prefix = structureSection(index.oid, kind, '');
    for (const [name, target] of load.targets) await this.sections.fill(prefix + name, target);
    this.#holdStructure(structureName(index.oid, kind), load.finish());
  }

  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const name = structureName(index.oid, kind);
    const held = this.#structures.get(name);
    if (held !== undefined) {
      this.#memory.use(held);
      return held.structure;
    }
    const load = this.#openStructure(relation, index, kind);
    if (load === null) return this.#holdStructure(name, this.#buildStructure(relation, index, kind));
    const prefix = structureSection(index.oid, kind, '');
    for (const [section, target] of load.targets) this.sections.fillNow(prefix + section, target);
    return this.#holdStructure(name, load.finish());
  }

  #holdStructure(name: string, structure: Structure | null): Structure | null {
    const before = this.#structures.get(name);
    if (before !== undefined) return before.structure;
    const drop = (): void => void this.#structures.delete(name);
    const held: HeldStructure = { kind: 'structure', bytes: structure?.bytes ?? 0, structure, drop };
    this.#structures.set(name, held);
    this.#memory.add(held);
    return structure;
  }

  /** Null when it is not stored. */
  #openStructure(relation: Relation, index: Index, kind: StructureKind): StructureLoad | null {
    const plan = structurePlans(relation).find((p) => p.index.oid === index.oid && p.kind === kind);
    const stored = this.manifest.structures.find((s) => s.index === index.oid && s.kind === kind);
    if (plan === undefined || stored === undefined) return null;
    const sizes = this.sections.sizes(structureSection(index.oid, kind, ''));
    const floats = this.floats(plan);
    return openStructure(plan, stored.dimension, { sizes, rowCount: this.rowCount, floats });
  }

  /** What is stored of a structure, but for its floats; for a merge. */
  async structureSections(index: number, kind: StructureKind): Promise<Sections> {
    const held = this.#structures.get(structureName(index, kind))?.structure;
    if (held) return held.sections();
    const prefix = structureSection(index, kind, '');
    const sections = new Map<string, Uint8Array>();
    for (const name of this.sections.sizes(prefix).keys()) {
      if (name !== FLOATS_SECTION) sections.set(name, await this.sections.load(prefix + name));
    }
    return sections;
  }

  /** Vectors of all rows one after another, in the column or beside the structure; null: nowhere. */
  floats({ index, kind, attribute, embedded }: StructurePlan): PagedBytes | null {
    const type = this.#typeOf(attribute);
    if (!embedded)
      return type !== null && isDense(type) ? this.#paged(columnSection(attribute, 'values')) : null;
    const name = structureSection(index.oid, kind, FLOATS_SECTION);
    return this.sections.has(name) ? this.#paged(name) : null;
  }

  keys(key: UniqueKey, cipher: NameCipher): KeyTable {
    const held = this.#keys.get(key.id);
    if (held !== undefined) {
      this.#memory.use(held);
      return held.table;
    }
    const sections = [keySection(key.id, 'names'), keySection(key.id, 'slots')] as const;
    if (this.manifest.keys.includes(key.id)) {
      return this.#holdKeys(key, keyTable(this.sections.read(sections[0]), this.sections.read(sections[1])));
    }
    const table = new KeyTable(this.rowCount);
    while (table.rowCount < this.rowCount) this.#nameRows(table, key, cipher);
    return this.#holdKeys(key, table);
  }

  loadKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    if (this.#keys.has(key.id)) return Promise.resolve();
    return this.#once(`keys ${key.id}`, () => this.#bringKeys(key, cipher, pause));
  }

  async #bringKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    if (this.manifest.keys.includes(key.id)) {
      const names = await this.sections.load(keySection(key.id, 'names'));
      this.#holdKeys(key, keyTable(names, await this.sections.load(keySection(key.id, 'slots'))));
      return;
    }
    await this.load(key.index.columns);
    const table = new KeyTable(this.rowCount);
    while (table.rowCount < this.rowCount) {
      this.#nameRows(table, key, cipher);
      await pause();
    }
    this.#holdKeys(key, table);
  }

  #holdKeys({ id }: UniqueKey, table: KeyTable): KeyTable {
    const before = this.#keys.get(id);
    if (before !== undefined) return before.table;
    const drop = (): void => void this.#keys.delete(id);
    const held: HeldKeys = { kind: 'key table', bytes: table.bytes, table, drop };
    this.#keys.set(id, held);
    this.#memory.add(held);
    return table;
  }

  #nameRows(table: KeyTable, key: UniqueKey, cipher: NameCipher): void {
    const start = table.rowCount;
    const end = Math.min(this.rowCount, start + KEY_ROWS);
    const names = rowNames(this, key, { cipher, start, end });
    for (let at = 0; at < names.length; at += NAME_WORDS) table.push(names, at);
  }

  /** Brings into memory what another run of rows of the relation had there. */
  async warm(relation: Relation, from: Segment): Promise<void> {
    for (const { index, kind } of structurePlans(relation)) {
      if (from.#structures.has(structureName(index.oid, kind)))
        await this.loadStructure(relation, index, kind);
    }
    await this.load([...from.#columns.keys()]);
  }

  release(): void {
    for (const held of this.#structures.values()) held.structure?.release();
    for (const held of [this.#columns, this.#structures, this.#keys].flatMap((map) => [...map.values()])) {
      this.#memory.remove(held);
      held.drop();
    }
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

function columnBytes({ values, offsets, nulls, dictionary, decimals }: StoredColumn): number {
  const codes = dictionary?.codes.byteLength ?? 0;
  const units = decimals?.units.byteLength ?? 0;
  return values.length + (offsets?.byteLength ?? 0) + (nulls?.length ?? 0) + codes + units;
}

function keyTable(names: Uint8Array, slots: Uint8Array): KeyTable {
  return KeyTable.load(
    new Uint32Array(names.buffer, names.byteOffset, names.length / 4),
    new Int32Array(slots.buffer, slots.byteOffset, slots.length / 4),
  );
}

/** Structures that are not read straight to their place get their sections in shared memory. */
function openStructure(plan: StructurePlan, dimension: number, stored: StoredStructure): StructureLoad {
  const method = STRUCTURE_METHODS[plan.kind];
  const options = structureOptions(plan, dimension);
  if (method.open !== undefined) return method.open(options, stored);
  const targets = new Map([...stored.sizes].map(([name, size]) => [name, sharedBytes(size)]));
  return { targets, finish: () => method.load(options, targets, stored.rowCount) };
}

/** The blocks of sections that are in memory, ready to be stored. */
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
