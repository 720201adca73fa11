/** Pages and images of a PDF that OCR reads: they are drawn by a second opening of the file, made when one is needed. */
import type { ParseRequest } from '../../format.ts';
import type { ReadImage } from '../../../ocr/read-image.ts';
import type { Box } from '../../../document.ts';
import type { PageContent } from '../content.ts';
import type { Frame } from '../frame.ts';
import { openPdf, type PdfFile } from '../pdfjs.ts';
import type { RawElement, RawImage, RawPage, RawWords } from '../raw-page.ts';
import { glyphsOf, readFrame } from './read-page.ts';
import { renderPage } from './render.ts';

/** A scan is drawn at this; smaller print than 6 points needs it. */
const PAGE_DPI = 200;
const IMAGE_DPI = 150;
const PIXELS_MAX = 6_000_000;
const POINTS_AN_INCH = 72;
/** Images that are smaller, in points and as a share of their page, are logos and pictures more often than charts. */
const IMAGE_SIDE_MIN = 90;
const IMAGE_SHARE_MIN = 0.06;
/** A file of more images is an album. */
const IMAGES_MAX = 200;

export class PageOcr implements AsyncDisposable {
  readonly #request: ParseRequest;
  readonly #onStep: () => void;
  #file: Promise<PdfFile> | null = null;
  #images = 0;

  /** @param onStep told while a page is read. */
  constructor(request: ParseRequest, onStep: () => void) {
    this.#request = request;
    this.#onStep = onStep;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#file)?.[Symbol.asyncDispose]();
  }

  /** Null without OCR. */
  async frame(content: PageContent): Promise<Frame | null> {
    const { width, height, number } = content;
    const read = await this.#read(number, [0, 0, width, height], PAGE_DPI);
    return read && readFrame(content, read.image, { left: 0, top: 0, scale: read.scale });
  }

  /** The page with what can be read in its larger images: charts and screenshots. */
  async withImageTexts(raw: RawPage): Promise<RawPage> {
    const { width, height } = raw.page;
    const elements: RawElement[] = [];
    for (const element of raw.elements) {
      const isWanted =
        element.kind === 'image' && element.lines.length === 0 && isLarge(element.box, width, height);
      elements.push(isWanted && this.#images < IMAGES_MAX ? await this.#withText(element) : element);
    }
    return { ...raw, elements };
  }

  async #withText(image: RawImage): Promise<RawImage> {
    this.#images += 1;
    const read = await this.#read(image.page, image.box, IMAGE_DPI);
    if (read === null) return image;
    return { ...image, lines: linesOf(read.image, image, read.scale) };
  }

  async #read(number: number, area: Box, dpi: number): Promise<{ image: ReadImage; scale: number } | null> {
    const { ocr, bytes, password, signal } = this.#request;
    if (ocr === undefined) return null;
    this.#file ??= openPdf(bytes, password, { pixelsMax: this.#request.limits.imagePixelsMax });
    const drawn = await renderPage(await this.#file, {
      number,
      dpi,
      pixelsMax: PIXELS_MAX,
      area,
      ...(signal !== undefined && { signal }),
    });
    this.#onStep();
    const { width, height } = drawn;
    const image = await ocr.read({ width, height, rgba: drawn.rgba() }, this.#onStep);
    return { image, scale: POINTS_AN_INCH / drawn.dpi };
  }
}

function isLarge([left, top, right, bottom]: Box, width: number, height: number): boolean {
  const [across, down] = [right - left, bottom - top];
  return Math.min(across, down) >= IMAGE_SIDE_MIN && across * down >= IMAGE_SHARE_MIN * width * height;
}

/** Lines of an image from top to bottom, with places on the page. */
function linesOf(read: ReadImage, { page, box }: RawImage, scale: number): RawWords[] {
  const placement = { left: box[0], top: box[1], scale };
  const lines = read.lines.toSorted((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
  return lines.map((line): RawWords => {
    const words = glyphsOf({ ...read, lines: [line] }, placement).filter(({ text }) => text !== ' ');
    const boxes = words.flatMap(({ x, y, advance, size, quarter }) =>
      quarter % 2 === 0
        ? [x, y - 0.8 * size, x + advance, y + 0.2 * size]
        : [x - 0.8 * size, y - advance, x + 0.2 * size, y],
    );
    return { page, texts: words.map(({ text }) => text), boxes: Float32Array.from(boxes) };
  });
}
