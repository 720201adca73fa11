/** Pixels turned by quarters. */
import type { Raster } from './raster.ts';

/** @param quarters clockwise. */
export function turnRaster({ width, height, rgba }: Raster, quarters: number): Raster {
  if (quarters === 0) return { width, height, rgba };
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const out = new Uint32Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      out[x * height + (height - 1 - y)] = pixels[y * width + x] as number;
    }
  }
  return turnRaster({ width: height, height: width, rgba: new Uint8ClampedArray(out.buffer) }, quarters - 1);
}
