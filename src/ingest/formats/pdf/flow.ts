/** All pages' elements as blocks: runs of lines become headings, paragraphs, items and notes; tables find captions. */
import { lineWords } from '../../../language/texts/lines.ts';
import type { Block, Image, Margin, PlacedText } from '../../document.ts';
import { withCaptions } from './captions.ts';
import type { Item, Run } from './flow-items.ts';
import { flowText } from './flow-text.ts';
import { footnoteLines, noteMark } from './footnotes.ts';
import { isCut, Vocabulary } from './hyphens.ts';
import { isBullet } from './list-marks.ts';
import { marginsOf } from './margins.ts';
import { itemMark, startsAnew } from './paragraphs.ts';
import { imagesLeftOut } from './page-images.ts';
import {
  type RawElement,
  type RawImage,
  type RawLine,
  type RawPage,
  type RawTable,
  textOf,
} from './raw-page.ts';
import { isHeading, levelsOf, type Styles, stylesOf } from './styles.ts';
import { goesOn, tableBlock } from './table-block.ts';

export interface Flow {
  readonly blocks: Block[];
  readonly margins: Margin[];
  /** Parts that were left out, a sentence each. */
  readonly problems: readonly string[];
}

export function flowOf(pages: readonly RawPage[]): Flow {
  const margins = marginsOf(pages);
  const vocabulary = new Vocabulary();
  const isMargin = (line: RawLine): boolean => margins.headers.has(line) || margins.footers.has(line);
  const all = pages.flatMap(({ elements }) => elements.filter((one): one is RawLine => one.kind === 'line'));
  for (const { texts } of all) vocabulary.add(texts);
  const styles = stylesOf(all.filter((line) => !isMargin(line)));
  const items: Item[] = [];
  const leftOut = imagesLeftOut(pages);
  const images: ReadonlySet<RawElement> = leftOut.images;
  const isLeftOut = (one: RawElement): boolean => (one.kind === 'line' ? isMargin(one) : images.has(one));
  for (const page of pages) addPage(items, page, styles, isLeftOut);
  const kept = withCaptions(items);
  return {
    blocks: blocksOf(kept, vocabulary),
    margins: marginBlocks(all, margins.headers, isMargin, vocabulary),
    problems: leftOut.problems,
  };
}

function marginBlocks(
  all: readonly RawLine[],
  headers: ReadonlySet<RawLine>,
  isMargin: (line: RawLine) => boolean,
  vocabulary: Vocabulary,
): Margin[] {
  return all.filter(isMargin).map((line) => ({
    kind: headers.has(line) ? 'header' : 'footer',
    page: line.page,
    ...flowText([line], vocabulary),
  }));
}

function addPage(
  items: Item[],
  page: RawPage,
  styles: Styles,
  isLeftOut: (one: RawElement) => boolean,
): void {
  const elements = page.elements.filter((one) => !isLeftOut(one));
  const notes = footnoteLines(elements, page.height, styles);
  let lines: RawLine[] = [];
  const end = (): void => {
    for (const run of runsOf(lines, notes, styles)) addRun(items, run, styles);
    lines = [];
  };
  for (const element of elements) {
    if (element.kind === 'line') {
      lines.push(element);
      continue;
    }
    end();
    if (element.kind === 'table') addTable(items, element);
    else items.push({ kind: 'image', image: element, caption: null });
  }
  end();
}

function addTable(items: Item[], table: RawTable): void {
  const last = items.findLast(({ kind }) => kind !== 'note');
  if (last?.kind === 'table' && goesOn(last.pieces.at(-1) as RawTable, table)) last.pieces.push(table);
  else items.push({ kind: 'table', pieces: [table], caption: null, unit: null });
}

function runsOf(lines: readonly RawLine[], notes: ReadonlySet<RawLine>, styles: Styles): Run[] {
  const groups: RawLine[][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const isNote = notes.has(line);
    const isOther = before !== undefined && notes.has(before) !== isNote;
    const isNew =
      group === undefined || isOther || (isNote ? noteMark(line) !== null : startsAnew(group, line, styles));
    if (isNew) groups.push([line]);
    else group.push(line);
  }
  return groups.map((group) => runOf(group, notes, styles));
}

function runOf(lines: RawLine[], notes: ReadonlySet<RawLine>, styles: Styles): Run {
  const first = lines[0] as RawLine;
  if (notes.has(first)) return { kind: 'note', lines, mark: noteMark(first) };
  const isItem = isBullet(first.texts[0] ?? '') && first.texts.length > 1;
  if (!isItem && isHeading(lines, styles)) return { kind: 'heading', lines, mark: null };
  const mark = itemMark(first, null);
  if (mark !== null) return { kind: 'item', lines, mark };
  // A single line is an address as likely as a program.
  const isCode = first.isMonospace && lines.length > 1;
  return { kind: isCode ? 'code' : 'paragraph', lines, mark: null };
}

const ENDS = /[.!?:;]["”’)\]]?$/;
const OPEN = new RegExp(`,$|${lineWords((words) => words.openEnds)}$`, 'u');

/** Adds a run, or goes on with the paragraph that a column's or page's end has cut. */
function addRun(items: Item[], run: Run, styles: Styles): void {
  const last = items.findLast(({ kind }) => kind !== 'note' && kind !== 'image');
  const line = run.lines[0] as RawLine;
  if (run.kind === 'code' && last?.kind === 'code' && last.lines.at(-1)?.page === line.page) {
    last.lines.push(...run.lines);
    return;
  }
  const canGoOn = run.kind === 'paragraph' && (last?.kind === 'paragraph' || last?.kind === 'item');
  if (canGoOn && last !== undefined && 'lines' in last && isSplit(last.lines.at(-1) as RawLine, line))
    last.lines.push(...run.lines);
  else if (run.kind !== 'paragraph' || !goesOnBelow(items, run, styles)) items.push(run);
}

/** Blocks that may be set into a text: a chart with its title and source. */
const INSET_MAX = 10;

/** Goes on with the paragraph right above, past what stands beside it. */
function goesOnBelow(items: readonly Item[], run: Run, styles: Styles): boolean {
  const line = run.lines[0] as RawLine;
  const above = items
    .slice(-INSET_MAX, -1)
    .find(
      (item) => (item.kind === 'paragraph' || item.kind === 'item') && !startsAnew(item.lines, line, styles),
    );
  if (above === undefined || !('lines' in above)) return false;
  above.lines.push(...run.lines);
  return true;
}

/** Two pieces of one paragraph stand in different columns or on pages that follow each other. */
function isSplit(before: RawLine, line: RawLine): boolean {
  const isElsewhere =
    line.page === before.page + 1 || (line.page === before.page && line.baseline < before.baseline);
  if (!isElsewhere || Math.abs(before.size - line.size) > 0.1 * line.size || before.isBold !== line.isBold)
    return false;
  const text = textOf(before);
  const starts = line.texts[0] ?? '';
  if (isCut(text)) return /^\p{L}/u.test(starts);
  if (ENDS.test(text)) return false;
  return /^["“(]?\p{Ll}/u.test(starts) || OPEN.test(text);
}

function blocksOf(items: readonly Item[], vocabulary: Vocabulary): Block[] {
  const headings = items.filter((item): item is Run => item.kind === 'heading');
  const ofHeadings = levelsOf(headings.map(({ lines }) => lines));
  const levels = new Map(headings.map((run, index) => [run, ofHeadings[index] ?? 1]));
  const marginLefts = leftsOfItems(items);
  const textOfRun = (run: Run | null): PlacedText | null =>
    run === null ? null : flowText(run.lines, vocabulary);
  return items.map((item): Block => {
    if (item.kind === 'table') {
      const about = { caption: textOfRun(item.caption), unit: textOfRun(item.unit) };
      return tableBlock(item.pieces, about, vocabulary);
    }
    if (item.kind === 'image') return imageBlock(item.image, textOfRun(item.caption), vocabulary);
    const first = item.lines[0] as RawLine;
    const { page } = first;
    if (item.kind === 'code')
      return { kind: 'code', page, language: null, ...flowText(item.lines, vocabulary, { between: '\n' }) };
    const placed = flowText(item.lines, vocabulary, { skip: item.mark === null ? 0 : 1 });
    if (item.kind === 'note') return { kind: 'footnote', page, marker: item.mark ?? '', ...placed };
    if (item.kind === 'item') {
      return {
        kind: 'list_item',
        page,
        level: levelOf(marginLefts, first.left),
        marker: item.mark ?? '',
        ...placed,
      };
    }
    if (item.kind === 'paragraph') return { kind: 'paragraph', page, ...placed };
    return { kind: 'heading', page, level: levels.get(item) ?? 1, ...placed };
  });
}

const imageBlock = (image: RawImage, caption: PlacedText | null, vocabulary: Vocabulary): Image => ({
  kind: 'image',
  page: image.page,
  ...flowText(image.lines, vocabulary, { between: '\n' }),
  caption,
  area: { page: image.page, box: image.box },
  source: null,
});

/** Left edges at which a document's items begin, ascending, each at least a letter from the next. */
function leftsOfItems(items: readonly Item[]): number[] {
  const lefts = items.flatMap((item) => (item.kind === 'item' ? [(item.lines[0] as RawLine).left] : []));
  const found: number[] = [];
  for (const left of lefts.sort((a, b) => a - b)) {
    if (found.length === 0 || left - (found.at(-1) as number) > 8) found.push(left);
  }
  return found;
}

const levelOf = (lefts: readonly number[], left: number): number =>
  Math.min(5, Math.max(0, lefts.filter((one) => one <= left + 1).length - 1));
