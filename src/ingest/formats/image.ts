/** An image file: one page with the picture on it, and the text that can be read in it in the order of reading. */
import type { Block, Document, Image } from '../document.ts';
import { IMAGE_MIME_TYPES, imageHeader } from '../image/image-header.ts';
import { decodePicture, type Picture } from '../image/raster.ts';
import type { DrawRequest, ParseRequest } from './format.ts';
import { checkPage, dpiFor } from './page-size.ts';
import { flowOf } from './pdf/flow.ts';
import { rawPage } from './pdf/raw-page.ts';
import { readFrame } from './pdf/drawn/read-page.ts';

/** The longer side of an image's page in points: the paper that most scans are of. */
const PAGE_SIDE_MAX = 842;
/** Letters are read from no more pixels. */
const READ_SIDE_MAX = 3_000;

export async function parseImage(request: ParseRequest): Promise<Document> {
  const { bytes, limits } = request;
  const { kind } = imageHeader(bytes);
  const picture = await decodePicture(bytes, limits.imagePixelsMax);
  const { page, blocks } = await readPicture(picture, 1, request);
  const source = { mimeType: IMAGE_MIME_TYPES[kind], bytes };
  request.onProgress?.(1, 1);
  return {
    format: kind,
    title: null,
    metadata: {},
    languages: [],
    pages: [page],
    blocks: [imageOf(page, source), ...blocks],
    margins: [],
    problems: [],
  };
}

/** @throws DocumentError. */
export async function drawImage(request: DrawRequest): Promise<Uint8Array> {
  checkPage(request.page, 1);
  return drawPicture(await decodePicture(request.bytes, request.limits.imagePixelsMax), request);
}

/** All of it: an image has no parts of its own. */
export function drawPicture(picture: Picture, request: DrawRequest): Uint8Array {
  const points = pointsOf(picture);
  const dpi = dpiFor(picture.width * points, picture.height * points, request);
  const side = (length: number): number => Math.max(1, Math.round((length * points * dpi) / 72));
  return picture.png(side(picture.width), side(picture.height));
}

/** Points a pixel. */
const pointsOf = ({ width, height }: Picture): number => Math.min(1, PAGE_SIDE_MAX / Math.max(width, height));

export type PicturePage = Document['pages'][number];

export const imageOf = ({ number, width, height }: PicturePage, source: Image['source']): Image => ({
  kind: 'image',
  page: number,
  text: '',
  words: null,
  caption: null,
  area: { page: number, box: [0, 0, width, height] },
  source,
});

/** A picture as a page. */
export async function readPicture(
  picture: Picture,
  number: number,
  { ocr, onProgress }: ParseRequest,
): Promise<{ readonly page: PicturePage; readonly blocks: readonly Block[] }> {
  const long = Math.max(picture.width, picture.height);
  const points = pointsOf(picture);
  const [width, height] = [picture.width * points, picture.height * points];
  const page: PicturePage = { number, label: null, width, height, rotation: 0, isScan: true };
  if (ocr === undefined) return { page, blocks: [] };
  const pixels = Math.min(1, READ_SIDE_MAX / long);
  const side = (length: number): number => Math.max(1, Math.round(length * pixels));
  const raster = picture.raster(side(picture.width), side(picture.height));
  const read = await ocr.read(raster, () => onProgress?.(number - 1, 0));
  const ink = { rules: [], fills: [], images: [], curves: [] };
  const content = { number, width, height, glyphs: [], hasShading: false, ...ink };
  const frame = readFrame(content, read, { left: 0, top: 0, scale: points / pixels });
  return { page, blocks: flowOf([rawPage(page, frame)]).blocks };
}
