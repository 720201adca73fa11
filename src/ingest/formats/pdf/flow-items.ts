/** A document's elements before they become blocks. */
import type { RawImage, RawLine, RawTable } from './raw-page.ts';

type RunKind = 'heading' | 'paragraph' | 'item' | 'note' | 'code';

/** Lines that read as one. */
export interface Run {
  readonly kind: RunKind;
  readonly lines: RawLine[];
  readonly mark: string | null;
}

export interface TableRun {
  readonly kind: 'table';
  readonly pieces: RawTable[];
  caption: Run | null;
  unit: Run | null;
}

export interface ImageRun {
  readonly kind: 'image';
  readonly image: RawImage;
  caption: Run | null;
}

export type Item = Run | TableRun | ImageRun;
