/**
 * Images as pixels: decoded, drawn smaller, encoded again, by `@napi-rs/canvas` (Skia), whose one file this is. The
 * package turns a picture as its Exif says. Files that it could decode into anything are held to the kinds that
 * `image-header.ts` knows, and to a number of pixels, before they reach it.
 */
import { type Canvas, createCanvas, Image } from '@napi-rs/canvas';
import { DocumentError } from '../document-error.ts';
import { checkPixels, imageHeader } from './image-header.ts';

/** Upright pixels. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel, row by row from the top, on white. */
  readonly rgba: Uint8ClampedArray;
}

/** A decoded image that is drawn as large as it is wanted. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  raster(width: number, height: number): Raster;
  jpeg(width: number, height: number): Uint8Array;
  png(width: number, height: number): Uint8Array;
}

const JPEG_QUALITY = 85;

/** @throws DocumentError damaged, limit_exceeded. */
export async function decodePicture(bytes: Uint8Array, pixelsMax: number): Promise<Picture> {
  checkPixels(imageHeader(bytes), pixelsMax);
  const image = new Image();
  try {
    image.src = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await image.decode();
  } catch (error) {
    throw new DocumentError('damaged', 'the image cannot be decoded', { cause: error });
  }
  const { width, height } = image;
  if (width < 1 || height < 1) throw new DocumentError('damaged', 'the image cannot be decoded');
  return pictureOf(image, width, height);
}

/** Pixels that were made here, as a picture. */
export function pictureOfRaster({ width, height, rgba }: Raster): Picture {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const data = context.createImageData(width, height);
  data.data.set(rgba);
  context.putImageData(data, 0, 0);
  return pictureOf(canvas, width, height);
}

function pictureOf(image: Image | Canvas, width: number, height: number): Picture {
  const draw = (across: number, down: number): Canvas => {
    const canvas = createCanvas(across, down);
    const context = canvas.getContext('2d');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, across, down);
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, across, down);
    return canvas;
  };
  return {
    width,
    height,
    raster: (across, down) => ({
      width: across,
      height: down,
      rgba: draw(across, down).getContext('2d').getImageData(0, 0, across, down).data,
    }),
    jpeg: (across, down) => new Uint8Array(draw(across, down).toBuffer('image/jpeg', JPEG_QUALITY)),
    png: (across, down) => new Uint8Array(draw(across, down).toBuffer('image/png')),
  };
}
