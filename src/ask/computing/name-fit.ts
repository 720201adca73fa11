/** How well a cell's names fit a subject: by terms, each counted where it stands. */
import { wordsPattern } from '../../language/questions/words.ts';
import { WEIGHTS } from '../weights.ts';
import type { Cell, Row } from '../cells/row.ts';
import type { Passage } from '../passage.ts';
import { type Found, QUALIFIERS } from './found-cells.ts';

export const shares = (name: ReadonlySet<string>, column: ReadonlySet<string>): boolean =>
  [...column].some((term) => name.has(term));

interface InTable {
  readonly passage: Passage;
  readonly row: Row;
  readonly cell: Cell;
}

/** Fit of the name that fits best; the subject's own counts a little more than others. */
export function fitOf(found: Found, names: readonly ReadonlySet<string>[]): number {
  const fits = names.map((name, i) => nameFit(found, name) - (i === 0 ? 0 : WEIGHTS.otherName));
  return Math.max(0, ...fits) + WEIGHTS.operandStrength * found.passage.strength;
}

export const withoutStrength = (fit: number, { passage }: Found): number =>
  fit - WEIGHTS.operandStrength * passage.strength;

/** Share of the wanted terms that its names hold, and of its row's name that is wanted. */
function nameFit(found: Found, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  const { label, column, section, around, qualifiers, whole } = found;
  const isOfWhole = isWhollyNamed(found, wanted);
  const heldBy = (term: string): number => {
    if (label.has(term) || qualifiers.includes(term)) return 1;
    if (column.has(term) || (isOfWhole && whole.has(term))) return WEIGHTS.operandColumn;
    return around.has(term) ? WEIGHTS.operandAround : 0;
  };
  const recall = wanted.values().reduce((held, term) => held + heldBy(term), 0) / wanted.size;
  const own = [...label].filter(isWord);
  const known = own.filter((term) => wanted.has(term)).length;
  const precision = own.length === 0 ? WEIGHTS.nameless : known / own.length;
  const sectioned =
    section.size === 0 ? 0 : [...section].filter((term) => wanted.has(term)).length / section.size;
  const isOther = [...own, ...qualifiers].some((term) => QUALIFIERS.has(term) && !wanted.has(term));
  const fit = recall * (1 - WEIGHTS.operandPrecision * (1 - precision));
  return (isOther ? WEIGHTS.otherLine : 1) * fit + WEIGHTS.operandSection * sectioned;
}

const isWord = (term: string): boolean => !/^\d+$/.test(term);

/** It is called by all of its own name: words of the sum that it is a part of may be said beside. */
export function isWhollyNamed({ label }: Found, wanted: ReadonlySet<string>): boolean {
  const own = [...label].filter(isWord);
  return own.length > 0 && own.every((term) => wanted.has(term));
}

export function nearness({ passage, row, cell }: Found, beside: InTable | null): number {
  if (beside === null) return 0;
  let near = 0;
  if (passage === beside.passage) near += WEIGHTS.nearPassage;
  if (row.label === beside.row.label && row.section === beside.row.section) near += WEIGHTS.nearRow;
  if (cell.amount?.isPercent !== beside.cell.amount?.isPercent) near -= WEIGHTS.otherUnit;
  if (sameColumn(cell.column, beside.cell.column)) near += WEIGHTS.nearColumn;
  return near;
}

export const withoutYears = (text: string): string => text.replace(/\d+|\W+/g, '').toLowerCase();

/** But for the period, and for what stands once above several columns. */
export const sameColumn = (a: string, b: string): boolean => {
  const [one, other] = [withoutPeriod(a), withoutPeriod(b)];
  return one === other || one.endsWith(other) || other.endsWith(one);
};

const OF_PERIOD = wordsPattern(
  ({ months, years, ended, weeks, restated }) => [
    ...months.flatMap((month) => month.split('|')),
    ...years,
    ...ended,
    ...weeks,
    ...restated,
  ],
  'giu',
);

const withoutPeriod = (column: string): string =>
  column
    .replace(OF_PERIOD, '')
    .replace(/\d+|[^\p{L}]+/gu, '')
    .toLowerCase();
