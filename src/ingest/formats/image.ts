/** An image file: one page of the picture's size, with the picture on it. */
import type { Document } from '../document.ts';
import { IMAGE_MIME_TYPES, imageHeader } from '../image/image-header.ts';
import { decodePicture } from '../image/raster.ts';
import type { ParseRequest } from './format.ts';

export async function parseImage({ bytes, limits, onProgress }: ParseRequest): Promise<Document> {
  const { kind } = imageHeader(bytes);
  const { width, height } = await decodePicture(bytes, limits.imagePixelsMax);
  onProgress?.(1, 1);
  return {
    format: kind,
    title: null,
    metadata: {},
    languages: [],
    pages: [{ number: 1, label: null, width, height, rotation: 0, isScan: true }],
    blocks: [
      {
        kind: 'image',
        page: 1,
        text: '',
        words: null,
        caption: null,
        area: { page: 1, box: [0, 0, width, height] },
        source: { mimeType: IMAGE_MIME_TYPES[kind], bytes },
      },
    ],
    margins: [],
    problems: [],
  };
}
