/** Word files by mammoth, which makes HTML of them; their page breaks are the printer's, so they have no pages. */
import mammoth from 'mammoth';
import type { Document, Margin } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { htmlContent } from '../markup/html-blocks.ts';
import { firstHeading, unpagedDocument } from '../unpaged.ts';
import { Archive } from './archive.ts';
import { officeProperties } from './properties.ts';
import { descendants, parseXml, xmlText } from './xml.ts';

/** Pictures are named by their description, and left out otherwise. */
const OPTIONS = {
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  includeEmbeddedStyleMap: false,
};

export async function parseDocx({ bytes }: ParseRequest): Promise<Document> {
  // Looks at the sizes before anything is unpacked as a whole.
  using archive = await Archive.open(bytes);
  const metadata = await officeProperties(archive);
  const body = (await archive.text('word/document.xml')) ?? '';
  if (/^[^<]*(?:<\?[^>]*>[^<]*)?<!DOCTYPE/i.test(body)) {
    throw new DocumentError('damaged', 'the file is damaged: it declares a document type');
  }
  const { value, messages } = await toHtml(bytes);
  const { blocks } = htmlContent(value);
  const equations = body.match(/<m:oMath[ >]/g)?.length ?? 0;
  return unpagedDocument({
    format: 'docx',
    title: metadata.title ?? firstHeading(blocks),
    metadata,
    blocks,
    margins: await margins(archive),
    problems: [
      ...messages.filter(({ type }) => type === 'error').map(({ message }) => message),
      ...(equations === 0 ? [] : [`equations are not read: ${equations}`]),
    ],
  });
}

/** Headers and footers, which stand in parts of their own. */
async function margins(archive: Archive): Promise<readonly Margin[]> {
  const found: Margin[] = [];
  for (const name of archive.names()) {
    const kind = /^word\/(header|footer)\d*\.xml$/.exec(name)?.[1] as Margin['kind'] | undefined;
    const part = kind === undefined ? null : await archive.text(name);
    if (kind === undefined || part === null) continue;
    for (const given of descendants(parseXml(part), 'p')) {
      const text = [...descendants(given, 't')]
        .map((run) => xmlText(run))
        .join('')
        .trim();
      if (text !== '') found.push({ kind, text, words: null, page: 0 });
    }
  }
  return found;
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
