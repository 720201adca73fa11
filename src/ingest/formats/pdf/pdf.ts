/** A PDF as a document: page by page from glyphs to lines, then over all pages to blocks. */
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import { PlacedTextBuilder } from '../../placed-text.ts';
import type { ParseRequest } from '../format.ts';
import { type PageContent, readContent } from './content.ts';
import { openPdf, type PdfFile, type PdfPage } from './pdfjs.ts';
import { boxOf, segmentsOf } from './segments.ts';
import { wordsOf } from './words.ts';

export async function parsePdf(request: ParseRequest): Promise<Document> {
  await using file = await openPdf(request.bytes, request.password, 'boxes');
  const { pagesMax } = request.limits;
  if (file.pageCount > pagesMax) {
    throw new DocumentError(
      'limit_exceeded',
      `the PDF has ${file.pageCount} pages; at most ${pagesMax} are accepted`,
    );
  }
  const pages: Page[] = [];
  const blocks: Block[] = [];
  const problems: string[] = [];
  for (let number = 1; number <= file.pageCount; number++) {
    if (request.signal?.aborted) throw new DocumentError('time_exceeded', `time was up at page ${number}`);
    const read = await readPage(file, number);
    if (typeof read === 'string') problems.push(read);
    else {
      pages.push(read.page);
      blocks.push(...read.blocks);
    }
    request.onProgress?.(number, file.pageCount);
  }
  return {
    format: 'pdf',
    title: file.properties.title ?? null,
    metadata: file.properties,
    languages: file.language === null ? [] : [file.language],
    pages,
    blocks,
    margins: [],
    problems,
  };
}

/** @returns a sentence where the page cannot be read. */
async function readPage(file: PdfFile, number: number): Promise<{ page: Page; blocks: Block[] } | string> {
  try {
    return await file.page(number, (page) => {
      const content = readContent(page);
      return { page: pageOf(page, file.labels?.[number - 1] ?? null, content), blocks: blocksOf(content) };
    });
  } catch (error) {
    return `page ${number} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function pageOf(page: PdfPage, label: string | null, content: PageContent): Page {
  const { number, width, height } = page;
  const rotation = page.rotation as Page['rotation'];
  const isScan = content.glyphs.length === 0 && (content.images.length > 0 || content.curveCount > 0);
  return { number, label, width, height, rotation, isScan };
}

function blocksOf({ number, width, height, glyphs }: PageContent): Block[] {
  return segmentsOf(wordsOf(glyphs, 0, width, height)).map((segment) => {
    const builder = new PlacedTextBuilder();
    for (const word of segment.words) {
      if (builder.length > 0) builder.gap(' ');
      builder.word(word.text, number, boxOf({ ...segment, left: word.left, right: word.right }));
    }
    return { kind: 'paragraph', page: number, ...builder.build() };
  });
}
