/** HTML as a tree, by parse5, and reading it. */
import { type DefaultTreeAdapterMap, parse } from 'parse5';

export type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

/** Elements that a browser does not show as text of the page. */
export const SKIPPED: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'nav',
  'svg',
  'iframe',
  'object',
  'button',
  'select',
  'head',
]);

export const parseTree = (html: string): Node => parse(html);

export const childrenOf = (node: Node): readonly Node[] => ('childNodes' in node ? node.childNodes : []);
export const isElement = (node: Node): node is Element => 'tagName' in node;
export const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((given) => given.name === name)?.value;
/** Without the marks of no width that programs leave at headings. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Elements that begin a line of their own, and so a word. */
const APART: ReadonlySet<string> = new Set([
  'p',
  'div',
  'li',
  'ul',
  'ol',
  'tr',
  'td',
  'th',
  'dt',
  'dd',
  'h1',
  'h2',
  'h3',
]);

/** All text below, in order; without recursion, as trees may be deep. */
export function textOf(node: Node): string {
  const parts: string[] = [];
  const stack: Node[] = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('value' in next && next.nodeName === '#text') parts.push(next.value);
    if (next.nodeName === 'br') parts.push('\n');
    if (APART.has(next.nodeName)) parts.push(' ');
    if (SKIPPED.has(next.nodeName)) continue;
    stack.push(...[...childrenOf(next)].reverse());
  }
  return parts.join('');
}
