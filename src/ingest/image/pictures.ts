/**
 * Pictures that a dataset keeps of a document: each bounded, all of them together too, the rest has its words only.
 * Words that can be read in a larger one are its text.
 */
import { createHash } from 'node:crypto';
import type { Block, Document, ImageSource } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import type { ParseRequest } from '../formats/format.ts';
import { keptPicture } from './kept-picture.ts';
import { decodePicture, type Picture } from './raster.ts';

const ALL_BYTES_MAX = 64 * 1024 * 1024;
/** Smaller ones are icons, and later ones of an album. */
const READ_SIDE_MIN = 120;
const READ_COUNT_MAX = 200;
const READ_SIDE_MAX = 2_000;

/** One image, however often the document shows it. */
interface Known {
  readonly picture: ImageSource | null;
  readonly text: string;
}

export async function withPictures(document: Document, request: ParseRequest): Promise<Document> {
  const known = new Map<string, Known>();
  let total = 0;
  const blocks: Block[] = [];
  for (const block of document.blocks) {
    if (block.kind !== 'image' || block.source === null) {
      blocks.push(block);
      continue;
    }
    const { bytes } = block.source;
    const hash = createHash('sha256').update(bytes).digest('hex');
    // Words on a page were read with the page.
    const isRead = block.area !== null || block.text !== '' || known.size >= READ_COUNT_MAX;
    const { picture, text } = known.get(hash) ?? {
      picture: await keptPicture(bytes, request.limits.imagePixelsMax),
      text: isRead ? '' : await textIn(bytes, request),
    };
    known.set(hash, { picture, text });
    total += picture?.bytes.length ?? 0;
    blocks.push({ ...block, text: block.text || text, source: total > ALL_BYTES_MAX ? null : picture });
    request.onProgress?.(document.pages.length, document.pages.length);
  }
  return { ...document, blocks };
}

/** Lines from top to bottom; empty for what cannot be decoded. */
async function textIn(bytes: Uint8Array, { ocr, limits }: ParseRequest): Promise<string> {
  if (ocr === undefined) return '';
  const picture = await decodePicture(bytes, limits.imagePixelsMax).catch(
    (error: unknown): Picture | null => {
      if (error instanceof DocumentError) return null;
      throw error;
    },
  );
  if (picture === null || Math.min(picture.width, picture.height) < READ_SIDE_MIN) return '';
  const scale = Math.min(1, READ_SIDE_MAX / Math.max(picture.width, picture.height));
  const raster = picture.raster(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale));
  const { lines } = await ocr.read(raster);
  const ordered = lines.toSorted((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
  return ordered.map(({ words }) => words.map(({ text }) => text).join(' ')).join('\n');
}
