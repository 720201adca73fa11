/** Presentations: a slide is a page; its title a heading, then its text, tables and notes. */
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { type GivenCell, tableOf } from '../table.ts';
import { heading, paragraph, unpagedDocument } from '../unpaged.ts';
import { Archive } from './archive.ts';
import { chartBlocks } from './chart.ts';
import { officeProperties } from './properties.ts';
import { relationships } from './relationships.ts';
import { descendants, element, elements, parseXml, type XmlElement, xmlText } from './xml.ts';

const PRESENTATION = 'ppt/presentation.xml';
const EMU_A_POINT = 12_700;
const TITLES: ReadonlySet<string> = new Set(['title', 'ctrTitle']);
/** Placeholders that the layout repeats on every slide. */
const REPEATED: ReadonlySet<string> = new Set(['dt', 'ftr', 'sldNum', 'hdr']);

export async function parsePptx({ bytes, limits, onProgress }: ParseRequest): Promise<Document> {
  using archive = await Archive.open(bytes);
  const slides = await slideParts(archive);
  if (slides.length === 0) throw new DocumentError('no_pages', 'the presentation has no slide');
  if (slides.length > limits.pagesMax) {
    throw new DocumentError('limit_exceeded', `the presentation has more than ${limits.pagesMax} slides`);
  }
  const size = await slideSize(archive);
  const metadata = await officeProperties(archive);
  const pages: Page[] = [];
  const blocks: Block[] = [];
  for (const [i, part] of slides.entries()) {
    const number = i + 1;
    const slide = await slideBlocks(archive, part, number);
    const label = slide.find(({ kind }) => kind === 'heading')?.text ?? null;
    pages.push({ number, label, ...size, rotation: 0, isScan: false });
    blocks.push(...slide);
    onProgress?.(number, slides.length);
  }
  return {
    ...unpagedDocument({ format: 'pptx', title: metadata.title ?? pages[0]?.label ?? null, blocks }),
    metadata,
    pages,
  };
}

/** Slides in the order of the presentation, which is not that of their names. */
async function slideParts(archive: Archive): Promise<readonly string[]> {
  const text = await archive.text(PRESENTATION);
  if (text === null) throw new DocumentError('damaged', 'the file is no presentation');
  const targets = new Map((await relationships(archive, PRESENTATION)).map(({ id, target }) => [id, target]));
  const list = element(parseXml(text), 'presentation', 'sldIdLst');
  return (list === undefined ? [] : elements(list, 'sldId')).flatMap(({ attributes }) => {
    const target = targets.get(attributes['r:id'] ?? '');
    return target === undefined ? [] : [target];
  });
}

async function slideSize(archive: Archive): Promise<{ readonly width: number; readonly height: number }> {
  const text = await archive.text(PRESENTATION);
  const { cx, cy } = element(parseXml(text ?? ''), 'presentation', 'sldSz')?.attributes ?? {};
  return { width: Number(cx ?? 9_144_000) / EMU_A_POINT, height: Number(cy ?? 6_858_000) / EMU_A_POINT };
}

async function slideBlocks(archive: Archive, part: string, page: number): Promise<readonly Block[]> {
  const text = await archive.text(part);
  if (text === null) return [];
  const tree = element(parseXml(text), 'sld', 'cSld', 'spTree');
  const related = await relationships(archive, part);
  const targets = new Map(related.map(({ id, target }) => [id, target]));
  const blocks: Block[] = [];
  for (const shape of tree === undefined ? [] : shapes(tree)) {
    const chart = [...descendants(shape, 'chart')][0]?.attributes['r:id'];
    const target = targets.get(chart ?? '');
    blocks.push(
      ...(target === undefined ? shapeBlocks(shape, page) : await chartBlocks(archive, target, page)),
    );
  }
  const notes = related.find(({ type }) => type === 'notesSlide');
  const noted = notes === undefined ? [] : await noteBlocks(archive, notes.target, page);
  // A title stands above what it names, wherever the file has it.
  const titles = blocks.filter(({ kind }) => kind === 'heading');
  return [...titles, ...blocks.filter(({ kind }) => kind !== 'heading'), ...noted];
}

/** Shapes, those of groups too. */
function shapes(parent: XmlElement): readonly XmlElement[] {
  return parent.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.name === 'grpSp' ? shapes(child) : [child];
  });
}

const placeholder = (shape: XmlElement): string | undefined =>
  element(shape, 'nvSpPr', 'nvPr', 'ph')?.attributes.type;

function shapeBlocks(shape: XmlElement, page: number): readonly Block[] {
  if (shape.name === 'graphicFrame') return tableBlocks(shape, page);
  if (shape.name === 'pic') return pictureBlocks(shape, page);
  const kind = placeholder(shape) ?? '';
  if (REPEATED.has(kind)) return [];
  const lines = paragraphs(element(shape, 'txBody'));
  if (TITLES.has(kind)) {
    const title = lines.map(({ text }) => text).join(' ');
    return title === '' ? [] : [heading(1, title, page)];
  }
  return lines.map(({ text, level, isListed }): Block => {
    if (!isListed && kind !== 'body') return paragraph(text, page);
    return { kind: 'list_item', level, marker: '•', text, words: null, page };
  });
}

interface Line {
  readonly text: string;
  readonly level: number;
  readonly isListed: boolean;
}

function paragraphs(body: XmlElement | undefined): readonly Line[] {
  return (body === undefined ? [] : elements(body, 'p')).flatMap((given) => {
    const text = runsText(given).replace(/\s+/g, ' ').trim();
    const properties = element(given, 'pPr');
    const isListed =
      properties !== undefined && ['buChar', 'buAutoNum'].some((name) => element(properties, name));
    return text === '' ? [] : [{ text, level: Number(properties?.attributes.lvl ?? 0), isListed }];
  });
}

/** Runs, fields and line breaks of a paragraph. */
function runsText(given: XmlElement): string {
  return given.children
    .map((child) => {
      if (typeof child === 'string') return '';
      if (child.name === 'br') return ' ';
      return ['r', 'fld'].includes(child.name) ? xmlText(element(child, 't')) : '';
    })
    .join('');
}

function tableBlocks(frame: XmlElement, page: number): readonly Block[] {
  return [...descendants(frame, 'tbl')].flatMap((table) => {
    const rows = elements(table, 'tr').map((row) => elements(row, 'tc').flatMap(givenCell));
    const isNamed = element(table, 'tblPr')?.attributes.firstRow === '1';
    const made = tableOf({ rows, headerRowCount: isNamed ? 1 : 0, caption: null, page });
    return made === null ? [] : [made];
  });
}

/** Cells that a merged one covers are left out, as in HTML. */
function givenCell(cell: XmlElement): readonly GivenCell[] {
  const { gridSpan, rowSpan, hMerge, vMerge } = cell.attributes;
  if (hMerge === '1' || vMerge === '1') return [];
  const text = paragraphs(element(cell, 'txBody'))
    .map((line) => line.text)
    .join(' ');
  return [{ text, rowSpan: Number(rowSpan ?? 1), columnSpan: Number(gridSpan ?? 1) }];
}

/** A picture that is described. */
function pictureBlocks(shape: XmlElement, page: number): readonly Block[] {
  const text = element(shape, 'nvPicPr', 'cNvPr')?.attributes.descr?.trim() ?? '';
  if (text === '') return [];
  const caption = { text, words: null };
  return [{ kind: 'image', text: '', words: null, page, caption, area: null, source: null }];
}

async function noteBlocks(archive: Archive, part: string, page: number): Promise<readonly Block[]> {
  const text = await archive.text(part);
  const tree = text === null ? undefined : element(parseXml(text), 'notes', 'cSld', 'spTree');
  const bodies = tree === undefined ? [] : shapes(tree).filter((shape) => placeholder(shape) === 'body');
  return bodies.flatMap((shape) =>
    paragraphs(element(shape, 'txBody')).map((line) => paragraph(line.text, page)),
  );
}
