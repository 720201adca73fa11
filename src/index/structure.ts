/**
 * Search structures: what an index keeps for one part (the head or a segment). A structure answers by row
 * positions of its part; it knows neither visibility across parts nor transactions, which `engine/` decides.
 *
 * An index kind is made of structures (`registry.ts`): keyword → keywords; vector → vectors; semantic →
 * vectors and keywords. Structures hold their bytes in shared memory, so that workers read them in place.
 */
import type { RowExplanation } from './explanation.ts';
import type { ArmRequest, Passages } from './request.ts';
import type { Datum } from '../types/datum.ts';
import type { TextNeed } from '../types/text/text-piece.ts';
import type { Vector } from '../types/column/vector.ts';

export type StructureKind = 'vectors' | 'bits' | 'sparse' | 'matrices' | 'keywords' | 'trigrams';

/** Bytes that stay on disk and are read in ranges. */
export interface PagedBytes {
  readonly size: number;
  /**
   * Fills `into` with the bytes from `offset` on.
   * @param once they will hardly be wanted again soon: a long scan leaves what others have read in memory.
   */
  read(offset: number, into: Uint8Array, once: boolean): void;
}

/** Rows with exact scores, best first, ties by ascending row. */
export interface Hits {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
  readonly strategy: string;
  /** Entries of the structure that the query was compared with, and rows then scored exactly. */
  readonly compared?: number;
  readonly rescored?: number;
}

/** A graph of vectors. */
export interface GraphFact {
  readonly entries: number;
  /** Neighbours an entry is linked to. */
  readonly m: number;
  /** Entries that a search keeps in view when the statement does not say. */
  readonly efSearch: number;
}

/** A query made ready for one snapshot: quantised vector, or terms with their snapshot-wide weights. */
export interface StructureQuery {
  readonly kind: StructureKind;
  readonly higherIsBetter: boolean;
}

/** Rows that a search looks at. */
export interface SearchRange {
  /** Rows wanted. */
  readonly count: number;
  /** One bit a row, 1: wanted and visible (`types/column/bitset.ts`); null: every row. */
  readonly mask: Uint32Array | null;
  /** Rows at or above this are not looked at (a snapshot's view of a growing head). */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Words as a structure has them. `limit`: rows at or above are not counted; `visible`: one bit a row, null for all. */
export interface StructureWords {
  readonly analyser: {
    analyse(text: string): readonly { readonly term: string; readonly start: number; readonly end: number }[];
  };
  /** `documents`: rows that have a term. */
  statistics(visible: Uint32Array | null, limit: number): { readonly documents: number };
  /** Rows that have the term. */
  countOf(term: string, visible: Uint32Array | null, limit: number): number;
}

/** One part's structure. Immutable, but for the head's, which only grows. */
export interface Structure {
  readonly kind: StructureKind;
  /** Rows covered, 0..rowCount-1 of the part. */
  readonly rowCount: number;
  /** The dimension of its vectors, as their type counts it; absent or 0 where they have none. */
  readonly dimension?: number;
  /** Memory held. */
  readonly bytes: number;
  /** The best rows with exact scores, and up to TIES_MAX more; keyword structures give matching rows only. */
  search(query: StructureQuery, range: SearchRange): Hits | Promise<Hits>;
  /** Exact scores of the given ascending rows; NaN for NULL or, in keyword structures, no match. */
  score(query: StructureQuery, rows: Uint32Array): Float64Array;
  /** Explains the scores of the given ascending rows. Absent: a score is all there is to tell. */
  explain?(query: StructureQuery, rows: Uint32Array): readonly RowExplanation[];
  /** Vectors of one row's passages, `count × dimension` floats. Vector structures only. */
  rowFloats?(row: number): { readonly count: number; readonly floats: Float32Array };
  /**
   * Ascending rows of which all that have what is needed are some; null where it cannot tell. Trigrams only, which
   * rank nothing.
   */
  containing?(needs: readonly TextNeed[]): Uint32Array | null;
  /** Keyword structures only. */
  readonly words?: StructureWords;
  /** Named byte sections to store, all but FLOATS_SECTION; `StructureMethod.load` reads them back. */
  sections(): ReadonlyMap<string, Uint8Array>;
  /** Facts of its graph; absent or null: it has none. */
  readonly graphFact?: GraphFact | null;
  /** Gives memory back; the structure is not used again. */
  release(): void;
}

/** The values of one index for a run of rows: column values, or passages of their texts. */
export type StructureInput =
  | { readonly kind: StructureKind; readonly values: Vector }
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

/** Words in shared memory that tell how far a merge is. */
export const MERGE_PROGRESS = { phase: 0, done: 1, total: 2, bytes: 12 } as const;
/** By number. */
export const MERGE_PHASES = ['merging rows', 'loading tuples', 'building graph'] as const;

export interface MergeOptions {
  /** Bytes of codes that are worth a graph; null: the usual. */
  readonly graphBytesMin: number | null;
  readonly progress: Int32Array | null;
}

export function reportProgress(
  progress: Int32Array | null,
  phase: (typeof MERGE_PHASES)[number],
  total: number,
): void {
  progress?.set([MERGE_PHASES.indexOf(phase), 0, total]);
}

/** The section that holds the floats of a structure whose column does not: written aside, read in ranges. */
export const FLOATS_SECTION = 'floats';

export interface StructureOptions {
  /** The dimension of vectors, as their type counts it; 0 where there is none. */
  readonly dimension: number;
  /** The index's options with defaults: metric, type, language. */
  readonly options: Readonly<Record<string, string>>;
}

/** Stored form of a structure. */
export interface StoredStructure {
  /** Size of each section by name. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly rowCount: number;
  /** Vectors one after another, those of row 0 first; null where nothing is scored exactly, as in a merge. */
  readonly floats: PagedBytes | null;
}

/** A structure being read: fill each of `targets` with the section of its name, then finish. */
export interface StructureLoad {
  readonly targets: ReadonlyMap<string, Uint8Array>;
  /** @throws SqlError XX002 when the sections do not fit together. */
  finish(): Structure;
}

/** A column, read a row at a time. */
export interface ColumnRows {
  readonly rowCount: number;
  isNull(row: number): boolean;
  /** The value of a row that is not NULL. */
  value(row: number): Datum;
}

/** One row of `registry.ts` per structure kind. */
export interface StructureMethod {
  /** True when it holds vectors of one dimension, which is known before the first row is taken. */
  readonly dimensioned: boolean;
  /** That of its sections, 1 where nothing is said: what is stored in another one is made anew of the column. */
  readonly format?: number;
  head(options: StructureOptions): HeadStructure;
  /**
   * Exact answers from a column's values, slowly, for a part that is older than the index; also an input of
   * `merge`. Absent: there are none without a structure.
   */
  ofColumn?(options: StructureOptions, column: ColumnRows): Structure;
  load(options: StructureOptions, sections: ReadonlyMap<string, Uint8Array>, rowCount: number): Structure;
  /** An empty structure for vectors that are stored already, one after another: it keeps codes only. */
  over?(options: StructureOptions, floats: PagedBytes, rowCount: number): HeadStructure;
  /** As `load`, with sections read straight to where they stay; for structures that are large. */
  open?(options: StructureOptions, stored: StoredStructure): StructureLoad;
  /** Old structures into one, which cannot score exactly: it has no floats. Runs in the merge worker. */
  merge(
    options: StructureOptions,
    inputs: readonly MergeInput[],
    rowCount: number,
    how?: MergeOptions,
  ): Structure;
  /**
   * Requests that have to be asked in the place of one: every row is about one of them at most. Absent: it is asked as
   * it is.
   */
  split?(request: ArmRequest, structures: readonly Structure[]): readonly ArmRequest[];
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

/** One of several fields that are searched as one. */
export interface SearchedField {
  readonly options: StructureOptions;
  /** Weight of an occurrence, above 0; null: nobody says, and a field that is shorter than the query counts less. */
  readonly weight: number | null;
}

/** One part's structures of several fields, and what the snapshot sees of it. */
export interface PartFields {
  /** In the fields' order; null: no row of the part has the field. */
  readonly structures: readonly (Structure | null)[];
  readonly visible: Uint32Array | null;
  /** Rows at or above this are not looked at. */
  readonly limit: number;
}

/** By field: words as written to terms that they may be misspelt for, with what an occurrence counts beside theirs. */
export type Corrections = readonly ReadonlyMap<string, ReadonlyMap<string, number>>[];

/** How several fields of a part are searched as if they were one; with scores as `Structure` gives them. */
export interface FieldsMethod {
  /** Corrections of the words of a query with `fuzzy`, for `prepare`. @param turn waits for one. */
  corrections(
    fields: readonly SearchedField[],
    request: ArmRequest,
    parts: readonly PartFields[],
    turn: () => Promise<void>,
  ): Promise<Corrections>;
  /** @param parts every part of the snapshot, for statistics. */
  prepare(
    fields: readonly SearchedField[],
    request: ArmRequest,
    parts: readonly PartFields[],
    corrections?: Corrections,
  ): StructureQuery;
  search(part: PartFields, query: StructureQuery, range: Omit<SearchRange, 'limit'>): Hits | Promise<Hits>;
  score(part: PartFields, query: StructureQuery, rows: Uint32Array): Float64Array;
  /** As `Structure.explain`. @param parts every part of the snapshot, for the fields' own statistics. */
  explain(
    part: PartFields,
    query: StructureQuery,
    rows: Uint32Array,
    parts: readonly PartFields[],
  ): readonly RowExplanation[];
}
