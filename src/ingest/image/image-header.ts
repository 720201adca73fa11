/**
 * Header of an image file: its kind and its size in pixels. Read
 * before anything is decoded, so that a small file of a huge picture is refused unopened.
 * PNG (ISO 15948), JPEG (T.81), GIF89a, WebP (RFC 9649), BMP.
 */
import { DocumentError } from '../document-error.ts';

export type ImageKind = 'png' | 'jpeg' | 'gif' | 'webp' | 'bmp';

export interface ImageHeader {
  readonly kind: ImageKind;
  /** As stored, before Exif turns it. */
  readonly width: number;
  readonly height: number;
}

export const IMAGE_MIME_TYPES: Readonly<Record<ImageKind, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
};

const ascii = (bytes: Uint8Array, at: number, text: string): boolean =>
  bytes.length >= at + text.length && [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));

/** By the signature alone; null where it is none of them. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  if (ascii(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (ascii(bytes, 0, 'GIF87a') || ascii(bytes, 0, 'GIF89a')) return 'gif';
  if (ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP')) return 'webp';
  // Two letters are no signature: the header's own length follows.
  const isBmp =
    ascii(bytes, 0, 'BM') && bytes.length > 26 && [12, 40, 52, 56, 64, 108, 124].includes(bytes[14] ?? 0);
  return isBmp ? 'bmp' : null;
}

/** @throws DocumentError damaged. */
export function imageHeader(bytes: Uint8Array): ImageHeader {
  const kind = imageKind(bytes);
  if (kind === null) throw new DocumentError('damaged', 'the file does not begin as an image does');
  const header = read(kind, bytes);
  if (header === null || header.width < 1 || header.height < 1) {
    throw new DocumentError('damaged', 'the image says no size that it could have');
  }
  return { kind, ...header };
}

/** @throws DocumentError limit_exceeded. */
export function checkPixels(
  { width, height }: Pick<ImageHeader, 'width' | 'height'>,
  pixelsMax: number,
): void {
  if (width * height <= pixelsMax) return;
  const what = `the image has ${width} × ${height} pixels; at most ${pixelsMax / 1e6} million are decoded`;
  throw new DocumentError('limit_exceeded', what);
}

type Size = Omit<ImageHeader, 'kind'>;

function read(kind: ImageKind, bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return READERS[kind](view, bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const sized = (width: number, height: number): Size => ({ width, height });

const READERS: Readonly<Record<ImageKind, (view: DataView, bytes: Uint8Array) => Size | null>> = {
  png: (view) => sized(view.getUint32(16), view.getUint32(20)),
  gif: (view) => sized(view.getUint16(6, true), view.getUint16(8, true)),
  bmp: (view) =>
    view.getUint32(14, true) === 12
      ? sized(view.getUint16(18, true), view.getUint16(20, true))
      : sized(Math.abs(view.getInt32(18, true)), Math.abs(view.getInt32(22, true))),
  webp: webpSize,
  jpeg: jpegSize,
};

function webpSize(view: DataView, bytes: Uint8Array): Size | null {
  if (ascii(bytes, 12, 'VP8X')) {
    const at = (offset: number): number => 1 + (view.getUint32(offset, true) & 0xff_ff_ff);
    return sized(at(24), 1 + (view.getUint32(26, true) >>> 8));
  }
  if (ascii(bytes, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return sized(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
  }
  if (!ascii(bytes, 12, 'VP8 ')) return null;
  return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
}

/** Start of frame, but for the markers among them that mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(view: DataView, bytes: Uint8Array): Size | null {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff || (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}
