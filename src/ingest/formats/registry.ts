/** The file formats that become documents, one row each. The content decides, then the extension. */
import { DocumentError } from '../document-error.ts';
import type { Format } from './format.ts';

/** Parsers are loaded when first needed: the server itself only asks what a file is. */
const FORMATS: readonly Format[] = [
  {
    name: 'pdf',
    summary: 'PDF',
    mimeTypes: ['application/pdf'],
    extensions: ['pdf'],
    // Readers accept anything before the header within the first kilobyte.
    sniff: (bytes) => asciiOf(bytes, 1024).includes('%PDF-'),
    parse: async (request) => (await import('./pdf/pdf.ts')).parsePdf(request),
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

/** @throws DocumentError unknown_kind, with what is accepted; empty for a file without a byte. */
export function formatOf(bytes: Uint8Array, name: string): Format {
  if (bytes.length === 0) throw new DocumentError('empty', 'the file is empty');
  const byContent = FORMATS.find((format) => format.sniff(bytes));
  if (byContent !== undefined) return byContent;
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = FORMATS.find((format) => format.extensions.includes(extension));
  if (named !== undefined) return named;
  const accepted = FORMATS.flatMap((format) => format.extensions).join(', ');
  throw new DocumentError('unknown_kind', `the kind of the file is not known; accepted are ${accepted}`);
}

function asciiOf(bytes: Uint8Array, count: number): string {
  return String.fromCharCode(...bytes.subarray(0, count));
}
