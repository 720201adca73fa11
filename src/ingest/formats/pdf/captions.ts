/** Captions, units and periods: taken out of the flow and given to the table or image that they are about. */
import { lineWords } from '../../../language/texts/lines.ts';
import { isCaptionBelow, isPeriodLine, isTableCaption, isUnitLine } from './tables/about-table.ts';
import type { ImageRun, Item, Run, TableRun } from './flow-items.ts';
import { type RawImage, type RawLine, type RawTable, textOf } from './raw-page.ts';

const FIGURE = new RegExp(`^${lineWords((words) => words.figures)}\\s*[\\dA-Z]`, 'iu');
const CAPTION_LINES_MAX = 6;
const CAPTION_DISTANCE = 40;
/** Runs above a table that are looked at. */
const ABOVE_MAX = 4;

export function withCaptions(items: readonly Item[]): Item[] {
  const gone = new Set<Item>();
  for (const [index, item] of items.entries()) {
    if (item.kind === 'table') describeTable(items, index, item, gone);
    else if (item.kind === 'image') describeImage(items, index, item, gone);
  }
  return items.filter((item) => !gone.has(item));
}

const runAt = (items: readonly Item[], index: number, gone: ReadonlySet<Item>): Run | null => {
  const item = items[index];
  const isRun = item !== undefined && 'lines' in item && !gone.has(item);
  return isRun && item.lines.length <= CAPTION_LINES_MAX ? item : null;
};

const textOfRun = (run: Run): string => run.lines.map(textOf).join(' ');

/** From the table upwards: its unit, the time that it is of, its caption or a title in plain letters. */
function describeTable(items: readonly Item[], index: number, table: TableRun, gone: Set<Item>): void {
  const first = table.pieces[0] as RawTable;
  const about: Run[] = [];
  let top = first.top;
  let isPeriodKnown = false;
  let isNamed = false;
  for (let above = index - 1; above >= Math.max(0, index - ABOVE_MAX); above--) {
    const run = runAt(items, above, gone);
    if (run === null || (run.lines[0] as RawLine).page !== first.page) break;
    const text = textOfRun(run);
    const isPeriod: boolean = !isPeriodKnown && isPeriodLine(text);
    const isName: boolean = !isNamed && (isTableCaption(text) || isTitle(run, text, top));
    if (table.unit === null && isUnitLine(text)) table.unit = run;
    else if (isPeriod || isName) about.unshift(run);
    else break;
    isPeriodKnown ||= isPeriod;
    isNamed ||= !isPeriod && isName;
    gone.add(run);
    top = (run.lines[0] as RawLine).top;
  }
  if (about.length > 0) {
    table.caption = { kind: 'paragraph', mark: null, lines: about.flatMap(({ lines }) => lines) };
  } else table.caption = take(runAt(items, index + 1, gone), isCaptionBelow, gone);
}

function take(run: Run | null, test: (text: string) => boolean, gone: Set<Item>): Run | null {
  if (run === null || !test(textOfRun(run))) return null;
  gone.add(run);
  return run;
}

const TITLE_CHARACTERS_MAX = 120;
/** In sizes of the letters. */
const TITLE_DISTANCE_MAX = 3.5;

/** A sentence, or the upper line of a column's name. */
const UNFINISHED = new RegExp(`[.,:;?!\\-–—&]["”’)]*$|${lineWords((words) => words.openEnds)}$`, 'iu');

/** A short paragraph right above the table that is no sentence. */
function isTitle({ kind, lines }: Run, text: string, top: number): boolean {
  if (kind !== 'paragraph' || lines.length > 2 || text.length > TITLE_CHARACTERS_MAX) return false;
  const last = lines.at(-1) as RawLine;
  if (top - last.baseline > TITLE_DISTANCE_MAX * last.size || last.baseline > top + last.size) return false;
  return /^["“(]?[\p{Lu}\d]/u.test(text) && /\p{L}{3}/u.test(text) && !UNFINISHED.test(text);
}

function describeImage(items: readonly Item[], index: number, item: ImageRun, gone: Set<Item>): void {
  const below = besideOf(item.image, runAt(items, index + 1, gone));
  const above = besideOf(item.image, runAt(items, index - 1, gone));
  item.caption = take(below, isFigureCaption, gone) ?? take(above, isFigureCaption, gone);
  if (item.caption === null && below !== null && isLegend(item.image, below)) {
    item.caption = take(below, () => true, gone);
  }
}

const isFigureCaption = (text: string): boolean => FIGURE.test(text) && text.length < 600;

function besideOf(image: RawImage, run: Run | null): Run | null {
  if (run === null) return null;
  const line = run.lines[0] as RawLine;
  if (line.page !== image.page || line.left > image.right || line.right < image.left) return null;
  const isNear = line.top - image.bottom < CAPTION_DISTANCE && image.top - line.baseline < CAPTION_DISTANCE;
  return isNear ? run : null;
}

const LEGEND_CHARACTERS_MAX = 160;
const LEGEND_DISTANCE_MAX = 20;
const LEGEND_OVERHANG_MAX = 20;

/** One or two lines right below, no wider than the image: what a picture in a book shows. */
function isLegend({ left, right, bottom }: RawImage, { kind, lines }: Run): boolean {
  const first = lines[0] as RawLine;
  const isShort = lines.length <= 2 && lines.map(textOf).join(' ').length <= LEGEND_CHARACTERS_MAX;
  const isWithin = lines.every(
    (line) => line.left > left - LEGEND_OVERHANG_MAX && line.right < right + LEGEND_OVERHANG_MAX,
  );
  const distance = first.top - bottom;
  return kind === 'paragraph' && isShort && isWithin && distance > -5 && distance < LEGEND_DISTANCE_MAX;
}
