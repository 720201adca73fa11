/** A PDF as a document: page by page from glyphs to lines, then over all pages to blocks. */
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { type PageContent, readContent } from './content.ts';
import { flowOf } from './flow.ts';
import { frameOf } from './frame.ts';
import { PageOcr } from './drawn/page-ocr.ts';
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
  let number = 1;
  await using ocr = new PageOcr(request, () => request.onProgress?.(number - 1, file.pageCount));
  const pages: RawPage[] = [];
  const problems: string[] = [];
  for (; number <= file.pageCount; number++) {
    if (request.signal?.aborted) throw new DocumentError('time_exceeded', `time was up at page ${number}`);
    const read = await readPage(file, number, ocr);
    if (typeof read === 'string') problems.push(read);
    else pages.push(read);
    request.onProgress?.(number, file.pageCount);
  }
  const { blocks, margins, problems: leftOut } = flowOf(pages);
  return {
    format: 'pdf',
    title: titleOf(file.properties.title, blocks),
    metadata: file.properties,
    languages: file.language === null ? [] : [file.language],
    pages: pages.map(({ page }) => page),
    blocks,
    margins,
    problems: [...problems, ...leftOut],
  };
}

/** @returns a sentence where the page cannot be read. */
async function readPage(file: PdfFile, number: number, ocr: PageOcr): Promise<RawPage | string> {
  try {
    const { page, content } = await file.page(number, (read) => {
      const shown = readContent(read);
      return { page: pageOf(read, file.labels?.[number - 1] ?? null, shown), content: shown };
    });
    const seen = page.isScan ? await ocr.frame(content) : null;
    const raw = rawPage(page, seen ?? frameOf(content));
    return seen === null ? await ocr.withImageTexts(raw) : raw;
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
  if (Math.max(0, ...covered) < 0.5 * width * height) return false;
  const shown = glyphs.filter(({ isHidden }) => !isHidden);
  return shown.length < STAMP_GLYPHS_MAX && (glyphs.length < STAMP_GLYPHS_MAX || !isLanguage(glyphs));
}

/** Half of its words at least look like words or numbers: a layer of text that someone's OCR has left is of use. */
function isLanguage(glyphs: PageContent['glyphs']): boolean {
  const words =
    glyphs
      .map(({ text }) => text || ' ')
      .join('')
      .match(/\S+/g) ?? [];
  const good = words.filter((word) =>
    /^["“(]*(?:\p{L}{2,}|[ivxaIAO]|[$€£]?\d[\d.,:/%-]*)(?:[-’']\p{L}+)*[.,;:!?”")]*$/u.test(word),
  );
  return 2 * good.length >= words.length;
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
