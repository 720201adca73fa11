/** Units of cells, as far as their table says them: no calculation mixes dollars with percentages or counts. */
import type { Cell, Row } from '../cells/row.ts';

type Unit = 'percent' | 'money' | 'count';

interface InTable {
  readonly row: Row;
  readonly cell: Cell;
}

const PERCENT = /%|\bpercent(?:age)?s?\b|\bper cent\b/i;
const MONEY = /\p{Sc}|\b(?:dollars?|euros?|USD|EUR|GBP)\b/iu;
const COUNT = /\bnumbers? of\b|\b(?:employees|headcount|students enrolled|stores)\b/i;

/** Null where nothing says it. */
function unitOf({ row, cell }: InTable): Unit | null {
  if (cell.amount?.isPercent === true || PERCENT.test(`${cell.column} ${row.label}`)) return 'percent';
  if (MONEY.test(`${cell.value} ${cell.column} ${row.label}`)) return 'money';
  return COUNT.test(`${cell.column} ${row.label}`) ? 'count' : null;
}

const ASKS_SHARE = /%|\b(?:percent(?:age)?s?|share|rate|ratio|proportion|margin|growth|change)\b/i;
const ASKS_AMOUNT = /\p{Sc}|\bamounts?\b|\bdollars?\b/iu;

/** False for a percentage where an amount is asked for, and for an amount where a percentage is. */
export function isOfKind(subject: string, found: InTable): boolean {
  const unit = unitOf(found);
  if (unit === 'percent') return !ASKS_AMOUNT.test(subject) || ASKS_SHARE.test(subject);
  return unit !== 'money' || !/^(?:the )?percent(?:age)?\b/i.test(subject.trim());
}

export const scaleOf = (unit: string): string =>
  /thousand|million|billion/i.exec(unit)?.[0].toLowerCase() ?? '';

/** True when all may be of one unit and one scale: a percentage is of none with anything else. */
export function areOfOneUnit(cells: readonly InTable[]): boolean {
  const units = new Set(cells.map(unitOf));
  const scales = new Set(cells.map(({ row }) => scaleOf(row.unit)).filter((scale) => scale !== ''));
  if (units.has('percent')) return units.size === 1;
  units.delete(null);
  return units.size <= 1 && scales.size <= 1;
}
