/** Pages drawn as images: their size, a part of them, a bound on pixels. */
import { expect, it } from 'vitest';
import { makePdf, rule, text } from '../pdf-fixture.ts';
import { openPdf, type PdfFile } from '../pdfjs.ts';
import { renderPage } from './render.ts';

const black = (rgba: Uint8ClampedArray): number => {
  let count = 0;
  for (let at = 0; at < rgba.length; at += 4) if ((rgba[at] as number) < 128) count++;
  return count;
};

const open = (): Promise<PdfFile> =>
  openPdf(makePdf([{ content: text(72, 700, 'Hello', 40) + rule(72, 400, 500, 400) }]), undefined, {
    pixelsMax: 1e6,
  });

it('draws a page at the dots an inch that are asked for', async () => {
  await using file = await open();
  const drawn = await renderPage(file, { number: 1, dpi: 72, pixelsMax: 1e7 });
  expect([drawn.width, drawn.height]).toEqual([612, 792]);
  expect(black(drawn.rgba())).toBeGreaterThan(400);
  expect(Buffer.from(drawn.png()).subarray(1, 4).toString()).toBe('PNG');
});

it('draws a part of a page', async () => {
  await using file = await open();
  const blank = await renderPage(file, { number: 1, dpi: 72, pixelsMax: 1e7, area: [0, 500, 612, 700] });
  expect([blank.width, blank.height, black(blank.rgba())]).toEqual([612, 200, 0]);
  const word = await renderPage(file, { number: 1, dpi: 144, pixelsMax: 1e7, area: [72, 60, 172, 100] });
  expect([word.width, word.height]).toEqual([200, 80]);
  expect(black(word.rgba())).toBeGreaterThan(500);
});

it('stays within a number of pixels', async () => {
  await using file = await open();
  const { width, height, dpi } = await renderPage(file, { number: 1, dpi: 600, pixelsMax: 100_000 });
  expect(width * height).toBeLessThanOrEqual(100_000);
  expect(dpi).toBeLessThan(40);
});
