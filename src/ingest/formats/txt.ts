/** Plain text: paragraphs between empty lines; form feeds are page breaks. */
import type { Block, Document, Page } from '../document.ts';
import type { ParseRequest } from './format.ts';
import { decodeText } from './text-encoding.ts';

/** Letters of paper at 72 points an inch, for pages that have no size of their own. */
const PAGE_SIZE = { width: 612, height: 792 } as const;

export async function parseText({ bytes, limits }: ParseRequest): Promise<Document> {
  const text = decodeText(bytes).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const sheets = text.split('\f');
  const isPaged = sheets.length > 1;
  const blocks = sheets.flatMap((sheet, i) => paragraphsOf(sheet, isPaged ? i + 1 : 0));
  const pages = isPaged ? sheets.slice(0, limits.pagesMax).map((_, i) => pageOf(i + 1)) : [];
  return {
    format: 'txt',
    title: null,
    metadata: {},
    languages: [],
    pages,
    blocks,
    margins: [],
    problems: [],
  };
}

const pageOf = (number: number): Page => ({
  number,
  label: null,
  ...PAGE_SIZE,
  rotation: 0,
  isScan: false,
});

function paragraphsOf(sheet: string, page: number): readonly Block[] {
  return sheet
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((text): Block => ({ kind: 'paragraph', text, words: null, page }));
}
