/** Drawing of documents' pages for sessions; ingestion has it (`ingest/page-drawer.ts`). */
export interface PageRequest {
  /** The file, and its name. */
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly password: string | undefined;
  /** 1-based. */
  readonly page: number;
  /** Dots an inch. */
  readonly dpi: number;
  /** Left, top, right, bottom of a part of the page in points, drawn as large as is kept of images; null: all of it. */
  readonly area: readonly [number, number, number, number] | null;
}

/** @returns PNG. @throws SqlError 0A000, 22023, 54000, 55000; the signal's reason. */
export type DrawPage = (request: PageRequest, signal: AbortSignal) => Promise<Uint8Array>;
