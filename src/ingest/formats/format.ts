/** File formats: each is one row of the registry. */
import type { Box, Document } from '../document.ts';
import type { Ocr } from '../ocr/ocr.ts';

export interface ParseLimits {
  /** Pages, slides or sheets; a file with more is refused. */
  readonly pagesMax: number;
  /** Pixels of one image, decoded. */
  readonly imagePixelsMax: number;
}

export interface ParseRequest {
  /** Not changed, and not kept after the end. */
  readonly bytes: Uint8Array;
  /** As it was uploaded; formats without a title of their own may use it. */
  readonly name: string;
  readonly password?: string;
  readonly limits: ParseLimits;
  /** Reads what is only seen; without it such pages stay unread. */
  readonly ocr?: Ocr;
  /** Asked between pages. */
  readonly signal?: AbortSignal;
  /** After each page; `total` is 0 where it is not known. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface DrawRequest {
  readonly bytes: Uint8Array;
  readonly password?: string;
  readonly limits: ParseLimits;
  /** 1-based. */
  readonly page: number;
  /** Dots an inch; with an area as many as fit. */
  readonly dpi: number;
  /** Pixels of the result. */
  readonly pixelsMax: number;
  /** A part of the page, in points; null: all of it. */
  readonly area: Box | null;
}

export interface Format {
  readonly name: string;
  readonly summary: string;
  /** The first is the one to tell clients. */
  readonly mimeTypes: readonly string[];
  /** Lower case, without the dot. */
  readonly extensions: readonly string[];
  /** True when the bytes are of this format; false as well where only the extension could tell (plain text). */
  readonly sniff: (bytes: Uint8Array) => boolean;
  /** @throws DocumentError; what can be read in part is a document with `problems`. */
  readonly parse: (request: ParseRequest) => Promise<Document>;
  /** A page as PNG, where the format says how its pages look. @throws DocumentError. */
  readonly draw?: (request: DrawRequest) => Promise<Uint8Array>;
}
