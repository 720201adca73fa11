/** Parts of documentation pages that a machine can check: code blocks, links, anchors. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Every page for users, by its path from the root. */
export const PAGES = [
  'README.md',
  ...globSync(['docs/*.md', 'src/clients/*/README.md'], { cwd: ROOT }).toSorted(),
];

export interface Block {
  readonly language: string;
  /** Line of the block's start within the page, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface Link {
  readonly line: number;
  readonly target: string;
}

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The lines of a page outside its code blocks, and the blocks. */
function split(text: string): { readonly prose: readonly string[]; readonly blocks: readonly Block[] } {
  const prose: string[] = [];
  const blocks: Block[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (open !== null && fence !== null) {
      blocks.push({ language: open.language, line: open.line, text: `${open.lines.join('\n')}\n` });
      open = null;
    } else if (open !== null) open.lines.push(line);
    else if (fence !== null) open = { language: (fence[1] as string).trim(), line: index + 2, lines: [] };
    prose.push(open === null && fence === null ? line : '');
  }
  if (open !== null) throw new Error(`the code block of line ${open.line - 1} has no end`);
  return { prose, blocks };
}

export const blocksOf = (text: string): readonly Block[] => split(text).blocks;

export function linksOf(text: string): readonly Link[] {
  return split(text).prose.flatMap((line, index) => {
    const found = line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g);
    return [...found].map(([, target]) => ({ line: index + 1, target: target as string }));
  });
}

/** The anchors that GitHub gives headings: lower case, without punctuation, numbered where they repeat. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of split(text).prose) {
    const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const plain = heading
      .replaceAll(/\]\([^)]*\)/g, '')
      .trim()
      .toLowerCase();
    const base = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
