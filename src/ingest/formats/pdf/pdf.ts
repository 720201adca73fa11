/** A PDF as a document: page by page from glyphs to lines, then over all pages to blocks. */
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { type PageContent, readContent } from './content.ts';
import { flowOf } from './flow.ts';
import { frameOf } from './frame.ts';
import { openPdf, type PdfFile, type PdfPage } from './pdfjs.ts';
import { type RawPage, rawPage } from './raw-page.ts';

export async function parsePdf(request: ParseRequest): Promise<Document> {
  await using file = await openPdf(request.bytes, request.password, 'boxes');
  const { pagesMax } = request.limits;
  if (file.pageCount > pagesMax) {
    throw new DocumentError(
      'limit_exceeded',
      `the PDF has ${file.pageCount} pages; at most ${pagesMax} are accepted`,
    );
  }
  const pages: RawPage[] = [];
  const problems: string[] = [];
  for (let number = 1; number <= file.pageCount; number++) {
    if (request.signal?.aborted) throw new DocumentError('time_exceeded', `time was up at page ${number}`);
    const read = await readPage(file, number);
    if (typeof read === 'string') problems.push(read);
    else pages.push(read);
    request.onProgress?.(number, file.pageCount);
  }
  const { blocks, margins } = flowOf(pages);
  return {
    format: 'pdf',
    title: titleOf(file.properties.title, blocks),
    metadata: file.properties,
    languages: file.language === null ? [] : [file.language],
    pages: pages.map(({ page }) => page),
    blocks,
    margins,
    problems,
  };
}

/** @returns a sentence where the page cannot be read. */
async function readPage(file: PdfFile, number: number): Promise<RawPage | string> {
  try {
    return await file.page(number, (page) => {
      const content = readContent(page);
      return rawPage(pageOf(page, file.labels?.[number - 1] ?? null, content), frameOf(content));
    });
  } catch (error) {
    return `page ${number} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function pageOf(page: PdfPage, label: string | null, content: PageContent): Page {
  const { number, width, height } = page;
  const rotation = page.rotation as Page['rotation'];
  return { number, label, width, height, rotation, isScan: isScan(content) };
}

/** A stamp or a page's number beside an image of the whole page does not make it a text. */
const STAMP_GLYPHS_MAX = 60;

function isScan({ width, height, glyphs, images, curves }: PageContent): boolean {
  if (glyphs.length === 0) return images.length > 0 || curves.length > 0;
  const covered = images.map(([left, top, right, bottom]) => (right - left) * (bottom - top));
  return glyphs.length < STAMP_GLYPHS_MAX && Math.max(0, ...covered) > 0.5 * width * height;
}

/** Names that programs give on their own. */
const NO_TITLE =
  /^(?:microsoft (?:word|powerpoint|excel) - |untitled|document\d*$|slide \d+$)|\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|html?)$/i;

function titleOf(property: string | undefined, blocks: readonly Block[]): string | null {
  if (property !== undefined && !NO_TITLE.test(property) && /\p{L}{3}/u.test(property)) return property;
  const headings = blocks.filter((block) => block.kind === 'heading' && block.page <= 2);
  const best = headings.sort((a, b) => levelOf(a) - levelOf(b))[0];
  return best?.text ?? null;
}

const levelOf = (block: Block): number => (block.kind === 'heading' ? block.level : Infinity);
