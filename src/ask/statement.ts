/** Sentences and cells as statements that stand by themselves, each with the words that must be placed for it. */
import { PACKS } from '../language/questions/packs.ts';
import { scaleSource, wordsSource } from '../language/questions/words.ts';
import type { Evidence } from './evidence/evidence.ts';
import { isAboutShare } from './evidence/forms.ts';
import type { Draft, Passage, Support } from './passage.ts';
import { isPartOfYear, type Question, type Reader } from './question.ts';
import type { Sentence } from './sentences.ts';
import type { Cell, Row } from './cells/row.ts';

/** Cells of a row that one statement names, where the question does not say which. */
const CELLS_MAX = 4;
const STATEMENT_CHARACTERS_MAX = 600;

/** @param title shown above a row; empty: its own name is enough. */
export function draftOf(evidence: Evidence, question: Question, reader: Reader, title = ''): Draft | null {
  const { passage, unit, score } = evidence;
  if (unit.kind === 'sentence') return sentenceDraft(passage, unit.sentence, score);
  const cells = cellsFor(unit.row, question, reader);
  return cells.length === 0
    ? null
    : rowDraft({
        passage,
        row: unit.row,
        cells,
        score,
        title,
      });
}

/** A list's item says what its list is about. */
function sentenceDraft(passage: Passage, sentence: Sentence, score: number): Draft | null {
  const { text, start, lead } = sentence;
  if (text.length > STATEMENT_CHARACTERS_MAX || !/\p{L}{2}/u.test(text)) return null;
  const about = lead.length > 0 && lead.length < 160 ? `${lead} ` : '';
  const supports: Support[] = [{ passage, texts: [text], from: start }];
  if (about !== '') supports.push({ passage, texts: [lead], from: 0 });
  return { text: oneLine(about + text), supports, score, isComputed: false, sameAs: null };
}

/** Cells of the years that are asked for, else those whose columns it names, else the first ones. */
function cellsFor(row: Row, question: Question, reader: Reader): readonly Cell[] {
  const { years, language } = question;
  const filled = row.cells.filter(({ value }) => /[\p{L}\p{N}]/u.test(value));
  const ofYears = filled.filter(({ year }) => year !== null && years.includes(year));
  const ofTime = ofYears.filter(({ column }) => isPartOfYear(column) === question.isOfPartOfYear);
  const among = ofTime.length > 0 ? ofTime : ofYears.length > 0 ? ofYears : filled;
  const wanted = new Set(question.terms);
  const label = new Set(reader.terms(`${row.label} ${row.section}`, language));
  const named = among.map((cell) => {
    const terms = new Set(reader.terms(cell.column, language));
    return [...terms].filter((term) => wanted.has(term) && !label.has(term));
  });
  // A word that many columns have tells little of which is meant.
  const counts = Map.groupBy(named.flat(), (term) => term);
  const fits = named.map((terms) =>
    terms.reduce((sum, term) => sum + 1 / (counts.get(term)?.length ?? 1), 0),
  );
  const best = Math.max(0, ...fits);
  const fitting = among.filter((_, i) => (fits[i] ?? 0) > best - 1e-6);
  const shares = isAboutShare(question.core) ? fitting.filter(({ column }) => isAboutShare(column)) : [];
  return (shares.length > 0 ? shares : fitting).slice(0, CELLS_MAX);
}

interface RowDraft {
  readonly passage: Passage;
  readonly row: Row;
  readonly cells: readonly Cell[];
  readonly score: number;
  readonly title: string;
}

/** `Total sales, 2019: $1,496.5 (in millions)`: row, column with its period, value, unit. */
function rowDraft({ passage, row, cells, score, title }: RowDraft): Draft {
  const name = [title, row.section.replace(/:$/, ''), row.label.replace(/:$/, '')]
    .filter((part) => part !== '')
    .join(' – ');
  const values = cells.map((cell) => {
    const column = columnText(cell.column, row.unit);
    return column === '' ? cell.value : `${column}: ${cell.value}`;
  });
  const above: Support[] = title === '' ? [] : [{ passage, texts: [title], from: 0 }];
  const isPercent = cells.every(({ value }) => value.includes('%'));
  const unit = row.unit === '' || isPercent ? '' : ` (${row.unit})`;
  return {
    text: oneLine(`${name}${name === '' ? '' : ', '}${values.join('; ')}${unit}`),
    supports: [...above, supportOf(passage, row, cells)],
    score,
    isComputed: false,
    sameAs: keyOf(passage, row, cells),
  };
}

/** A column's name without the unit, which is said once. */
const columnText = (column: string, unit: string): string =>
  oneLine(column.replace(SCALE_NOTE, ' ').replace(unit, ' '));

const LEADS = wordsSource(PACKS.flatMap(({ scaleLeads }) => scaleLeads));
const SCALE_NOTE = new RegExp(`\\([^()]*${LEADS}\\s+${scaleSource()}[^()]*\\)`, 'giu');

/** The same line of a document with the same values in the same years, wherever it stands. */
const keyOf = ({ dataset, docId }: Passage, { label }: Row, cells: readonly Cell[]): string =>
  JSON.stringify([
    dataset,
    docId,
    label.toLowerCase().replace(/\W+/g, ' ').trim(),
    cells.map(({ year, amount, value }) => [year, amount?.value ?? value]),
  ]);

export function supportOf(passage: Passage, row: Row, cells: readonly Cell[]): Support {
  const named = [row.section, row.unitText].filter((text) => text !== '');
  const places = cells.flatMap((cell) => [cell, ...cell.headers]);
  const texts = places.map(({ start, end }) => passage.text.slice(start, end));
  return { passage, texts: [...row.labels, ...texts, ...named], from: row.start };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
