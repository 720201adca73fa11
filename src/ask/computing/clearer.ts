/** Which of two cells that are called alike and differ is meant: by what the question says of one alone. */
import { wordsPattern } from '../../language/questions/words.ts';
import { grammarNamed } from '../question/grammar.ts';
import type { Question } from '../question.ts';
import { plainWords } from './found-cells.ts';
import type { Operand } from './operands.ts';
import { isMoney, saysMoney, saysShare } from './units.ts';

export interface Asked {
  readonly question: Question;
  readonly subject: string;
  /** The other operand of the formula, where it is known. */
  readonly beside: Operand | null;
}

/** Null where nothing tells: then either may be meant. */
export function clearerOf(one: Operand, other: Operand, asked: Asked): Operand | null {
  for (const told of WAYS) {
    const [first, second] = [told(one, other, asked), told(other, one, asked)];
    if (first !== second) return first ? one : other;
  }
  return null;
}

/** True when the first is rather meant than the second. */
type Way = (one: Operand, other: Operand, asked: Asked) => boolean;

const WAYS: readonly Way[] = [
  // `owed by members` beside `owed to members`
  ({ row }, other, { subject }) =>
    row.label !== other.row.label &&
    isSaidWhole(row.label, subject) &&
    !isSaidWhole(other.row.label, subject),
  ({ cell }, other, asked) => isSaidOf(cell.column, other.cell.column, asked),
  ({ row }, other, asked) => isSaidOf(row.section, other.row.section, asked),
  ({ row, passage }, _, { beside }) =>
    beside?.passage === passage && beside.row.table === row.table && beside.row.section === row.section,
  ({ row, cell }, other) =>
    isOfOneTable(row, other.row) &&
    (row.index === other.row.index ? TOTALS.test(cell.column) : row.section === ''),
  (one, other, asked) => isOfEnd(one, other, asked),
  ({ cell }, _, { subject }) => cell.amount?.isPercent === saysShare(subject),
  ({ cell }, _, { question }) => saysMoney(question.core) && isMoney(cell.amount),
];

const TOTALS = wordsPattern((pack) => pack.totals);

const isOfOneTable = (a: Operand['row'], b: Operand['row']): boolean => a.table === b.table;

/** Word for word, prepositions too. */
const isSaidWhole = (label: string, subject: string): boolean => {
  const words = plainWords(label);
  return words.length > 1 && ` ${plainWords(subject).join(' ')} `.includes(` ${words.join(' ')} `);
};

/** The question says a word of the first name that the second lacks, and none of the second that the first lacks. */
function isSaidOf(name: string, other: string, { question }: Asked): boolean {
  const said = new Set(plainWords(question.core));
  const [own, others] = [tellingWords(name, question), tellingWords(other, question)];
  const isSaid = (words: ReadonlySet<string>, beside: ReadonlySet<string>): boolean =>
    words
      .difference(beside)
      .values()
      .some((word) => said.has(word));
  return isSaid(own, others) && !isSaid(others, own);
}

const SMALL_TAGS = ['article', 'in', 'of', 'and', 'to', 'at time', 'year', 'period', 'month', 'be'] as const;

function tellingWords(name: string, { pack }: Question): ReadonlySet<string> {
  const grammar = pack === null ? null : grammarNamed(pack);
  const small = new Set(SMALL_TAGS.flatMap((tag) => grammar?.words(tag) ?? []));
  return new Set(plainWords(name).filter((word) => !small.has(word)));
}

/** True for what stands at the end of a time beside what stands at its begin, unless the question says its begin. */
function isOfEnd(one: Operand, other: Operand, { question }: Asked): boolean {
  const names = ({ row, cell }: Operand): string => `${row.label} ${cell.column}`;
  const [ends, begins] = [ENDS.test(names(one)), BEGINS.test(names(other))];
  return (
    ends && begins && !BEGINS.test(names(one)) && !ENDS.test(names(other)) && !BEGINS.test(question.core)
  );
}

const ENDS = wordsPattern((pack) => pack.atEnd);
const BEGINS = wordsPattern((pack) => pack.atBegin);
