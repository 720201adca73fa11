/** Scans that tests make themselves: pages drawn by pdf.js, as images, as TIFF, and as PDFs without a letter of text. */
import { makePdf, text, writeObjects } from '../formats/pdf/pdf-fixture.ts';
import { openPdf } from '../formats/pdf/pdfjs.ts';
import { renderPage } from '../formats/pdf/drawn/render.ts';
import { type Picture, pictureOfRaster, type Raster } from '../image/raster.ts';

/** A heading and lines below each other. */
export const letter = (title: string, lines: readonly string[]): Uint8Array =>
  makePdf([
    {
      width: 420,
      height: 300,
      content: text(40, 250, title, 22) + lines.map((line, i) => text(40, 210 - 16 * i, line, 11)).join(''),
    },
  ]);

export async function drawn(pdf: Uint8Array, dpi: number): Promise<Raster> {
  await using file = await openPdf(pdf, undefined, { pixelsMax: 1e7 });
  const page = await renderPage(file, { number: 1, dpi, pixelsMax: 1e7 });
  return { width: page.width, height: page.height, rgba: page.rgba() };
}

export const pictureOf = (raster: Raster): Picture => pictureOfRaster(raster);

/** A page for each image, which fills it. */
export function scannedPdf(images: readonly Raster[], width = 420, height = 300): Uint8Array {
  const kids = images.map((_, i) => `${3 + 3 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${images.length} >>`,
  ];
  for (const image of images) {
    const at = objects.length + 1;
    const jpeg = Buffer.from(pictureOf(image).jpeg(image.width, image.height)).toString('latin1');
    const paint = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${at + 1} 0 R ` +
        `/Resources << /XObject << /I ${at + 2} 0 R >> >> >>`,
      `<< /Length ${paint.length} >>\nstream\n${paint}\nendstream`,
      `<< /Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} /ColorSpace /DeviceRGB ` +
        `/BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n${jpeg}\nendstream`,
    );
  }
  return writeObjects(objects);
}

/** Uncompressed, 8 bits of grey a pixel. @param loop the last page is followed by the first. */
export function tiff(images: readonly Raster[], { orientation = 1, loop = false } = {}): Uint8Array {
  const parts: Buffer[] = [Buffer.from('II*\0\0\0\0\0', 'latin1')];
  let at = 8;
  const links: { readonly part: Buffer; readonly offset: number }[] = [
    { part: parts[0] as Buffer, offset: 4 },
  ];
  for (const { width, height, rgba } of images) {
    const grey = Buffer.alloc(width * height + ((width * height) % 2));
    for (let i = 0; i < width * height; i++) grey[i] = rgba[4 * i + 1] as number;
    const data = at;
    parts.push(grey);
    at += grey.length;
    const entries = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, data],
      [274, orientation],
      [277, 1],
      [278, height],
      [279, width * height],
    ] as const;
    const directory = Buffer.alloc(2 + 12 * entries.length + 4);
    directory.writeUInt16LE(entries.length, 0);
    for (const [i, [tag, value]] of entries.entries()) {
      directory.writeUInt16LE(tag, 2 + 12 * i);
      directory.writeUInt16LE(4, 4 + 12 * i);
      directory.writeUInt32LE(1, 6 + 12 * i);
      directory.writeUInt32LE(value, 10 + 12 * i);
    }
    const link = links.at(-1);
    link?.part.writeUInt32LE(at, link.offset);
    links.push({ part: directory, offset: directory.length - 4 });
    parts.push(directory);
    at += directory.length;
  }
  const last = links.at(-1);
  if (loop) last?.part.writeUInt32LE(parts[0]?.readUInt32LE(4) ?? 0, last.offset);
  return new Uint8Array(Buffer.concat(parts));
}
