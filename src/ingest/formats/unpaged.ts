/** Documents of formats without pages. */
import type { Block, Document } from '../document.ts';

type Given = Pick<Document, 'format' | 'blocks'> & Partial<Omit<Document, 'format' | 'blocks'>>;

export const unpagedDocument = (given: Given): Document => ({
  title: null,
  metadata: {},
  languages: [],
  pages: [],
  margins: [],
  problems: [],
  ...given,
});

export const paragraph = (text: string, page = 0): Block => ({ kind: 'paragraph', text, words: null, page });

export const heading = (level: number, text: string, page = 0): Block => ({
  kind: 'heading',
  level,
  text,
  words: null,
  page,
});

/** The first heading's text. */
export function firstHeading(blocks: readonly Block[]): string | null {
  return blocks.find(({ kind }) => kind === 'heading')?.text ?? null;
}
