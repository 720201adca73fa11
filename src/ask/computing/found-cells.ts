/** Cells of tables that a calculation may take its operands from, with the terms that they are called by. */
import { wordsPattern } from '../../language/questions/words.ts';
import type { Cell, Row } from '../cells/row.ts';
import type { Passage } from '../passage.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import type { KnownTables } from './known-tables.ts';

/** A cell with the terms by which it is called. */
export interface Found {
  readonly passage: Passage;
  readonly row: Row;
  readonly cell: Cell;
  readonly label: ReadonlySet<string>;
  readonly column: ReadonlySet<string>;
  /** Stop words of its label that make another line of it: `other`. */
  readonly qualifiers: readonly string[];
  /** Terms of its section, and of what stands above the table. */
  readonly section: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  /** Terms of the sums that its row is a part of. */
  readonly whole: ReadonlySet<string>;
}

export interface CellsOf {
  readonly question: Question;
  readonly reader: Reader;
  readonly tables: KnownTables;
}

/** Cells with a number, and those of which it is in doubt. */
export function cellsOf(
  { passage, rows }: ReadPassage,
  { question, reader, tables }: CellsOf,
): readonly Found[] {
  const terms = (text: string): ReadonlySet<string> => new Set(reader.terms(text, question.language));
  const totals = terms((question.core.match(TOTALS) ?? []).join(' '));
  return rows.flatMap((row) => {
    const section = terms(row.section);
    const names = {
      label: row.label === '' && tables.isSum(passage, row) ? totals.union(section) : labelOf(row, terms),
      qualifiers: plainWords(row.label).filter((word) => QUALIFIERS.has(word)),
      section,
      around: terms(`${row.section} ${row.about} ${passage.heading ?? ''}`),
      whole: terms(tables.wholesOf(passage, row).join(' ')).difference(totals),
    };
    return row.cells.flatMap((cell) =>
      (cell.amount === null && cell.doubt === null) || isYearItself(cell)
        ? []
        : [{ passage, row, cell, ...names, column: terms(cell.column) }],
    );
  });
}

const TOTALS = wordsPattern((pack) => pack.totals, 'giu');

function labelOf({ label }: Row, terms: (text: string) => ReadonlySet<string>): ReadonlySet<string> {
  const stems = terms(label);
  return stems.size > 0 ? stems : new Set(plainWords(label));
}

/** `2029` under `Year of expiration` is a time, and no amount. */
const isYearItself = ({ column, value }: Cell): boolean =>
  /^(?:19|20)\d{2}$/.test(value) && /\b(?:year|expir|matur)/i.test(column);

/** True when a row or a column has one of the terms in its name. */
export const isNamed = (cells: readonly Found[], terms: readonly string[]): boolean =>
  cells.some(({ label, column }) => terms.some((term) => label.has(term) || column.has(term)));

export const plainWords = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Stems of words that make another line of one with the same words; what fit is left to such. */
export const QUALIFIERS: ReadonlySet<string> = new Set(['current', 'noncurr', 'defer', 'accumul', 'other']);
