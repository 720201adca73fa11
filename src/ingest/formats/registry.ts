/** The file formats that become documents, one row each. The content decides, then the extension. */
import { present } from '../../assert.ts';
import { DocumentError } from '../document-error.ts';
import { IMAGE_MIME_TYPES, type ImageKind, imageKind } from '../image/image-header.ts';
import type { Format } from './format.ts';
import {
  isArchiveWith,
  isCompoundFile,
  isEncryptedOffice,
  isText,
  isTiff,
  looksLikeHtml,
  looksLikeMessage,
  looksLikePdfSource,
} from './sniff.ts';

const image = (name: ImageKind, summary: string, extensions: readonly string[]): Format => ({
  name,
  summary,
  mimeTypes: [IMAGE_MIME_TYPES[name]],
  extensions,
  sniff: (bytes) => imageKind(bytes) === name,
  parse: async (request) => (await import('./image.ts')).parseImage(request),
  draw: async (request) => (await import('./image.ts')).drawImage(request),
});

/** Parsers are loaded when first needed: the server itself only asks what a file is. */
export const FORMATS: readonly Format[] = [
  {
    name: 'pdf',
    summary: 'PDF',
    mimeTypes: ['application/pdf'],
    extensions: ['pdf'],
    // Readers accept anything before the header within the first kilobyte.
    sniff: (bytes) => asciiOf(bytes, 1024).includes('%PDF-'),
    parse: async (request) => (await import('./pdf/pdf.ts')).parsePdf(request),
    draw: async (request) => (await import('./pdf/drawn/draw.ts')).drawPdf(request),
  },
  image('png', 'an image', ['png']),
  image('jpeg', 'a photograph or scan', ['jpg', 'jpeg']),
  image('gif', 'an image; of a moving one the first picture', ['gif']),
  image('webp', 'an image', ['webp']),
  image('bmp', 'an image', ['bmp']),
  {
    name: 'tiff',
    summary: 'a scan, a page an image',
    mimeTypes: ['image/tiff'],
    extensions: ['tif', 'tiff'],
    sniff: isTiff,
    parse: async (request) => (await import('./tiff.ts')).parseTiff(request),
    draw: async (request) => (await import('./tiff.ts')).drawTiff(request),
  },
  {
    name: 'docx',
    summary: 'Word',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    extensions: ['docx'],
    sniff: (bytes) => isArchiveWith(bytes, 'word/'),
    parse: async (request) => (await import('./office/docx.ts')).parseDocx(request),
  },
  {
    name: 'pptx',
    summary: 'PowerPoint',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    extensions: ['pptx'],
    sniff: (bytes) => isArchiveWith(bytes, 'ppt/'),
    parse: async (request) => (await import('./office/pptx.ts')).parsePptx(request),
  },
  {
    name: 'xlsx',
    summary: 'Excel',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    extensions: ['xlsx'],
    sniff: (bytes) => isArchiveWith(bytes, 'xl/'),
    parse: async (request) => (await import('./office/xlsx.ts')).parseXlsx(request),
  },
  {
    name: 'html',
    summary: 'HTML',
    mimeTypes: ['text/html', 'application/xhtml+xml'],
    extensions: ['html', 'htm', 'xhtml'],
    sniff: looksLikeHtml,
    parse: async (request) => (await import('./markup/html.ts')).parseHtml(request),
  },
  {
    name: 'eml',
    summary: 'a message',
    mimeTypes: ['message/rfc822'],
    extensions: ['eml'],
    sniff: looksLikeMessage,
    parse: async (request) => (await import('./eml.ts')).parseEml(request),
  },
  {
    name: 'md',
    summary: 'Markdown',
    mimeTypes: ['text/markdown'],
    extensions: ['md', 'markdown'],
    sniff: () => false,
    parse: async (request) => (await import('./markup/md.ts')).parseMarkdown(request),
  },
  {
    name: 'csv',
    summary: 'a table as text',
    mimeTypes: ['text/csv', 'text/tab-separated-values'],
    extensions: ['csv', 'tsv'],
    sniff: () => false,
    parse: async (request) => (await import('./csv.ts')).parseCsv(request),
  },
  {
    name: 'txt',
    summary: 'plain text',
    mimeTypes: ['text/plain'],
    extensions: ['txt', 'text', 'log'],
    sniff: () => false,
    parse: async (request) => (await import('./txt.ts')).parseText(request),
  },
];

/** Formats that have nothing but text. */
const TEXT_FORMATS: ReadonlySet<string> = new Set(['html', 'eml', 'md', 'csv', 'txt']);

/** Format of a text that is called something else. */
const PLAIN_TEXT = present(
  FORMATS.find(({ name }) => name === 'txt'),
  'plain text',
);

/** @throws DocumentError unknown_kind, with what is accepted; empty for a file without a byte. */
export function formatOf(bytes: Uint8Array, name: string): Format {
  if (bytes.length === 0) throw new DocumentError('empty', 'the file is empty');
  if (isCompoundFile(bytes)) {
    if (isEncryptedOffice(bytes)) {
      const what = 'the Office file is encrypted with a password: save it without one, and upload it again';
      throw new DocumentError('password_missing', what);
    }
    const what = 'a file of an Office before 2007 (doc, xls, ppt), or of Outlook (msg), is not read';
    throw new DocumentError('unknown_kind', `${what}: save it as docx, xlsx, pptx or eml`);
  }
  const byContent = FORMATS.find((format) => format.sniff(bytes));
  if (byContent !== undefined) return byContent;
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = FORMATS.find((format) => format.extensions.includes(extension));
  if (named !== undefined && TEXT_FORMATS.has(named.name) === isText(bytes)) return named;
  if (named !== undefined && isText(bytes)) return looksLikePdfSource(bytes) ? named : PLAIN_TEXT;
  const accepted = FORMATS.flatMap((format) => format.extensions).join(', ');
  const isOther = /^[a-z0-9]{1,8}$/.test(extension) && named === undefined;
  const what = isOther ? `a .${extension} file is not read` : 'the kind of the file is not known';
  throw new DocumentError('unknown_kind', `${what}; accepted are ${accepted}`);
}

function asciiOf(bytes: Uint8Array, count: number): string {
  return String.fromCharCode(...bytes.subarray(0, count));
}
