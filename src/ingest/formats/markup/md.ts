/** Markdown with GitHub's tables, by marked: read as the HTML that it stands for. */
import { marked } from 'marked';
import type { Document } from '../../document.ts';
import type { ParseRequest } from '../format.ts';
import { decodeText } from '../text-encoding.ts';
import { firstHeading, unpagedDocument } from '../unpaged.ts';
import { htmlContent } from './html-blocks.ts';

/** Lines `name: value` between two `---` at the top. */
const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;

export async function parseMarkdown({ bytes }: ParseRequest): Promise<Document> {
  const text = decodeText(bytes);
  const front = FRONT_MATTER.exec(text);
  const body = front === null ? text : text.slice(front[0].length);
  const { blocks } = htmlContent(marked.parse(body, { async: false, gfm: true }));
  const metadata = frontMatter(front?.[1] ?? '');
  return unpagedDocument({ format: 'md', title: metadata.title ?? firstHeading(blocks), metadata, blocks });
}

function frontMatter(text: string): Readonly<Record<string, string>> {
  const fields = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([\w-]+)\s*:\s*(.+)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.replace(/^["']|["']$/g, '')]];
  });
  return Object.fromEntries(fields);
}
