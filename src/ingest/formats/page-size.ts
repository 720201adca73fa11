/** How large a page is drawn, and what is refused. */
import { DocumentError } from '../document-error.ts';
import type { DrawRequest } from './format.ts';

const POINTS_AN_INCH = 72;

/** @throws DocumentError no_such_page. */
export function checkPage(page: number, count: number): void {
  if (page >= 1 && page <= count) return;
  const pages = count === 1 ? 'there is 1 page' : `there are ${count} pages`;
  throw new DocumentError('no_such_page', `page ${page} does not exist: ${pages}`);
}

/**
 * Dots an inch for a page or a part of one, in points.
 * @throws DocumentError limit_exceeded where a whole page would have too many pixels.
 */
export function dpiFor(width: number, height: number, { dpi, pixelsMax, area }: DrawRequest): number {
  const most = POINTS_AN_INCH * Math.sqrt(pixelsMax / Math.max(1, width * height));
  if (dpi <= most || area !== null) return Math.min(dpi, most);
  const pixels = (width * height * dpi * dpi) / POINTS_AN_INCH ** 2;
  throw new DocumentError(
    'limit_exceeded',
    `the page would have ${Math.ceil(pixels / 1e6)} million pixels; at most ${pixelsMax / 1e6} million are drawn: ` +
      `ask for at most ${Math.floor(most)} dots an inch`,
  );
}
