/**
 * Segments: immutable runs of rows made from heads and smaller segments. Columns, structures and tables of
 * keys are sections of bytes, stored in sealed blocks. They are brought into memory when first needed and may
 * go again (`memory.ts`); the values of vectors stay on disk and are read in ranges.
 */
import type { Index, Relation } from '../../../catalog/model.ts';
import type { PagedBytes, Structure, StructureKind } from '../../../index/structure.ts';
import type { NameCipher } from '../../../storage/seal.ts';
import type { ValueOrder, Zones } from '../../engine.ts';
import type { StoredColumn } from './column.ts';
import type { KeyTable } from '../keys/key-table.ts';
import { SectionReader, type SegmentContext } from './section-reader.ts';
import { SegmentColumns } from './columns.ts';
import { SegmentKeys } from './keys.ts';
import type { Manifest, Sections } from './manifest.ts';
import { SegmentStructures } from './structures.ts';
import { type Source, type StructurePlan, structurePlans } from '../head/source.ts';
import type { EnginePart } from '../head/part.ts';
import type { UniqueKey } from '../keys/unique-key.ts';

export class Segment implements Source {
  part: EnginePart | null = null;
  readonly manifest: Manifest;
  readonly sections: SectionReader;
  readonly #columns: SegmentColumns;
  readonly #structures: SegmentStructures;
  readonly #keys: SegmentKeys;
  #rowNumbers: Float64Array | null = null;

  constructor(context: SegmentContext, manifest: Manifest) {
    this.manifest = manifest;
    const sections = new SectionReader(context, manifest.segment, manifest.sections);
    const columns = new SegmentColumns(context, manifest, sections);
    this.sections = sections;
    this.#columns = columns;
    this.#structures = new SegmentStructures(context, manifest, { sections, columns });
    this.#keys = new SegmentKeys(context, manifest, { sections, source: this });
  }

  get rowCount(): number {
    return this.manifest.rowCount;
  }

  get rowNumbers(): Float64Array {
    this.#rowNumbers ??= this.#numbers();
    return this.#rowNumbers;
  }

  #numbers(): Float64Array {
    const { rowCount, manifest, sections } = this;
    if (!sections.has('rows'))
      return Float64Array.from({ length: rowCount }, (_, i) => manifest.firstRow + i);
    const { buffer, byteOffset } = sections.read('rows');
    return new Float64Array(buffer, byteOffset, rowCount);
  }

  get bytes(): number {
    return this.manifest.sections.reduce((sum, { size, packed = size }) => sum + packed, 0);
  }

  load(attributes: readonly number[]): void | Promise<void> {
    return this.#columns.load(attributes);
  }

  column(attribute: number): StoredColumn | null {
    return this.#columns.column(attribute);
  }

  zones(attribute: number): Promise<Zones | null> {
    return this.#columns.zones(attribute);
  }

  order(attribute: number): Promise<ValueOrder | null> {
    return this.#columns.order(attribute);
  }

  loadStructure(relation: Relation, index: Index, kind: StructureKind): void | Promise<void> {
    return this.#structures.load(relation, index, kind);
  }

  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    return this.#structures.structure(relation, index, kind);
  }

  /** The dimension of a structure's vectors; 0 where there are none. */
  dimension(index: number, kind: StructureKind): number {
    return this.#structures.dimension(index, kind);
  }

  /** Stored form of a structure, but for its floats; for a merge. */
  structureSections(index: number, kind: StructureKind): Promise<Sections> {
    return this.#structures.sections(index, kind);
  }

  /** Vectors of all rows one after another, in the column or beside the structure; null: nowhere. */
  floats(plan: StructurePlan): PagedBytes | null {
    return this.#structures.floats(plan);
  }

  keys(key: UniqueKey, cipher: NameCipher): KeyTable {
    return this.#keys.table(key, cipher);
  }

  loadKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    return this.#keys.load(key, cipher, pause);
  }

  /** Brings into memory what another run of rows of the relation had there. */
  async warm(relation: Relation, from: Segment): Promise<void> {
    for (const { index, kind } of structurePlans(relation)) {
      if (from.#structures.isLoaded(index.oid, kind)) await this.loadStructure(relation, index, kind);
    }
    await this.load(from.#columns.loaded());
  }

  release(): void {
    this.#structures.release();
    this.#columns.release();
    this.#keys.release();
  }
}
