/** PDFs that tests make themselves: uncompressed pages of operators with three of the standard fonts. */

import type { Block, Document } from '../../document.ts';
import { parsePdf } from './pdf.ts';

export interface FixturePage {
  /** Operators; `text()` and friends write them. */
  readonly content: string;
  readonly width?: number;
  readonly height?: number;
  readonly rotate?: number;
}

export interface FixtureOptions {
  /** Entries of the trailer's Info, as PDF: `/Title (Report)`. */
  readonly info?: string;
  /** More entries of the catalog: `/Lang (de)`. */
  readonly catalog?: string;
}

const FONTS = { regular: 'F1', bold: 'F2', mono: 'F3' } as const;
type Style = keyof typeof FONTS;

/** One line of text with its baseline at (x, y) from the bottom left. */
export function text(x: number, y: number, string: string, size = 10, style: Style = 'regular'): string {
  const escaped = string.replaceAll(/[\\()]/g, '\\$&');
  return `BT /${FONTS[style]} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped}) Tj ET\n`;
}

/** Lines of text, the first with its baseline at y. */
export function lines(x: number, y: number, strings: readonly string[], size = 10): string {
  return strings.map((string, index) => text(x, y - index * size * 1.2, string, size)).join('');
}

export const rule = (x0: number, y0: number, x1: number, y1: number): string =>
  `0.5 w ${x0} ${y0} m ${x1} ${y1} l S\n`;

/** An image of one pixel, drawn over a box from the bottom left. */
export const image = (x: number, y: number, width: number, height: number): string =>
  `q ${width} 0 0 ${height} ${x} ${y} cm\nBI /W 1 /H 1 /CS /G /BPC 8 ID 0\nEI\nQ\n`;

/** @returns the bytes of a file with these pages. */
export function makePdf(pages: readonly FixturePage[], options: FixtureOptions = {}): Uint8Array {
  const objects: string[] = [];
  const kids = pages.map((_, index) => `${6 + index * 2} 0 R`).join(' ');
  objects.push(`<< /Type /Catalog /Pages 2 0 R ${options.catalog ?? ''} >>`);
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  for (const name of ['Helvetica', 'Helvetica-Bold', 'Courier']) {
    objects.push(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`);
  }
  for (const { content, width = 612, height = 792, rotate = 0 } of pages) {
    const contents = objects.length + 2;
    const fonts = '/F1 3 0 R /F2 4 0 R /F3 5 0 R';
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} ` +
        `/Resources << /Font << ${fonts} >> >> /Contents ${contents} 0 R >>`,
    );
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  return writeObjects(objects, options.info ?? '');
}

/** @param objects bodies of the objects 1, 2, …, the first the catalog. */
export function writeObjects(objects: readonly string[], info = ''): Uint8Array {
  let file = '%PDF-1.7\n';
  const places = objects.map((body, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const trailer = `<< /Size ${count} /Root 1 0 R ${info === '' ? '' : `/Info << ${info} >>`} >>`;
  const tail = `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(Buffer.from(file + tail, 'latin1'));
}

/** Three lines of a text. */
export const PROSE = [
  'The board met in the spring to go over the accounts of the year that had',
  'ended, and found that the sales of all regions had grown while the costs of',
  'production had stayed what they were before the new works were opened.',
];

export function parsePages(...pages: readonly FixturePage[]): Promise<Document> {
  const limits = { pagesMax: 100, imagePixelsMax: 1_000_000 };
  return parsePdf({ bytes: makePdf(pages), name: 'test.pdf', limits });
}

/** Blocks, a line each. */
export const summary = (blocks: readonly Block[]): string[] =>
  blocks.map((block) => `${block.kind}: ${block.text}`);
