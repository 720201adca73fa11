/**
 * The search structures of a segment: read from its sections, or, for an index younger than the segment, made
 * of the column until a merge has built it.
 */
import { columnByAttribute, type Index, type Relation } from '../../../catalog/model.ts';
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import {
  FLOATS_SECTION,
  type PagedBytes,
  type StoredStructure,
  type Structure,
  type StructureKind,
  type StructureLoad,
} from '../../../index/structure.ts';
import { columnVector, isDense, sharedBytes } from './column.ts';
import { columnRows } from './column-rows.ts';
import { convertVector, indexedValues } from './convert.ts';
import { ResidentMap } from './resident-map.ts';
import type { SectionReader, SegmentContext } from './section-reader.ts';
import type { SegmentColumns } from './columns.ts';
import { type Manifest, type Sections, storedStructure } from './manifest.ts';
import { columnSection, structureSection } from './names.ts';
import {
  type StructurePlan,
  seenDimension,
  structureName,
  structureOptions,
  structurePlans,
} from '../head/source.ts';

export class SegmentStructures {
  readonly #manifest: Manifest;
  readonly #sections: SectionReader;
  readonly #columns: SegmentColumns;
  /** By `structureName`; null: there is nothing to find. */
  readonly #resident: ResidentMap<Structure | null>;

  constructor(
    { memory }: SegmentContext,
    manifest: Manifest,
    { sections, columns }: { sections: SectionReader; columns: SegmentColumns },
  ) {
    this.#manifest = manifest;
    this.#sections = sections;
    this.#columns = columns;
    this.#resident = new ResidentMap(memory, 'structure');
  }

  /** The dimension of a structure's vectors; 0 where there are none. */
  dimension(index: number, kind: StructureKind): number {
    const resident = this.#resident.peek(structureName(index, kind));
    return this.#stored(index, kind)?.dimension ?? resident?.dimension ?? 0;
  }

  isLoaded(index: number, kind: StructureKind): boolean {
    return this.#resident.has(structureName(index, kind));
  }

  load(relation: Relation, index: Index, kind: StructureKind): void | Promise<void> {
    const name = structureName(index.oid, kind);
    if (!this.#resident.has(name)) {
      return this.#resident.bring(name, () => this.#bring(relation, index, kind));
    }
  }

  async #bring(relation: Relation, index: Index, kind: StructureKind): Promise<void> {
    const load = this.#open(relation, index, kind);
    if (load === null) {
      await this.#columns.load(index.columns);
      this.structure(relation, index, kind);
      return;
    }
    const prefix = structureSection(index.oid, kind, '');
    for (const [name, target] of load.targets) await this.#sections.fill(prefix + name, target);
    this.#keep(index.oid, kind, load.finish());
  }

  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const resident = this.#resident.use(structureName(index.oid, kind));
    if (resident !== undefined) return resident;
    const load = this.#open(relation, index, kind);
    if (load === null) return this.#keep(index.oid, kind, this.#build(relation, index, kind));
    const prefix = structureSection(index.oid, kind, '');
    for (const [section, target] of load.targets) this.#sections.fillNow(prefix + section, target);
    return this.#keep(index.oid, kind, load.finish());
  }

  #keep(index: number, kind: StructureKind, structure: Structure | null): Structure | null {
    return this.#resident.add(structureName(index, kind), structure, structure?.bytes ?? 0);
  }

  #stored(index: number, kind: StructureKind): Manifest['structures'][number] | undefined {
    return storedStructure(this.#manifest, index, kind);
  }

  /** Null when it is not stored. */
  #open(relation: Relation, index: Index, kind: StructureKind): StructureLoad | null {
    const plan = structurePlans(relation).find((p) => p.index.oid === index.oid && p.kind === kind);
    const stored = this.#stored(index.oid, kind);
    if (plan === undefined || stored === undefined) return null;
    const sizes = this.#sections.sizes(structureSection(index.oid, kind, ''));
    const { rowCount } = this.#manifest;
    return openStructure(plan, stored.dimension, { sizes, rowCount, floats: this.floats(plan) });
  }

  /** Stored form of a structure, but for its floats; for a merge. */
  async sections(index: number, kind: StructureKind): Promise<Sections> {
    const resident = this.#resident.peek(structureName(index, kind));
    if (resident) return resident.sections();
    const prefix = structureSection(index, kind, '');
    const sections = new Map<string, Uint8Array>();
    for (const name of this.#sections.sizes(prefix).keys()) {
      if (name !== FLOATS_SECTION) sections.set(name, await this.#sections.load(prefix + name));
    }
    return sections;
  }

  /** Vectors of all rows one after another, in the column or beside the structure; null: nowhere. */
  floats({ index, kind, attribute, embedded }: StructurePlan): PagedBytes | null {
    if (!embedded) {
      const type = this.#columns.typeOf(attribute);
      if (type === null || !isDense(type)) return null;
      return this.#columns.paged(columnSection(attribute, 'values'));
    }
    const name = structureSection(index.oid, kind, FLOATS_SECTION);
    return this.#sections.has(name) ? this.#columns.paged(name) : null;
  }

  /** For an index younger than the segment; passages cannot be made here. */
  #build(relation: Relation, index: Index, kind: StructureKind): Structure | null {
    const attribute = index.columns[0] ?? 0;
    const type = columnByAttribute(relation, attribute)?.type;
    const column = this.#columns.column(attribute);
    if (column === null || type === undefined || (index.kind === 'semantic' && kind === 'vectors'))
      return null;
    const method = STRUCTURE_METHODS[kind];
    const dimension = kind === 'keywords' ? 0 : Math.max(0, type.modifier) || seenDimension(column);
    if (method.dimensioned && dimension === 0) return null;
    const options = { dimension, options: index.options };
    if (method.ofColumn) return method.ofColumn(options, columnRows(column, type.oid));
    const structure = method.head(options);
    const values = convertVector(columnVector(column, 0, column.rowCount), column.type, type.oid);
    structure.append({ kind, values: indexedValues(index, values, type.oid) });
    return structure;
  }

  release(): void {
    for (const structure of this.#resident.values()) structure?.release();
    this.#resident.clear();
  }
}

/** Structures that are not read straight to their place get their sections in shared memory. */
function openStructure(plan: StructurePlan, dimension: number, stored: StoredStructure): StructureLoad {
  const method = STRUCTURE_METHODS[plan.kind];
  const options = structureOptions(plan, dimension);
  if (method.open !== undefined) return method.open(options, stored);
  const targets = new Map([...stored.sizes].map(([name, size]) => [name, sharedBytes(size)]));
  return { targets, finish: () => method.load(options, targets, stored.rowCount) };
}
