/**
 * The words by which a line shows how it belongs to others, whatever it is about: that it goes on, or numbers a part, a
 * figure, a page. Data alone, by language; words as in `../questions/language-pack.ts`.
 */
import { wordsSource } from '../questions/words.ts';

interface LineWords {
  /** As `detectLanguage` names it. */
  readonly name: string;
  /** A line that ends with one goes on in the next. */
  readonly openEnds: readonly string[];
  /** Before the number of a part of a document: `Chapter` 3. */
  readonly divisions: readonly string[];
  /** Before the number or letter of a figure, and of a table. */
  readonly figures: readonly string[];
  readonly tables: readonly string[];
  /** Before a page's number, and between it and how many there are. */
  readonly pages: readonly string[];
  readonly ofPages: readonly string[];
  /** In small letters within somebody's name: Bank `of` America. */
  readonly withinNames: readonly string[];
  /** A point after one ends no sentence; written as here. */
  readonly abbreviations: readonly string[];
  /** Nor does one after these and a number. */
  readonly numbered: readonly string[];
  /** In names of files, and in questions that name none. */
  readonly ofFiles: readonly string[];
}

const list = (words: string): readonly string[] => (words === '' ? [] : words.split(' '));

const NONE: Omit<LineWords, 'name'> = {
  openEnds: [],
  divisions: [],
  figures: [],
  tables: [],
  pages: [],
  ofPages: [],
  withinNames: [],
  abbreviations: [],
  numbered: [],
  ofFiles: [],
};

const LINES: readonly LineWords[] = [
  {
    name: 'english',
    openEnds: list('of the a an and or for in to under per by on at with from as that which'),
    divisions: list('item part chapter section note notes article appendix annex schedule'),
    figures: list('figure fig. chart graph image photo map diagram illustration'),
    tables: list('table tab. exhibit schedule'),
    pages: ['page'],
    ofPages: ['of'],
    withinNames: list('and of the for'),
    abbreviations: list('Mr Mrs Ms Dr Prof No Nos Inc Corp Co Ltd vs e.g i.e U.S St approx Fig Sec al cf ca'),
    numbered: list('Table Figure Exhibit Chart'),
    ofFiles: [
      ...list('the of and in for to on at by is was are what how many'),
      ...list('report annual financial statement document file final copy new draft data table page guide'),
      ...list('handbook earnings results quarter year'),
    ],
  },
  {
    ...NONE,
    name: 'german',
    figures: list('abbildung abb.'),
    tables: list('tabelle tab.'),
    ofPages: ['von'],
    withinNames: list('und der von'),
    abbreviations: list('z.B bzw ca'),
  },
  { ...NONE, name: 'french', tables: ['tableau'], ofPages: ['sur'], withinNames: list('et de du des') },
  { ...NONE, name: 'spanish', tables: ['tabla'], ofPages: ['de'], withinNames: list('de y') },
  { ...NONE, name: 'italian', tables: ['tabella'], withinNames: list('di da e') },
  { ...NONE, name: 'portuguese', tables: ['tabela'], ofPages: ['de'], withinNames: list('da do e') },
  { ...NONE, name: 'dutch', withinNames: ['van'] },
];

/** The words that all languages list there. */
export const lineWordsOf = (listed: (words: LineWords) => readonly string[]): readonly string[] =>
  LINES.flatMap(listed);

/** The source of a pattern for them. */
export const lineWords = (listed: (words: LineWords) => readonly string[]): string =>
  wordsSource(lineWordsOf(listed));
