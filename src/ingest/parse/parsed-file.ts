/** Result of a parser process: a document's facts, its chunks and tables in order. */
import type { Chunk } from '../chunk/chunk.ts';
import type { Subject } from '../subjects/subjects-of.ts';

export interface ParsedFile {
  readonly format: string;
  readonly mimeType: string | null;
  readonly title: string | null;
  /** The file's own properties. */
  readonly properties: Readonly<Record<string, string>>;
  readonly languages: readonly string[];
  readonly pageCount: number;
  /** Printed number or name of each page; empty where that is its number, or there is none. */
  readonly pageLabels: readonly string[];
  /** Parts that could not be read. */
  readonly problems: readonly string[];
  /** Headers and footers, each once. */
  readonly margins: readonly string[];
  readonly chunks: readonly Chunk[];
  /** Names of whom it is of. */
  readonly subjects: readonly Subject[];
  /** Ids of the domain packs that its words are of. */
  readonly domains: readonly string[];
  /** Its tables and cells, as `tables/table-batches.ts` packs them. */
  readonly tables: readonly Uint8Array[];
}
