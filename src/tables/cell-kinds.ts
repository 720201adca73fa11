/** The kind of thing that each cell of a table shows by itself: a number, a place without one, a time, words. */
import { takeApart, type WrittenCell } from '../language/numbers/cell-number.ts';
import { currencyAtEdge, endingOf } from '../language/numbers/number-words.ts';
import { ANY_LANGUAGE, type LanguageOf } from '../language/questions/words.ts';
import { isPeriodOnly, periodIn } from './period-text.ts';
import { isUnitOnly } from './units.ts';
import type { GridCell } from './table.ts';

export interface ReadCell {
  readonly cell: GridCell;
  readonly written: WrittenCell;
  /** A time and nothing else. */
  readonly isTime: boolean;
}

/** `September 30,`, `Three months ended`: a time whose year stands elsewhere. */
const isPartOfTime = ({ cell: { text } }: Pick<ReadCell, 'cell'>): boolean =>
  text.length < TIME_CHARACTERS_MAX &&
  /\p{L}/u.test(text) &&
  isPeriodOnly(`${text} ${ANY_YEAR}`) &&
  periodIn(`${text} ${ANY_YEAR}`)?.text !== ANY_YEAR;

const ANY_YEAR = '2000';

/** The unit beside a time: `€m` of `2019 €m`; null where it is anything else. */
export function unitBesideTime(text: string): string | null {
  const [, time = '', unit = ''] = TIME_AND_UNIT.exec(text) ?? [];
  return time !== '' && isTimeOf(time) && isUnitOnly(unit) ? unit : null;
}

const TIME_AND_UNIT = /^(.{0,60}?(?:19|20)\d{2})[\s,]+(\D[^\n]{0,40})$/u;

/** Longer texts are sentences. */
const TIME_CHARACTERS_MAX = 80;
const YEAR = /^(?:19|20)\d{2}$/;

export function readCell(cell: GridCell, language: LanguageOf): ReadCell {
  const { text, value } = cell;
  if (value !== undefined) return { cell, written: givenNumber(text, value), isTime: isTimeOf(text) };
  const isTime = isTimeOf(text);
  const isNumber = !isTime || YEAR.test(text);
  return { cell, written: isNumber ? takeApart(text, language) : { kind: 'text' }, isTime };
}

const isTimeOf = (text: string): boolean => text.length < TIME_CHARACTERS_MAX && isPeriodOnly(text);

/** The file holds the number; its text shows what it is of. What one of it is worth is in it already. */
function givenNumber(text: string, value: string | null): WrittenCell {
  if (value === null) return { kind: 'text' };
  const plain = text.replace(/^\((.*)\)$/s, '$1').trim();
  const found = currencyAtEdge(plain, 'first') ?? currencyAtEdge(plain, 'last');
  const ending = endingOf(plain, ANY_LANGUAGE, false);
  return {
    kind: 'number',
    shape: { kind: 'plain', value: value.replace(/^-/, ''), decimalMark: null, tells: 'nothing' },
    isNegative: value.startsWith('-'),
    currency: found?.currency ?? null,
    unit: ending?.unit ?? null,
    power: ending?.unit === '%' ? 0 : null,
  };
}

/** A place for a number, with or without one. */
export const isQuantity = ({ written }: ReadCell): boolean => written.kind !== 'text';

/** A time as headers have it: whole, without its year, beside a unit. */
export const isOfTime = (one: ReadCell): boolean =>
  one.isTime || isPartOfTime(one) || unitBesideTime(one.cell.text) !== null;
