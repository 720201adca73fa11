/**
 * The picture that a dataset keeps of an image, for citations: as it came where it is small and of a kind that every
 * viewer shows, else drawn smaller as JPEG.
 */
import type { ImageSource } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { IMAGE_MIME_TYPES, imageHeader, imageKind } from './image-header.ts';
import { decodePicture } from './raster.ts';

const KEPT_BYTES_MAX = 256 * 1024;
export const KEPT_SIDE_MAX = 1_600;
const SHOWN = new Set(['png', 'jpeg', 'gif', 'webp']);

/** @returns null for what is no image, cannot be decoded, or has too many pixels. */
export async function keptPicture(bytes: Uint8Array, pixelsMax: number): Promise<ImageSource | null> {
  try {
    const kind = imageKind(bytes);
    if (kind === null) return null;
    const { width, height } = imageHeader(bytes);
    const isSmall = bytes.length <= KEPT_BYTES_MAX && Math.max(width, height) <= KEPT_SIDE_MAX;
    if (isSmall && SHOWN.has(kind)) return { mimeType: IMAGE_MIME_TYPES[kind], bytes: new Uint8Array(bytes) };
    const picture = await decodePicture(bytes, pixelsMax);
    const [across, down] = fitted(picture, KEPT_SIDE_MAX);
    return { mimeType: 'image/jpeg', bytes: picture.jpeg(across, down) };
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}

/** Width and height, made smaller in proportion where one is above `sideMax`. */
function fitted(
  { width, height }: { readonly width: number; readonly height: number },
  sideMax: number,
): readonly [width: number, height: number] {
  const scale = Math.min(1, sideMax / Math.max(width, height));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}
