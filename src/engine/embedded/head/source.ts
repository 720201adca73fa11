/**
 * Where a run of rows comes from: the growing head, an immutable segment, or a transaction's own rows. And
 * how an index of the catalog is made of search structures.
 */
import { columnByAttribute, type Index, type Relation } from '../../../catalog/model.ts';
import { structuresOf } from '../../../index/registry.ts';
import type { Structure, StructureKind, StructureOptions } from '../../../index/structure.ts';
import type { NameCipher } from '../../../storage/seal.ts';
import { dimensionOf } from '../../../types/vector/dimension.ts';
import type { ValueOrder, Zones } from '../../engine.ts';
import { columnVector, type StoredColumn } from '../segment/column.ts';
import type { KeyTable } from '../keys/key-table.ts';
import type { UniqueKey } from '../keys/unique-key.ts';
import type { EnginePart } from './part.ts';

export interface Source {
  /** Rows there are; a snapshot may see fewer of a head. */
  readonly rowCount: number;
  /** Ascending; the array may be longer than `rowCount`. */
  readonly rowNumbers: Float64Array;
  /** Memory held. */
  readonly bytes: number;
  /** Brings columns into memory, giving way to others in between; nothing to wait for when they are. */
  load(attributes: readonly number[]): void | Promise<void>;
  /** Null when these rows have no such column. Loads it when it is not in memory. */
  column(attribute: number): StoredColumn | null;
  /** Bounds of a column's values; absent or null where none are kept. */
  zones?(attribute: number): Promise<Zones | null>;
  /** All rows there are by a column's values; absent or null where that is not kept. */
  order?(attribute: number): Promise<ValueOrder | null>;
  /** Brings a structure into memory, giving way to others in between; nothing to wait for when it is. */
  loadStructure(relation: Relation, index: Index, kind: StructureKind): void | Promise<void>;
  /**
   * The search structure for all rows there are; null when there is nothing to find. Loads it when it is not
   * in memory.
   */
  structure(relation: Relation, index: Index, kind: StructureKind): Structure | null;
  /** The rows by a unique key, all there are; made now as far as they are not in memory. */
  keys(key: UniqueKey, cipher: NameCipher): KeyTable;
  /** Brings them into memory, giving way to others in between. */
  loadKeys(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void>;
  /** The newest view of it that snapshots have (`Database.part`). */
  part: EnginePart | null;
  release(): void;
}

/** A snapshot's view of a source: its first `rowCount` rows, of which the set bits are visible. */
export interface Run {
  readonly source: Source;
  readonly rowCount: number;
  /** Null: all of them. */
  readonly visible: Uint32Array | null;
}

/** Structures to keep for a relation's rows. */
export interface StructurePlan {
  readonly index: Index;
  readonly kind: StructureKind;
  /** The column's attribute number. */
  readonly attribute: number;
  /** True when the vectors are passages of a text, made by a model. */
  readonly embedded: boolean;
}

const plansOf = new WeakMap<Relation, readonly StructurePlan[]>();

export function structurePlans(relation: Relation): readonly StructurePlan[] {
  const known = plansOf.get(relation);
  if (known !== undefined) return known;
  const plans = relation.indexes.flatMap((index) => {
    const attribute = index.columns[0] ?? 0;
    const type = columnByAttribute(relation, attribute)?.type.oid ?? 0;
    return structuresOf(index.kind, type).map((kind) => ({
      index,
      kind,
      attribute,
      embedded: index.kind === 'semantic' && kind === 'vectors',
    }));
  });
  plansOf.set(relation, plans);
  return plans;
}

export function structureOptions(plan: StructurePlan, dimension: number): StructureOptions {
  return { dimension, options: plan.index.options };
}

/** `vector(384)` has 384; 0 when the type does not say. */
export function declaredDimension(relation: Relation, plan: StructurePlan): number {
  if (plan.kind === 'keywords' || plan.embedded) return 0;
  return Math.max(0, columnByAttribute(relation, plan.attribute)?.type.modifier ?? 0);
}

export const structureName = (index: number, kind: StructureKind): string => `${index}/${kind}`;

/** The dimension of a column's first vector, from a row on; 0 where it has none. */
export function seenDimension(column: StoredColumn, from = 0): number {
  for (let row = from; row < column.rowCount; row++) {
    const dimension = dimensionOf(columnVector(column, row, row + 1).get(0));
    if (dimension > 0) return dimension;
  }
  return 0;
}
