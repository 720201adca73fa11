/** HTML files. */
import type { Document } from '../../document.ts';
import type { ParseRequest } from '../format.ts';
import { decodeText } from '../text-encoding.ts';
import { firstHeading, unpagedDocument } from '../unpaged.ts';
import { htmlContent } from './html-blocks.ts';

/** `<meta charset=…>` within the first kilobyte. */
const CHARSET = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i;
const CHARSET_BYTES = 1024;

export async function parseHtml({ bytes }: ParseRequest): Promise<Document> {
  const head = Buffer.from(bytes.subarray(0, CHARSET_BYTES)).toString('latin1');
  const { title, metadata, language, blocks } = htmlContent(decodeText(bytes, CHARSET.exec(head)?.[1]));
  return unpagedDocument({
    format: 'html',
    title: title ?? firstHeading(blocks),
    metadata,
    languages: language === null ? [] : [language],
    blocks,
  });
}
