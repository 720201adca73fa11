/**
 * One merge, as data: what the worker gets and gives back. All byte arrays lie in shared memory, so a
 * message moves no rows.
 */
import type { Relation } from '../../../catalog/model.ts';
import type { GraphFact, MergeOptions, StructureKind } from '../../../index/structure.ts';
import type { StoredColumn } from '../segment/column.ts';
import type { PackedSection } from '../segment/packing.ts';

export interface MergePart {
  readonly rowCount: number;
  /** Null: all rows are kept. */
  readonly visible: Uint32Array | null;
  readonly rowNumbers: Float64Array;
  /** Values that stay on disk are not here: `values` is empty. */
  readonly columns: readonly { readonly attribute: number; readonly column: StoredColumn }[];
  /** Names of unique keys, NAME_WORDS words a row, by `UniqueKey.id`. */
  readonly keys: readonly { readonly id: string; readonly names: Uint32Array }[];
  readonly structures: readonly {
    readonly index: number;
    readonly kind: StructureKind;
    readonly dimension: number;
    /** Null: to be built from the column. */
    readonly sections: ReadonlyMap<string, Uint8Array> | null;
  }[];
}

export interface MergeJob {
  readonly relation: Relation;
  readonly parts: readonly MergePart[];
  readonly options: MergeOptions;
  /** Sections are to be made smaller for the disk. */
  readonly packs: boolean;
}

/** A segment's content, as the merge that made it says and its manifest remembers. */
export interface SegmentContent {
  readonly columns: readonly { readonly attribute: number; readonly type: number }[];
  /** Ids of unique keys (`UniqueKey.id`) whose tables are stored. */
  readonly keys: readonly string[];
  readonly structures: readonly {
    readonly index: number;
    readonly kind: StructureKind;
    readonly dimension: number;
    /** Format of its sections; 1 where nothing is said. */
    readonly format?: number;
    readonly graph?: GraphFact | null;
    /** How long it took to make. */
    readonly buildMs?: number;
  }[];
  /** Indexes that were there when it was made, also those that keep nothing of its rows. */
  readonly indexes?: readonly number[];
}

export interface MergeResult extends SegmentContent {
  readonly rowCount: number;
  /** By name, as `Manifest.sections`; all but the wide ones. */
  readonly sections: ReadonlyMap<string, Uint8Array>;
  /** Those of them that are smaller on disk. */
  readonly packed: ReadonlyMap<string, PackedSection>;
  readonly indexes: readonly number[];
}

/** The size of all sections that are in memory. */
export function resultBytes({ sections, packed }: MergeResult): number {
  const all = [...sections.values(), ...[...packed.values()].map(({ bytes }) => bytes)];
  return all.reduce((sum, bytes) => sum + bytes.length, 0);
}
