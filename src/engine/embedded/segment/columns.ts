/**
 * The columns of a segment, and what is made of a column when it is first wanted: bounds and order of its
 * values. Values of vectors stay on disk and are read in ranges.
 */
import type { PagedBytes } from '../../../index/structure.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import type { ValueOrder, Zones } from '../../engine.ts';
import { isPaged, type StoredColumn } from './column.ts';
import { decimalColumn } from './decimals.ts';
import { DerivedColumns } from './derived-columns.ts';
import { ResidentMap } from './resident-map.ts';
import type { SectionReader, SegmentContext } from './section-reader.ts';
import type { Manifest, Sections } from './manifest.ts';
import { columnSection } from './names.ts';
import { textDictionary } from './text-dictionary.ts';
import { type SortedRows, valueOrder } from './value-order.ts';
import { columnZones } from './zones.ts';

interface LoadedColumn {
  readonly column: StoredColumn;
  /** With dictionary or decimals, where it has them: they take a while to make. */
  readonly complete: boolean;
}

type Pause = () => Promise<void>;

export class SegmentColumns {
  readonly #manifest: Manifest;
  readonly #sections: SectionReader;
  readonly #pause: Pause;
  /** By attribute. */
  readonly #resident: ResidentMap<LoadedColumn>;
  readonly #pages = new Map<string, PagedBytes>();
  readonly #zones: DerivedColumns<Zones>;
  readonly #orders: DerivedColumns<SortedRows>;

  constructor({ memory, pause }: SegmentContext, manifest: Manifest, sections: SectionReader) {
    this.#manifest = manifest;
    this.#sections = sections;
    this.#pause = pause;
    this.#resident = new ResidentMap(memory, 'column');
    this.#zones = new DerivedColumns(memory, {
      make: (attribute) => this.#derived(attribute, columnZones),
      bytesOf: ({ least, greatest }) => least.byteLength + greatest.byteLength,
    });
    this.#orders = new DerivedColumns(memory, {
      make: (attribute) => this.#derived(attribute, valueOrder),
      bytesOf: ({ bytes }) => bytes,
    });
  }

  load(attributes: readonly number[]): void | Promise<void> {
    if (!attributes.every((attribute) => this.#isLoaded(attribute))) return this.#load(attributes);
  }

  column(attribute: number): StoredColumn | null {
    const resident = this.#resident.use(String(attribute));
    if (resident !== undefined) return resident.column;
    const type = this.typeOf(attribute);
    if (type === null) return null;
    const names = this.#sectionsOf(attribute, type);
    const sections = new Map(names.map((name) => [name, this.#sections.read(name)]));
    const complete = typeByOid(type).vector !== 'text' && type !== OID.numeric;
    return this.#keep(attribute, this.#columnOf(attribute, type, sections), complete);
  }

  /** Null when these rows have no such column. */
  typeOf(attribute: number): number | null {
    return this.#manifest.columns.find((column) => column.attribute === attribute)?.type ?? null;
  }

  zones(attribute: number): Promise<Zones | null> {
    return this.#zones.get(attribute);
  }

  order(attribute: number): Promise<ValueOrder | null> {
    return this.#orders.get(attribute);
  }

  /** Attributes in memory. */
  loaded(): readonly number[] {
    return this.#resident.names().map(Number);
  }

  /** A section that stays on disk. */
  paged(name: string): PagedBytes {
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const pages = this.#sections.paged(name);
    this.#pages.set(name, pages);
    return pages;
  }

  release(): void {
    this.#resident.clear();
    this.#zones.clear();
    this.#orders.clear();
  }

  #isLoaded(attribute: number): boolean {
    return this.#resident.peek(String(attribute))?.complete === true || this.typeOf(attribute) === null;
  }

  async #load(attributes: readonly number[]): Promise<void> {
    for (const attribute of attributes) {
      if (this.#isLoaded(attribute)) continue;
      await this.#resident.bring(String(attribute), () => this.#bring(attribute));
    }
  }

  async #bring(attribute: number): Promise<void> {
    const type = this.typeOf(attribute);
    if (type === null) return;
    const sections = new Map<string, Uint8Array>();
    for (const name of this.#sectionsOf(attribute, type)) {
      sections.set(name, await this.#sections.load(name));
    }
    const column = this.#columnOf(attribute, type, sections);
    const decimals = type === OID.numeric ? await decimalColumn(column, this.#pause) : null;
    const isText = typeByOid(type).vector === 'text';
    const dictionary = isText ? await textDictionary(column, this.#pause) : null;
    this.#keep(
      attribute,
      { ...column, ...(dictionary && { dictionary }), ...(decimals && { decimals }) },
      true,
    );
  }

  #keep(attribute: number, column: StoredColumn, complete: boolean): StoredColumn {
    return this.#resident.replace(String(attribute), { column, complete }, bytesOf(column)).column;
  }

  /** Those that come into memory. */
  #sectionsOf(attribute: number, type: number): string[] {
    const parts = isPaged(type) ? (['offsets', 'nulls'] as const) : (['values', 'offsets', 'nulls'] as const);
    return parts.map((part) => columnSection(attribute, part)).filter((name) => this.#sections.has(name));
  }

  #columnOf(attribute: number, type: number, sections: Sections): StoredColumn {
    const { rowCount } = this.#manifest;
    const offsets = sections.get(columnSection(attribute, 'offsets'));
    const values = columnSection(attribute, 'values');
    return {
      type,
      rowCount,
      values: sections.get(values) ?? new Uint8Array(0),
      offsets: offsets ? new Uint32Array(offsets.buffer, offsets.byteOffset, rowCount + 1) : null,
      nulls: sections.get(columnSection(attribute, 'nulls')) ?? null,
      ...(isPaged(type) && { pages: this.paged(values) }),
    };
  }

  async #derived<T>(
    attribute: number,
    make: (column: StoredColumn, pause: Pause) => Promise<T | null>,
  ): Promise<T | null> {
    await this.load([attribute]);
    const column = this.column(attribute);
    return column === null ? null : make(column, this.#pause);
  }
}

function bytesOf({ values, offsets, nulls, dictionary, decimals }: StoredColumn): number {
  const codes = dictionary?.codes.byteLength ?? 0;
  const units = decimals?.units.byteLength ?? 0;
  return values.length + (offsets?.byteLength ?? 0) + (nulls?.length ?? 0) + codes + units;
}
