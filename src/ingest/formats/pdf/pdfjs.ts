/**
 * pdf.js: the file's pages as operators, with the fonts they name. The one file that knows the package; it runs in
 * the calling process, so hostile files belong into a worker. No script in a file is ever run.
 *
 * One pass of operators gives glyphs with their places, rules and images; the package's own text layer would be a
 * second pass over each page (20 ms more), with places of runs, not of glyphs.
 */
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  OPS,
  type PDFDocumentProxy,
  type PDFPageProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { DocumentError } from '../../document-error.ts';
import type { Matrix } from './matrix.ts';

export const OPERATORS = OPS;

/** A glyph as the package tells it; a number between glyphs moves by thousandths of the font's size. */
export interface ShownGlyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  /** Width, and the origin's place, of vertical writing. */
  readonly vmetric?: readonly [number, number, number];
}

export interface FontFace {
  readonly name: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMonospace: boolean;
  readonly isVertical: boolean;
  /** Ascent as a share of the size, up and down from the baseline, both positive; 0 where unknown. */
  readonly ascent: number;
  readonly descent: number;
  /** Glyph widths to text space. */
  readonly widthScale: number;
}

export interface PdfPage {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  /** From the page's own space to the page as shown, y downwards. */
  readonly transform: Matrix;
  readonly functions: readonly number[];
  readonly args: readonly unknown[];
  fontFace(name: string): FontFace;
}

export interface PdfFile extends AsyncDisposable {
  readonly pageCount: number;
  /** Page labels of the file; null where it numbers them 1, 2, 3. */
  readonly labels: readonly string[] | null;
  readonly properties: Readonly<Record<string, string>>;
  readonly language: string | null;
  /** Result of `use` on the page; the page is dropped afterwards. */
  page<T>(number: number, use: (page: PdfPage) => T): Promise<T>;
  /** The page's own proxy, for the renderer. */
  proxy(number: number): Promise<{ page: PDFPageProxy; file: PDFDocumentProxy }>;
}

/** Images: `box` leaves them out and shows by a transformation followed by nothing where one was. */
export type Images = 'boxes' | { readonly pixelsMax: number };

const packageFolder = new URL('../../', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'));
const folder = (name: string): string => fileURLToPath(new URL(`${name}/`, packageFolder));

/**
 * @param bytes copied: the package keeps its own.
 * @throws DocumentError password_missing, password_wrong, damaged, no_pages.
 */
export async function openPdf(
  bytes: Uint8Array,
  password: string | undefined,
  images: Images,
): Promise<PdfFile> {
  const task = getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: folder('cmaps'),
    cMapPacked: true,
    standardFontDataUrl: folder('standard_fonts'),
    wasmUrl: folder('wasm'),
    iccUrl: folder('iccs'),
    verbosity: VerbosityLevel.ERRORS,
    fontExtraProperties: true,
    enableXfa: false,
    maxImageSize: images === 'boxes' ? 0 : images.pixelsMax,
    ...(password === undefined ? {} : { password }),
  });
  try {
    const file = await task.promise;
    if (file.numPages === 0) throw new DocumentError('no_pages', 'the PDF has no pages');
    return await describe(file, () => task.destroy());
  } catch (error) {
    await task.destroy();
    throw error instanceof DocumentError ? error : readableError(error, password !== undefined);
  }
}

function readableError(error: unknown, isPasswordGiven: boolean): DocumentError {
  const options = { cause: error };
  if (error instanceof Error && error.name === 'PasswordException') {
    return isPasswordGiven
      ? new DocumentError('password_wrong', 'the password of the metadata does not open the PDF', options)
      : new DocumentError(
          'password_missing',
          'the PDF is encrypted: upload it with its password as "password" of the metadata',
          options,
        );
  }
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  return new DocumentError(
    'damaged',
    `the PDF is damaged or not whole, and cannot be read: ${reason}`,
    options,
  );
}

async function describe(file: PDFDocumentProxy, destroy: () => Promise<void>): Promise<PdfFile> {
  const labels = await file.getPageLabels().catch(() => null);
  const { info } = await file.getMetadata().catch(() => ({ info: {} }));
  return {
    pageCount: file.numPages,
    labels,
    properties: propertiesOf(info),
    language: stringOf((info as { Language?: unknown }).Language),
    page: async (number, use) => {
      const page = await file.getPage(number);
      try {
        return use(await operatorsOf(page, number));
      } finally {
        page.cleanup();
      }
    },
    proxy: async (number) => ({ page: await file.getPage(number), file }),
    [Symbol.asyncDispose]: destroy,
  };
}

const stringOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Names of a file's properties to ours. */
const PROPERTIES = {
  Title: 'title',
  Author: 'author',
  Subject: 'subject',
  Keywords: 'keywords',
  Creator: 'creator',
  Producer: 'producer',
  CreationDate: 'created',
  ModDate: 'modified',
} as const;

function propertiesOf(info: object): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [theirs, ours] of Object.entries(PROPERTIES)) {
    const value = stringOf((info as Record<string, unknown>)[theirs])?.replaceAll('\0', '');
    if (value === undefined || value === '') continue;
    found[ours] = theirs.endsWith('Date') ? isoDate(value) : value;
  }
  return found;
}

/** `D:20240131120000+01'00'` as ISO 8601; anything else as it is. */
function isoDate(text: string): string {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(text);
  if (parts === null) return text;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', utc, zone, rest] =
    parts;
  const offset = utc ?? (zone === undefined ? '' : `${zone}:${rest ?? '00'}`);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}

async function operatorsOf(page: PDFPageProxy, number: number): Promise<PdfPage> {
  const viewport = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const faces = new Map<string, FontFace>();
  return {
    number,
    width: viewport.width,
    height: viewport.height,
    rotation: viewport.rotation,
    transform: viewport.transform as unknown as Matrix,
    functions: fnArray,
    args: argsArray,
    fontFace: (name) => {
      const known = faces.get(name);
      if (known !== undefined) return known;
      const face = faceOf(name, page.commonObjs.has(name) ? page.commonObjs.get(name) : {});
      faces.set(name, face);
      return face;
    },
  };
}

/** Properties of a font in the package, as far as they are used here. */
interface TheirFont {
  readonly name?: string;
  readonly bold?: boolean;
  readonly black?: boolean;
  readonly italic?: boolean;
  readonly isMonospace?: boolean;
  readonly vertical?: boolean;
  readonly ascent?: number;
  readonly descent?: number;
  readonly fontMatrix?: readonly number[];
}

/** Weights as names of fonts have them, TeX's and URW's too. */
const BOLD = /bold|black|heavy|demi|-medi(?:ital)?$|^(?:cm|sf|ec|lm)?b(?:x|csc)\d|^cmb|-bd|,b/i;

function faceOf(id: string, font: TheirFont): FontFace {
  const name = (font.name ?? id).replace(/^[A-Z]{6}\+/, '');
  return {
    name,
    isBold: font.bold === true || font.black === true || BOLD.test(name),
    isItalic: font.italic === true || /italic|oblique/i.test(name),
    isMonospace: font.isMonospace === true || /courier|mono|consol/i.test(name),
    isVertical: font.vertical === true,
    ascent: Number.isFinite(font.ascent) ? Math.abs(font.ascent as number) : 0,
    descent: Number.isFinite(font.descent) ? Math.abs(font.descent as number) : 0,
    widthScale: font.fontMatrix?.[0] ?? 0.001,
  };
}
