/** A page of a PDF, or a part of one, as PNG. */
import type { DrawRequest } from '../../format.ts';
import { checkPage, dpiFor } from '../../page-size.ts';
import { openPdf } from '../pdfjs.ts';
import { renderPage } from './render.ts';

export async function drawPdf(request: DrawRequest): Promise<Uint8Array> {
  const { bytes, password, limits, page: number, area, pixelsMax } = request;
  await using file = await openPdf(bytes, password, { pixelsMax: limits.imagePixelsMax });
  checkPage(number, file.pageCount);
  const [left, top, right, bottom] =
    area ?? (await file.page(number, ({ width, height }) => [0, 0, width, height]));
  const dpi = dpiFor(right - left, bottom - top, request);
  const drawn = await renderPage(file, { number, dpi, pixelsMax, area: [left, top, right, bottom] });
  return drawn.png();
}
