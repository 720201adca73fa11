/** Help of an index of words for a text that somebody is typing. */
import type { Structure, StructureOptions } from './structure.ts';

/** One part's structure with what the snapshot sees of it. */
export interface SeenStructure {
  readonly structure: Structure;
  readonly visible: Uint32Array | null;
  /** Rows at or above this are not looked at. */
  readonly limit: number;
}

/** The words of one column. */
export interface TypedColumn {
  readonly options: StructureOptions;
  readonly parts: readonly SeenStructure[];
}

export interface Completions {
  /** The text with its last word completed, those of most rows first; visible rows that have all of its words. */
  readonly words: readonly { readonly text: string; readonly count: number }[];
  /** By part: ascending visible rows whose text is short, and may begin as the typed one. */
  readonly rows: readonly Uint32Array[];
  /** True when a value begins with the words typed, the last of which need not be whole. */
  isBegun(value: string): boolean;
}

/** How texts that are being typed are completed and corrected. */
export interface TypedTextMethod {
  /** @param count words wanted. */
  complete(column: TypedColumn, text: string, count: number): Completions;
  /** With words that no visible row of any column has replaced by the nearest one; null: nothing to replace. */
  correct(columns: readonly TypedColumn[], text: string, signal: AbortSignal): Promise<string | null>;
}
