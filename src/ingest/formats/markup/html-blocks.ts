/** HTML as blocks: what a browser would show, without navigation, scripts and styles. */
import type { Block } from '../../document.ts';
import { heading, paragraph } from '../unpaged.ts';
import { htmlTable } from './html-table.ts';
import {
  attribute,
  childrenOf,
  type Element,
  isElement,
  type Node,
  oneLine,
  parseTree,
  SKIPPED,
  textOf,
} from './html-tree.ts';

export interface HtmlContent {
  readonly title: string | null;
  /** `<meta name>`: author, description, keywords. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly language: string | null;
  readonly blocks: readonly Block[];
}

/** Elements whose text runs on in the same line. */
const INLINE: ReadonlySet<string> = new Set(
  (
    'a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q ruby rb rt s samp small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
);
const META_NAMES: ReadonlySet<string> = new Set(['author', 'description', 'keywords']);
/** Deeper trees are read as the text they hold. */
const DEPTH_MAX = 500;

export function htmlContent(html: string): HtmlContent {
  const document = parseTree(html);
  const reader = new BlockReader();
  reader.read(document, 0);
  const elements = headElements(document);
  const metadata = elements.flatMap((element) => {
    const name = attribute(element, 'name')?.toLowerCase() ?? '';
    const content = attribute(element, 'content')?.trim() ?? '';
    return element.tagName === 'meta' && META_NAMES.has(name) && content !== '' ? [[name, content]] : [];
  });
  const title = elements.find(({ tagName }) => tagName === 'title');
  return {
    title: title === undefined ? null : oneLine(textOf(title)) || null,
    metadata: Object.fromEntries(metadata),
    language: languageOf(document),
    blocks: reader.finish(),
  };
}

function headElements(document: Node): readonly Element[] {
  const html = childrenOf(document).find((child) => child.nodeName === 'html');
  const head = html && childrenOf(html).find((child) => child.nodeName === 'head');
  return head === undefined ? [] : childrenOf(head).filter(isElement);
}

function languageOf(document: Node): string | null {
  const html = childrenOf(document).find((child) => child.nodeName === 'html');
  return html !== undefined && isElement(html) ? attribute(html, 'lang') || null : null;
}

function isHidden(element: Element): boolean {
  const style = attribute(element, 'style') ?? '';
  return attribute(element, 'hidden') !== undefined || /display\s*:\s*none/i.test(style);
}

class BlockReader {
  readonly #blocks: Block[] = [];
  /** Text of the line that goes on. */
  #line = '';
  #lists: { readonly ordered: boolean; count: number }[] = [];

  finish(): readonly Block[] {
    this.#flush();
    return this.#blocks;
  }

  read(node: Node, depth: number): void {
    if ('value' in node && node.nodeName === '#text') {
      this.#line += node.value;
      return;
    }
    if (!isElement(node)) {
      for (const child of childrenOf(node)) this.read(child, depth + 1);
      return;
    }
    if (SKIPPED.has(node.tagName) || isHidden(node)) return;
    if (depth > DEPTH_MAX) this.#line += textOf(node);
    else this.#element(node, depth);
  }

  #element(element: Element, depth: number): void {
    const { tagName } = element;
    if (tagName === 'br') this.#line += '\n';
    else if (INLINE.has(tagName)) this.#children(element, depth);
    else if (/^h[1-6]$/.test(tagName)) this.#block(heading(Number(tagName[1]), oneLine(textOf(element))));
    else if (tagName === 'pre') this.#code(element);
    else if (tagName === 'img') this.#image(element);
    else if (tagName === 'table') this.#table(element, depth);
    else if (tagName === 'ul' || tagName === 'ol') this.#list(element, depth);
    else if (tagName === 'li') this.#item(element, depth);
    else {
      this.#flush();
      this.#children(element, depth);
      this.#flush();
    }
  }

  #children(element: Element, depth: number): void {
    for (const child of childrenOf(element)) this.read(child, depth + 1);
  }

  #code(element: Element): void {
    const text = textOf(element).replace(/^\n|\s+$/g, '');
    const code = childrenOf(element).find((child) => child.nodeName === 'code');
    const names = code !== undefined && isElement(code) ? (attribute(code, 'class') ?? '') : '';
    const language = /language-([\w+#-]+)/.exec(names)?.[1] ?? null;
    this.#block({ kind: 'code', text, language, words: null, page: 0 });
  }

  #image(element: Element): void {
    const text = oneLine(attribute(element, 'alt') ?? '');
    if (text === '') return;
    const caption = { text, words: null };
    this.#block({ kind: 'image', text: '', words: null, page: 0, caption, area: null, source: null });
  }

  /** A table with a table inside, or with one column, only arranges what stands in it. */
  #table(element: Element, depth: number): void {
    const table = htmlTable(element);
    this.#flush();
    if (table !== null) this.#block(table);
    else this.#children(element, depth);
    this.#flush();
  }

  #list(element: Element, depth: number): void {
    this.#flush();
    this.#lists.push({ ordered: element.tagName === 'ol', count: 0 });
    this.#children(element, depth);
    this.#flush();
    this.#lists.pop();
  }

  #item(element: Element, depth: number): void {
    this.#flush();
    const list = this.#lists.at(-1);
    if (list !== undefined) list.count++;
    const marker = list?.ordered === true ? `${list.count}.` : '•';
    const before = this.#blocks.length;
    this.#children(element, depth);
    this.#flush();
    const first = this.#blocks[before];
    if (first?.kind !== 'paragraph') return;
    const level = Math.max(0, this.#lists.length - 1);
    this.#blocks[before] = { ...first, kind: 'list_item', level, marker };
  }

  #block(block: Block): void {
    this.#flush();
    if (block.text !== '' || block.kind === 'image') this.#blocks.push(block);
  }

  #flush(): void {
    const text = this.#line
      .split('\n\n')
      .map(oneLine)
      .filter((line) => line !== '')
      .join('\n');
    this.#line = '';
    if (text !== '') this.#blocks.push(paragraph(text));
  }
}
