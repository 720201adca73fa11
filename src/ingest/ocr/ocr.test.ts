/** Reading of images: pages whose text is known, upright and turned, in files of every kind that may hold them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Document, pagesBetween } from '../document.ts';
import { formatOf } from '../formats/registry.ts';
import { Ocr } from './ocr.ts';
import { turnRaster } from '../image/turn-raster.ts';
import { drawn, letter, pictureOf, scannedPdf, tiff } from './scan-fixture.ts';
import { textBoxes } from './text-boxes.ts';

const LINES = [
  'The harbour was dredged in 1987 at a cost of',
  '$1,204,500 and 35 % of the berths were rebuilt.',
];
const WORDS = ['Harbour', 'report', ...LINES.flatMap((line) => line.split(' '))];
const LIMITS = { pagesMax: 100, imagePixelsMax: 10_000_000 };
const page = letter('Harbour report', LINES);

let ocr: Ocr;
beforeAll(() => {
  ocr = new Ocr();
});
afterAll(() => ocr[Symbol.asyncDispose]());

const parse = (bytes: Uint8Array, name: string): Promise<Document> =>
  formatOf(bytes, name).parse({ bytes, name, limits: LIMITS, ocr });

const summary = ({ blocks }: Document): string[] => blocks.map(({ kind, text }) => `${kind}: ${text}`);

describe('an image of text', () => {
  it.each([0, 1, 2, 3])('turned by %i quarters is read, and the turn is told', async (quarters) => {
    const { turn, lines } = await ocr.read(turnRaster(await drawn(page, 130), quarters));
    expect(turn).toBe(quarters);
    const words = lines.flatMap((line) => line.words.map(({ text }) => text));
    expect(words.toSorted()).toEqual(WORDS.toSorted());
  });

  it('without a letter is nothing', async () => {
    const rgba = new Uint8ClampedArray(4 * 200 * 100).fill(255);
    expect((await ocr.read({ width: 200, height: 100, rgba })).lines).toEqual([]);
    expect((await ocr.read({ width: 1, height: 1, rgba: rgba.subarray(0, 4) })).lines).toEqual([]);
  });
});

describe('a scanned page', () => {
  it('is read like any other, with the places of its words', async () => {
    const document = await parse(scannedPdf([await drawn(page, 150), await drawn(page, 100)]), 'scan.pdf');
    const expected = ['heading: Harbour report', `paragraph: ${LINES.join(' ')}`];
    expect(summary(document)).toEqual([...expected, ...expected]);
    expect(document.pages.map(({ isScan }) => isScan)).toEqual([true, true]);
    const [, paragraph] = document.blocks;
    if (paragraph?.words == null) throw new Error('no places');
    expect(pagesBetween(paragraph, 0, 10)).toEqual([1]);
    const [left, top, right, bottom] = paragraph.words.boxes?.subarray(4, 8) ?? [];
    // "harbour": after "The ", on the line whose baseline is 90 points below the top.
    expect([left, top, right, bottom].map((place) => Math.round(place ?? 0))).toEqual([
      expect.closeTo(61, -0.7),
      expect.closeTo(81, -0.7),
      expect.closeTo(101, -0.7),
      expect.closeTo(92, -0.7),
    ]);
  });

  it('that was put in sideways is read as well', async () => {
    const sideways = turnRaster(await drawn(page, 150), 1);
    const document = await parse(scannedPdf([sideways], 300, 420), 'scan.pdf');
    expect(summary(document)).toEqual(['heading: Harbour report', `paragraph: ${LINES.join(' ')}`]);
  });
});

describe('an image file', () => {
  it('is a page with its picture and its text', async () => {
    const raster = await drawn(page, 150);
    const document = await parse(pictureOf(raster).png(raster.width, raster.height), 'note.jpg');
    expect(summary(document)).toEqual([
      'image: ',
      'heading: Harbour report',
      `paragraph: ${LINES.join(' ')}`,
    ]);
    expect(document.format).toBe('png');
    expect(document.pages).toEqual([expect.objectContaining({ number: 1, width: 842, isScan: true })]);
  });
});

describe('a TIFF', () => {
  it('has the pages of its scan, those without a word as pictures', async () => {
    const small = new Uint8ClampedArray(4 * 60 * 40).fill(230);
    const scan = await drawn(page, 150);
    const document = await parse(tiff([scan, { width: 60, height: 40, rgba: small }]), 'scan.bin');
    expect(document.format).toBe('tiff');
    expect(document.pages.map(({ number, width }) => [number, width])).toEqual([
      [1, 842],
      [2, 60],
    ]);
    const text = ['heading: Harbour report', `paragraph: ${LINES.join(' ')}`];
    expect(summary(document)).toEqual([...text, 'image: ']);
    expect(document.blocks.map((block) => block.page)).toEqual([1, 1, 2]);
  });

  it('is turned as it says', async () => {
    const sideways = turnRaster(await drawn(page, 100), 3);
    const [one] = (await parse(tiff([sideways], { orientation: 6 }), 'scan.tif')).pages;
    expect(one?.width).toBeGreaterThan(one?.height ?? Infinity);
  });

  it.each([
    ['in a circle', (good: Buffer) => good, { loop: true }, /follow each other in a circle/],
    ['of too many pixels', (good: Buffer) => huge(good), {}, /pixels; at most 10 million are decoded/],
    ['cut off', (good: Buffer) => good.subarray(0, good.length - 30), {}, /ends within its list of pages/],
    ['of its first bytes', (good: Buffer) => good.subarray(0, 8), {}, /ends within its list of pages/],
  ])('%s is an error that says so', async (_, change, options, message) => {
    const grey = { width: 20, height: 10, rgba: new Uint8ClampedArray(800).fill(99) };
    const bytes = change(Buffer.from(tiff([grey], options)));
    await expect(parse(bytes, 'x.tif')).rejects.toThrow(message);
  });

  /** Its first page says another width. */
  function huge(bytes: Buffer): Buffer {
    bytes.writeUInt32LE(30_000_000, bytes.readUInt32LE(4) + 2 + 8);
    return bytes;
  }
});

describe('boxes of a map', () => {
  /** A bar of 1 within 0, by its middle, length, thickness and angle. */
  function bar(x: number, y: number, length: number, thickness: number, angle: number): Float32Array {
    const data = new Float32Array(200 * 100);
    for (let at = 0; at < data.length; at++) {
      const [dx, dy] = [(at % 200) + 0.5 - x, Math.floor(at / 200) + 0.5 - y];
      const along = dx * Math.cos(angle) + dy * Math.sin(angle);
      const across = dy * Math.cos(angle) - dx * Math.sin(angle);
      if (Math.abs(along) <= length / 2 && Math.abs(across) <= thickness / 2) data[at] = 1;
    }
    return data;
  }

  it.each([0, 0.2, -0.3, 0.7])('are as long, thick and oblique as what they surround: %d', (angle) => {
    const [box, ...others] = textBoxes({ width: 200, height: 100, data: bar(90, 50, 80, 8, angle) });
    expect(others).toEqual([]);
    const growth = (80 * 8 * 1.6) / (2 * 88);
    expect(box?.x).toBeCloseTo(90, -0.3);
    expect(box?.y).toBeCloseTo(50, -0.3);
    expect(box?.angle).toBeCloseTo(angle, 1);
    expect(Math.abs((box?.width ?? 0) - 80 - 2 * growth)).toBeLessThan(4);
    expect(Math.abs((box?.height ?? 0) - 8 - 2 * growth)).toBeLessThan(4);
  });

  it('are none where nothing is likely, and one where parts touch at corners', () => {
    expect(textBoxes({ width: 4, height: 4, data: new Float32Array(16).fill(0.2) })).toEqual([]);
    const stairs = new Float32Array(200 * 100);
    for (let y = 10; y < 30; y++) stairs.fill(1, y * 200 + (y < 20 ? 10 : 30), y * 200 + (y < 20 ? 30 : 50));
    expect(textBoxes({ width: 200, height: 100, data: stairs })).toHaveLength(1);
  });
});
