/** Why rows have their scores over several fields: each word, and its numbers field by field. */
import type { ExplainedField, ExplainedTerm, RowExplanation } from '../../explanation.ts';
import type { PostingsCursor } from '../postings.ts';
import { textOfKey } from '../words/written-key.ts';
import { saturationOfSquares, squareOf, normOf } from './cursor.ts';
import { countRows, type FieldsPart } from './part.ts';
import type { FieldsQuery, FieldsWord, FieldWeight } from './query.ts';

/** Request to explain one part. */
interface Explained {
  readonly part: FieldsPart;
  /** Parts of the whole snapshot. */
  readonly parts: readonly FieldsPart[];
  readonly query: FieldsQuery;
}

/** A word in one field. */
interface FieldOfWord {
  readonly field: number;
  readonly terms: readonly string[];
  readonly cursors: readonly ListOfTerm[];
}

interface ListOfTerm {
  readonly cursor: PostingsCursor;
  /** Weight of an occurrence; undefined: full. */
  readonly share: number | undefined;
}

/** @param rows ascending, with their scores; NaN: no match, and nothing to tell. */
export function explainFields(
  explained: Explained,
  rows: Uint32Array,
  scores: Float64Array,
): readonly RowExplanation[] {
  const words = explained.query.words.map((word) => ({ word, fields: fieldsOf(explained, word) }));
  return Array.from(rows, (row, i) => {
    if (Number.isNaN(scores[i])) return { kind: 'terms', terms: [] };
    const terms = words.map(({ word, fields }) => explainWord(explained, { word, fields, row }));
    return { kind: 'terms', terms: terms.filter((term) => term !== null) };
  });
}

function fieldsOf({ part }: Explained, { terms, shares }: FieldsWord): readonly FieldOfWord[] {
  return terms.flatMap((own, field) => {
    const index = part.structures[field]?.index;
    const cursors = own.flatMap((term): ListOfTerm[] => {
      const cursor = index?.cursor(term) ?? null;
      return cursor === null ? [] : [{ cursor, share: shares?.get(term) }];
    });
    return cursors.length === 0 ? [] : [{ field, terms: own, cursors }];
  });
}

/** Visible rows that have a word in a field, which no score needs: counted once for a query. */
const countsOf = new WeakMap<FieldsQuery, Map<string, number>>();

function documentsWith({ parts, query }: Explained, { field, terms }: FieldOfWord): number {
  const counts = countsOf.get(query) ?? new Map<string, number>();
  countsOf.set(query, counts);
  const key = JSON.stringify([field, terms]);
  const known = counts.get(key);
  if (known !== undefined) return known;
  const alone = parts.map((part) => ({ ...part, structures: [part.structures[field] ?? null] }));
  const count = sumOf(alone.map((part) => countRows(part, [terms])));
  counts.set(key, count);
  return count;
}

interface WordInRow {
  readonly word: FieldsWord;
  readonly fields: readonly FieldOfWord[];
  readonly row: number;
}

/** Null: the row does not have it. */
function explainWord(explained: Explained, { word, fields, row }: WordInRow): ExplainedTerm | null {
  const found = fields.flatMap((one) => {
    const frequencies = frequenciesIn(one.cursors, row);
    if (frequencies.length === 0) return [];
    const { weight, averageLength, norm } = explained.query.fields[one.field] as FieldWeight;
    const length = explained.part.structures[one.field]?.index.lengths[row] as number;
    const squares = frequencies.map(({ frequency: own, share }) => {
      const { base, slope } = normOf(norm, share);
      return squareOf(own / (base + slope * length));
    });
    const square = sumOf(squares);
    const frequency = sumOf(frequencies.map((own) => own.frequency));
    return [{ one, numbers: { frequency, length, averageLength, weight }, square }];
  });
  if (found.length === 0) return null;
  const squares = sumOf(found.map(({ square }) => square));
  const { words, documents, idf, boost } = word;
  const contribution = idf * boost * saturationOfSquares(squares);
  const inFields = found.map(({ one, numbers, square }): ExplainedField => {
    const { field, terms } = one;
    const share = squares === Infinity ? 1 / found.length : square / squares;
    return {
      field,
      terms: terms.map(textOfKey),
      documents: documentsWith(explained, one),
      ...numbers,
      contribution: contribution * share,
    };
  });
  const whole = { frequency: null, length: null, averageLength: null };
  return { words, documents, idf, boost, ...whole, contribution, fields: inFields };
}

/** Frequencies of the terms that the row has. */
function frequenciesIn(
  cursors: readonly ListOfTerm[],
  row: number,
): readonly { readonly frequency: number; readonly share: number | undefined }[] {
  return cursors.flatMap(({ cursor, share }) => {
    cursor.seek(row);
    return cursor.row === row ? [{ frequency: cursor.frequency(), share }] : [];
  });
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
