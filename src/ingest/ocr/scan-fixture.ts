/** Scans that tests make themselves: pages drawn by pdf.js, as images, turned, and as PDFs without a letter of text. */
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

/** @param quarters clockwise. */
export function turnedRaster({ width, height, rgba }: Raster, quarters: number): Raster {
  if (quarters === 0) return { width, height, rgba };
  const pixels = new Uint32Array(rgba.slice().buffer);
  const out = new Uint32Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      out[x * height + (height - 1 - y)] = pixels[y * width + x] as number;
    }
  }
  return turnedRaster(
    { width: height, height: width, rgba: new Uint8ClampedArray(out.buffer) },
    quarters - 1,
  );
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
