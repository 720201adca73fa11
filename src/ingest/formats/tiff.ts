/** A TIFF: a page for each picture in it, with the text that can be read in it. */
import type { Block, Document } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { openTiff } from '../image/tiff.ts';
import type { DrawRequest, ParseRequest } from './format.ts';
import { drawPicture, imageOf, type PicturePage, readPicture } from './image.ts';
import { checkPage } from './page-size.ts';

/** Parses a TIFF; of a scan of several pages only those are pictures on which nothing can be read. */
export async function parseTiff(request: ParseRequest): Promise<Document> {
  const { bytes, limits, signal } = request;
  const file = openTiff(bytes, limits.pagesMax, limits.imagePixelsMax);
  const pages: PicturePage[] = [];
  const blocks: Block[] = [];
  const problems: string[] = [];
  for (let index = 0; index < file.pageCount; index++) {
    if (signal?.aborted) throw new DocumentError('time_exceeded', `time was up at page ${index + 1}`);
    try {
      const read = await readPicture(file.page(index), index + 1, request);
      pages.push(read.page);
      if (file.pageCount === 1 || read.blocks.length === 0) blocks.push(imageOf(read.page, null));
      blocks.push(...read.blocks);
    } catch (error) {
      if (!(error instanceof DocumentError) || file.pageCount === 1) throw error;
      problems.push(`page ${index + 1} cannot be read: ${error.message}`);
    }
    request.onProgress?.(index + 1, file.pageCount);
  }
  if (pages.length === 0) throw new DocumentError('damaged', problems[0] ?? 'the TIFF cannot be decoded');
  return { format: 'tiff', title: null, metadata: {}, languages: [], pages, blocks, margins: [], problems };
}

/** @throws DocumentError. */
export async function drawTiff(request: DrawRequest): Promise<Uint8Array> {
  const { bytes, limits, page } = request;
  const file = openTiff(bytes, limits.pagesMax, limits.imagePixelsMax);
  checkPage(page, file.pageCount);
  return drawPicture(file.page(page - 1), request);
}
