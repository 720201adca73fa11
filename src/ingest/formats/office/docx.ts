/** Word files by mammoth, which makes HTML of them; their page breaks are the printer's, so they have no pages. */
import mammoth from 'mammoth';
import type { Document } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { htmlContent } from '../markup/html-blocks.ts';
import { firstHeading, unpagedDocument } from '../unpaged.ts';
import { Archive } from './archive.ts';
import { officeProperties } from './properties.ts';

/** Pictures are named by their description, and left out otherwise. */
const OPTIONS = {
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  includeEmbeddedStyleMap: false,
};

export async function parseDocx({ bytes }: ParseRequest): Promise<Document> {
  // Looks at the sizes before anything is unpacked as a whole.
  using archive = await Archive.open(bytes);
  const metadata = await officeProperties(archive);
  const { value, messages } = await toHtml(bytes);
  const { blocks } = htmlContent(value);
  return unpagedDocument({
    format: 'docx',
    title: metadata.title ?? firstHeading(blocks),
    metadata,
    blocks,
    problems: messages.filter(({ type }) => type === 'error').map(({ message }) => message),
  });
}

async function toHtml(bytes: Uint8Array): ReturnType<typeof mammoth.convertToHtml> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await mammoth.convertToHtml({ buffer }, OPTIONS);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DocumentError('damaged', `the file is damaged: ${message}`);
  }
}
