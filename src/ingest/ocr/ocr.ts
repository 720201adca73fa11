/** Reading of images for one parser process: the models are loaded by the first image and stay with the process. */
import type { Raster } from '../image/raster.ts';
import { OcrModels } from './models.ts';
import { type ReadImage, readImage } from './read-image.ts';

export class Ocr {
  #models: Promise<OcrModels> | null = null;

  /** @param onStep told some seconds apart. */
  async read(image: Raster, onStep?: () => void): Promise<ReadImage> {
    this.#models ??= OcrModels.open();
    return readImage(await this.#models, image, onStep);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#models)?.[Symbol.asyncDispose]();
  }
}
