/**
 * Headers and footers: lines at a page's edge that other pages have at the same place, numbers aside. After X. Lin,
 * "Header and footer extraction by page association", 2003: pages near each other vouch for a line.
 */
import { lineWords } from '../../../language/texts/lines.ts';
import { isPeriodLine, isUnitLine } from './tables/about-table.ts';
import { type RawLine, type RawPage, textOf } from './raw-page.ts';

export interface MarginLines {
  readonly headers: ReadonlySet<RawLine>;
  readonly footers: ReadonlySet<RawLine>;
}

/** Share of the page's height in which headers, or footers, stand. */
const ZONE = 0.14;
/** Lines from the edge inwards. */
const LINES_MAX = 5;
const SAME_PLACE = 6;
/** Pages before and after that vouch; facing pages differ, so two of them must. */
const NEAR_PAGES = 6;

interface Candidate {
  readonly line: RawLine;
  readonly key: string;
  /** From its edge of the page. */
  readonly distance: number;
}

interface Edges {
  readonly headers: readonly Candidate[];
  readonly footers: readonly Candidate[];
}

export function marginsOf(pages: readonly RawPage[]): MarginLines {
  const edges = pages.map(edgesOf);
  const headers = new Set<RawLine>();
  const footers = new Set<RawLine>();
  for (const [index, edge] of edges.entries()) {
    const others = edges.filter((_, other) => other !== index && Math.abs(other - index) <= NEAR_PAGES);
    take(
      edge.headers,
      others.map((other) => other.headers),
      headers,
    );
    take(
      edge.footers,
      others.map((other) => other.footers),
      footers,
    );
  }
  for (const line of pages.flatMap(blankNotes)) footers.add(line);
  for (const { line, isFirst } of countedNumbers(pages)) {
    if (!headers.has(line)) (isFirst ? headers : footers).add(line);
  }
  return { headers, footers };
}

const linesOf = ({ elements }: RawPage): RawLine[] =>
  elements
    .filter((element): element is RawLine => element.kind === 'line')
    .sort((a, b) => a.baseline - b.baseline);

const BLANK =
  /\b(?:intentionally|deliberately) (?:left )?blank\b|\b(?:absichtlich|bewusst) (?:leer|frei)|laissée (?:intentionnellement )?(?:en )?blanc|intencionalmente en blanco/i;
const BLANK_LINES_MAX = 6;

/** Notes of a page that says nothing else. */
function blankNotes(page: RawPage): RawLine[] {
  const lines = linesOf(page);
  return lines.length > BLANK_LINES_MAX ? [] : lines.filter((line) => BLANK.test(textOf(line)));
}

interface PageNumber {
  readonly line: RawLine;
  readonly isFirst: boolean;
  /** Its number less the page's place in the file. */
  readonly shift: number;
}

/** Numbers above or below all else that count with the pages, wherever they stand. */
function countedNumbers(pages: readonly RawPage[]): PageNumber[] {
  const found = pages.flatMap((page): PageNumber[] => {
    const lines = linesOf(page);
    return lines.flatMap((line, index) => {
      const isFirst = index < 2;
      const number = /^\D{0,4}(\d{1,4})\D{0,4}$/.exec(textOf(line))?.[1];
      if (number === undefined || (!isFirst && index < lines.length - 3)) return [];
      return [{ line, isFirst, shift: Number(number) - page.page.number }];
    });
  });
  const counts = new Map<number, number>();
  for (const { shift } of found) counts.set(shift, (counts.get(shift) ?? 0) + 1);
  return found.filter(({ shift }) => (counts.get(shift) ?? 0) >= 3);
}

function edgesOf(page: RawPage): Edges {
  const { height } = page;
  const sorted = linesOf(page);
  const candidate = (line: RawLine, distance: number): Candidate => ({ line, key: keyOf(line), distance });
  return {
    headers: sorted
      .filter(({ baseline }) => baseline < ZONE * height)
      .slice(0, LINES_MAX)
      .map((line) => candidate(line, line.baseline)),
    footers: sorted
      .filter(({ baseline }) => baseline > (1 - ZONE) * height)
      .slice(-LINES_MAX)
      .reverse()
      .map((line) => candidate(line, height - line.baseline)),
  };
}

/** Numbers of pages, sections and dates differ from page to page. */
function keyOf(line: RawLine): string {
  const text = textOf(line).toLowerCase();
  return isPageNumber(text) ? '#' : text.replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ');
}

const PAGE = lineWords((words) => words.pages);
const OF_PAGES = lineWords((words) => words.ofPages);
const PAGE_NUMBER = new RegExp(
  `^[-–—\\s(]*(?:${PAGE}\\s*)?(?:[a-z]{0,3}[-–—.]?)?(?:\\d{1,4}|[ivxlcdm]{1,7})(?:\\s*(?:/|${OF_PAGES})\\s*\\d{1,4})?[-–—\\s)]*$`,
  'iu',
);

const isPageNumber = (text: string): boolean => PAGE_NUMBER.test(text);

/** From the edge inwards: what stands behind a line that is none is none either. */
function take(
  own: readonly Candidate[],
  others: readonly (readonly Candidate[])[],
  into: Set<RawLine>,
): void {
  const needed = others.length >= 4 ? 2 : 1;
  let misses = 0;
  for (const { line, key, distance } of own) {
    const vouched = others.filter((lines) =>
      lines.some((other) => other.key === key && Math.abs(other.distance - distance) < SAME_PLACE),
    ).length;
    // Statements that follow each other all say so above their tables.
    const isAboutTable = isUnitLine(textOf(line)) || isPeriodLine(textOf(line));
    if (vouched >= needed && !isAboutTable) into.add(line);
    else if (++misses > 1) return;
  }
}
