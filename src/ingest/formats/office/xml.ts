/** XML as a tree, or tag by tag, by saxes: names without prefixes, no document types, nothing fetched. */
import { SaxesParser } from 'saxes';
import { DocumentError } from '../../document-error.ts';

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

const DEPTH_MAX = 500;

/** Hears of tags in their order; names are without prefixes, those of attributes as written. */
export interface XmlReader {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(value: string): void;
}

/** @throws DocumentError for what is not well formed, or has a document type. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  const parser = parserFor({
    open(name, attributes) {
      const element: XmlElement = { name, attributes: localNames(attributes), children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    close() {
      open.pop();
    },
    text(value) {
      open.at(-1)?.children.push(value);
    },
  });
  parser.write(text).close();
  return root;
}

/** As `parseXml`, of a text in pieces of which none is kept. */
export async function readXml(pieces: AsyncIterable<string>, reader: XmlReader): Promise<void> {
  const parser = parserFor(reader);
  for await (const piece of pieces) parser.write(piece);
  parser.close();
}

function parserFor(reader: XmlReader): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  const wrong = (message: string): never => {
    throw new DocumentError('damaged', `a part of the file is damaged: ${message}`);
  };
  parser.on('error', (error) => wrong(error.message));
  parser.on('doctype', () => wrong('it declares a document type'));
  parser.on('opentag', ({ name, attributes }) => {
    if (depth++ >= DEPTH_MAX) wrong('it is nested too deep');
    reader.open(local(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth--;
    reader.close(local(name));
  });
  parser.on('text', (value) => reader.text(value));
  return parser;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** `r:id` keeps its prefix: `id` is another attribute. */
function localNames(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !name.startsWith('xmlns')));
}

const isElement = (child: XmlElement | string): child is XmlElement => typeof child !== 'string';

/** Children of a name, in order. */
export const elements = (parent: XmlElement, name: string): readonly XmlElement[] =>
  parent.children.filter(isElement).filter((child) => child.name === name);

export const element = (parent: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>((at, name) => at && elements(at, name)[0], parent);

/** All below of a name, in order of the text. */
export function* descendants(parent: XmlElement, name: string): Generator<XmlElement> {
  for (const child of parent.children) {
    if (!isElement(child)) continue;
    if (child.name === name) yield child;
    else yield* descendants(child, name);
  }
}

/** All text below. */
export function xmlText(parent: XmlElement | undefined): string {
  if (parent === undefined) return '';
  return parent.children.map((child) => (isElement(child) ? xmlText(child) : child)).join('');
}
