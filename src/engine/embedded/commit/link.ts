/**
 * A link: what one small commit changed, as one record of the journal (`journal.ts`). Rows and deletes of tables,
 * and places of sequences, on top of what the commit before it left. A JSON header, then the rows.
 */
import { joinParts, partsOf } from './chunk.ts';

/** A table's changes in one link. */
export interface LinkPart {
  readonly slot: number;
  readonly lsn: number;
  readonly nextRow: number;
  /** Unix milliseconds; absent: of before that was kept. */
  readonly changedMs?: number | undefined;
  /** Numbers of rows that are gone. */
  readonly deleted: readonly number[];
  /** Rows that are new, as a chunk keeps them. */
  readonly chunks: readonly LinkChunk[];
}

export interface LinkChunk {
  readonly firstRow: number;
  readonly plain: Uint8Array;
}

/** OID, last number in decimal digits, whether it was given out. */
export type LinkSequence = readonly [sequence: number, last: string, called: boolean];

export interface Link {
  /** Mark of the link before; empty for the first since the tables' records were written. */
  readonly previous: string;
  readonly parts: readonly LinkPart[];
  readonly sequences: readonly LinkSequence[];
}

interface Header {
  readonly previous: string;
  readonly parts: readonly (Omit<LinkPart, 'chunks'> & { readonly chunks: readonly [number, number][] })[];
  readonly sequences: readonly LinkSequence[];
}

export function encodeLink({ previous, parts, sequences }: Link): Uint8Array {
  const rows: Uint8Array[] = [];
  const described = parts.map(({ chunks, ...part }) => ({
    ...part,
    chunks: chunks.map(({ firstRow, plain }): [number, number] => {
      rows.push(plain);
      return [firstRow, plain.length];
    }),
  }));
  const header: Header = { previous, parts: described, sequences };
  return joinParts(header, rows);
}

export function decodeLink(bytes: Uint8Array): Link {
  const { header, take } = partsOf<Header>(bytes);
  const parts = header.parts.map((part) => ({
    ...part,
    chunks: part.chunks.map(([firstRow, size]) => ({ firstRow, plain: take(size) })),
  }));
  return { previous: header.previous, parts, sequences: header.sequences };
}
