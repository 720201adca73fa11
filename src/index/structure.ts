/**
 * Search structures: what an index keeps for one part (the head or a segment). A structure answers by row
 * positions of its part; it knows neither visibility across parts nor transactions, which `engine/` decides.
 *
 * An index kind is made of structures (`registry.ts`): keyword → keywords; vector → vectors; semantic →
 * vectors and keywords. Structures hold their bytes in shared memory, so that workers read them in place.
 */
import type { ArmRequest, Passages } from './request.ts';
import type { Vector } from '../types/vector.ts';

/** Rows beyond those asked for that a search gives because they score as the last one does. */
export const TIES_MAX = 64;

export type StructureKind = 'vectors' | 'keywords';

/** Rows with exact scores, best first, ties by ascending row. */
export interface Hits {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
  readonly strategy: string;
}

/** A query made ready for one snapshot: quantised vector, or terms with their snapshot-wide weights. */
export interface StructureQuery {
  readonly kind: StructureKind;
  readonly higherIsBetter: boolean;
}

/** One part's structure. Immutable, but for the head's, which only grows. */
export interface Structure {
  readonly kind: StructureKind;
  /** Rows covered, 0..rowCount-1 of the part. */
  readonly rowCount: number;
  /** Memory held. */
  readonly bytes: number;
  /**
   * The best `count` rows with exact scores, and up to TIES_MAX more; keyword structures give matching rows
   * only.
   * @param mask one bit a row, 1 = wanted and visible (bit r&31 of word r>>5); null: every row.
   * @param limit rows at or above this are not looked at (a snapshot's view of a growing head).
   */
  search(
    query: StructureQuery,
    count: number,
    mask: Uint32Array | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Hits>;
  /** Exact scores of the given ascending rows; NaN for NULL or, in keyword structures, no match. */
  score(query: StructureQuery, rows: Uint32Array): Float64Array;
  /** Vectors of one row's passages, `count × dimension` floats; a view. Vector structures only. */
  rowFloats?(row: number): { readonly count: number; readonly floats: Float32Array };
  /** Named byte sections to store; `StructureMethod.load` reads them back. */
  sections(): ReadonlyMap<string, Uint8Array>;
  /** Gives memory back; the structure is not used again. */
  release(): void;
}

/** The values of one index for a run of rows: column values, or passages of their texts. */
export type StructureInput =
  | { readonly kind: 'keywords'; readonly values: Vector }
  | { readonly kind: 'vectors'; readonly values: Vector }
  | { readonly kind: 'vectors'; readonly passages: readonly (Passages | null)[] };

export interface HeadStructure extends Structure {
  /** Adds rows rowCount..rowCount+length-1. */
  append(input: StructureInput): void;
}

/** Where a row of an old part goes in the new one; -1: nowhere (it was deleted). */
export interface MergeInput {
  readonly structure: Structure;
  readonly rowMap: Int32Array;
}

export interface StructureOptions {
  /** Of vectors; 0 for keywords. */
  readonly dimension: number;
  /** The index's options with defaults: metric, type, language. */
  readonly options: Readonly<Record<string, string>>;
}

/** One row of `registry.ts` per structure kind. */
export interface StructureMethod {
  head(options: StructureOptions): HeadStructure;
  load(options: StructureOptions, sections: ReadonlyMap<string, Uint8Array>, rowCount: number): Structure;
  /** Old structures into one; runs in the merge worker. */
  merge(options: StructureOptions, inputs: readonly MergeInput[], rowCount: number): Structure;
  /**
   * @param parts every part of the snapshot with its visible rows, for statistics (document frequency,
   *        average length: deleted documents do not count).
   */
  prepare(
    options: StructureOptions,
    request: ArmRequest,
    parts: readonly {
      readonly structure: Structure;
      readonly visible: Uint32Array | null;
      readonly limit: number;
    }[],
  ): StructureQuery;
}
