/**
 * Words read from images. Pages whose text is known are drawn, turned, set askew and sprinkled, so that each word read
 * is right or wrong; then the scans that others made, of which nobody has written down the words.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../src/ingest/document.ts';
import { renderPage } from '../../src/ingest/formats/pdf/drawn/render.ts';
import { openPdf } from '../../src/ingest/formats/pdf/pdfjs.ts';
import { formatOf } from '../../src/ingest/formats/registry.ts';
import type { Raster } from '../../src/ingest/image/raster.ts';
import { turnRaster } from '../../src/ingest/image/turn-raster.ts';
import { cutOut } from '../../src/ingest/ocr/line-image.ts';
import { Ocr } from '../../src/ingest/ocr/ocr.ts';
import { recall, wordsOfText } from './page-words.ts';

const LIMITS = { pagesMax: 5_000, imagePixelsMax: 64_000_000 };
const PIXELS_MAX = 20_000_000;

/** First pages with prose, tables, columns, small print. */
const PAGES = [
  '2305.03393v1-pg9.pdf',
  'scotus-transcript-p1.pdf',
  'redp5110_sampled.pdf',
  'multi_page.pdf',
  'la-precinct-bulletin-2014-p1.pdf',
  'senate-expenditures.pdf',
];

interface Variant {
  readonly name: string;
  readonly dpi: number;
  readonly change?: (image: Raster) => Raster;
}

const VARIANTS: readonly Variant[] = [
  { name: '100 dpi', dpi: 100 },
  { name: '150 dpi', dpi: 150 },
  { name: '200 dpi', dpi: 200 },
  { name: '150 dpi, turned by 90°', dpi: 150, change: (image) => turnRaster(image, 1) },
  { name: '150 dpi, turned by 180°', dpi: 150, change: (image) => turnRaster(image, 2) },
  { name: '150 dpi, turned by 270°', dpi: 150, change: (image) => turnRaster(image, 3) },
  { name: '150 dpi, askew by 2°', dpi: 150, change: (image) => askew(image, 2) },
  { name: '150 dpi, with noise', dpi: 150, change: noisy },
];

/** @param folder with `pdf` and `scans`. */
export async function scans(folder: string, isQuick: boolean): Promise<void> {
  const ocr = new Ocr();
  console.log(
    'scans: words of drawn pages; right of those there are, right of those read, CPU seconds a page',
  );
  for (const variant of isQuick ? VARIANTS.filter(({ dpi }) => dpi === 150).slice(0, 2) : VARIANTS) {
    await drawnPages(ocr, join(folder, 'pdf'), variant);
  }
  console.log('scans of others: words, pages, seconds a page, CPU seconds a page');
  for (const name of readdirSync(join(folder, 'scans'))) await scan(ocr, join(folder, 'scans', name));
}

async function drawnPages(ocr: Ocr, folder: string, { name, dpi, change }: Variant): Promise<void> {
  let [right, precise, cpu] = [0, 0, 0];
  for (const page of PAGES) {
    const path = join(folder, page);
    const wanted = wordsOfText(execFileSync('pdftotext', ['-l', '1', path, '-'], { encoding: 'utf8' }));
    const upright = await draw(path, dpi);
    const image = change === undefined ? upright : change(upright);
    const before = process.cpuUsage();
    const { lines } = await ocr.read(image);
    cpu += cpuSeconds(before);
    const found = lines.flatMap(({ words }) => words.flatMap(({ text }) => wordsOfText(text)));
    right += recall(wanted, found) / PAGES.length;
    precise += recall(found, wanted) / PAGES.length;
  }
  const seconds = (cpu / PAGES.length).toFixed(2);
  console.log(`  ${name.padEnd(26)} ${right.toFixed(4)}  ${precise.toFixed(4)}  ${seconds} s`);
}

function cpuSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function draw(path: string, dpi: number): Promise<Raster> {
  await using file = await openPdf(readFileSync(path), undefined, { pixelsMax: PIXELS_MAX });
  const page = await renderPage(file, { number: 1, dpi, pixelsMax: PIXELS_MAX });
  return { width: page.width, height: page.height, rgba: page.rgba() };
}

function askew(image: Raster, degrees: number): Raster {
  const { width, height } = image;
  const box = { x: width / 2, y: height / 2, width, height, angle: (degrees * Math.PI) / 180 };
  const { data } = cutOut(image, { box, turn: 0, width, height });
  const plane = width * height;
  const rgba = new Uint8ClampedArray(4 * plane).fill(255);
  for (let at = 0; at < plane; at++) {
    for (let k = 0; k < 3; k++) rgba[4 * at + k] = 127.5 * ((data[at + (2 - k) * plane] as number) + 1);
  }
  return { width, height, rgba };
}

/** Grey paper, each pixel up to 50 levels off. */
function noisy({ width, height, rgba }: Raster): Raster {
  const changed = new Uint8ClampedArray(rgba);
  for (let at = 0, seed = 1; at < changed.length; at += 4) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    const by = ((seed >> 8) % 100) - 50;
    for (let k = 0; k < 3; k++) changed[at + k] = 0.85 * (rgba[at + k] as number) + by;
  }
  return { width, height, rgba: changed };
}

async function scan(ocr: Ocr, path: string): Promise<void> {
  const bytes = readFileSync(path);
  const [before, start] = [process.cpuUsage(), performance.now()];
  const document: Document = await formatOf(bytes, path).parse({ bytes, name: path, limits: LIMITS, ocr });
  const count = document.pages.length;
  const seconds = (performance.now() - start) / 1000 / count;
  const words = document.blocks.reduce((sum, { text }) => sum + wordsOfText(text).length, 0);
  const figures = [words, count, seconds.toFixed(2), (cpuSeconds(before) / count).toFixed(2)];
  console.log(`  ${(path.split('/').at(-1) ?? '').slice(0, 44).padEnd(44)} ${figures.join('  ')}`);
}
