/** Why rows have their scores over several fields: each word with its numbers over all of them, and field by field. */
import type { ExplainedField, ExplainedTerm, RowExplanation } from '../../explanation.ts';
import { saturation } from '../bm25.ts';
import type { PostingsCursor } from '../postings.ts';
import { textOfKey } from '../words/written-key.ts';
import { FieldLengths } from './cursor.ts';
import { countDocuments, countRows, type FieldsPart, weightedLength } from './part.ts';
import type { FieldsQuery, FieldsWord } from './query.ts';

/** What is asked of one part. */
interface Explained {
  readonly part: FieldsPart;
  /** Of the whole snapshot. */
  readonly parts: readonly FieldsPart[];
  readonly query: FieldsQuery;
}

/** A word in one field. */
interface FieldOfWord {
  readonly field: number;
  readonly terms: readonly string[];
  readonly cursors: readonly PostingsCursor[];
}

/** @param rows ascending, with their scores; NaN: no match, and nothing to tell. */
export function explainFields(
  explained: Explained,
  rows: Uint32Array,
  scores: Float64Array,
): readonly RowExplanation[] {
  const { part, query } = explained;
  const lengths = new FieldLengths(part, query);
  const words = query.words.map((word) => ({ word, fields: fieldsOf(explained, word) }));
  return Array.from(rows, (row, i) => {
    if (Number.isNaN(scores[i])) return { kind: 'terms', terms: [] };
    const length = lengths.of(row);
    const terms = words.map(({ word, fields }) => explainWord(explained, { word, fields, row, length }));
    return { kind: 'terms', terms: terms.filter((term) => term !== null) };
  });
}

function fieldsOf({ part }: Explained, { terms }: FieldsWord): readonly FieldOfWord[] {
  return terms.flatMap((own, field) => {
    const index = part.structures[field]?.index;
    const cursors = own.flatMap((term) => index?.cursor(term) ?? []);
    return cursors.length === 0 ? [] : [{ field, terms: own, cursors }];
  });
}

/** What is known of a field by itself, which no score needs: asked once for a query. */
interface FieldFigures {
  readonly averageLength: number;
  /** Visible rows, by the terms of a word. */
  readonly documents: Map<string, number>;
  readonly parts: readonly FieldsPart[];
}

const figuresOf = new WeakMap<FieldsQuery, Map<number, FieldFigures>>();

function fieldFigures({ parts, query }: Explained, field: number): FieldFigures {
  const known = figuresOf.get(query) ?? new Map<number, FieldFigures>();
  figuresOf.set(query, known);
  return known.get(field) ?? gatherFigures(parts, field, known);
}

function gatherFigures(
  parts: readonly FieldsPart[],
  field: number,
  known: Map<number, FieldFigures>,
): FieldFigures {
  const alone = parts.map((part) => ({ ...part, structures: [part.structures[field] ?? null] }));
  const length = sumOver(alone, (part) => weightedLength(part, [1]));
  const documents = sumOver(alone, countDocuments);
  // All that matched may be stop words, of which no length tells.
  const averageLength = documents > 0 ? length / documents : 0;
  const figures = { averageLength, documents: new Map<string, number>(), parts: alone };
  known.set(field, figures);
  return figures;
}

function documentsWith({ documents, parts }: FieldFigures, terms: readonly string[]): number {
  const key = JSON.stringify(terms);
  const count = documents.get(key) ?? sumOver(parts, (part) => countRows(part, [terms]));
  documents.set(key, count);
  return count;
}

const sumOver = (parts: readonly FieldsPart[], of: (part: FieldsPart) => number): number =>
  parts.reduce((sum, part) => sum + of(part), 0);

interface WordInRow {
  readonly word: FieldsWord;
  readonly fields: readonly FieldOfWord[];
  readonly row: number;
  /** Weighted, over all fields. */
  readonly length: number;
}

/** Null: the row does not have it. */
function explainWord(explained: Explained, { word, fields, row, length }: WordInRow): ExplainedTerm | null {
  const { part, query } = explained;
  const weightOf = (field: number): number => query.fieldWeights[field] as number;
  const found = fields
    .map((one) => ({ ...one, frequency: frequencyIn(one.cursors, row) }))
    .filter(({ frequency }) => frequency > 0);
  if (found.length === 0) return null;
  const frequency = found.reduce((sum, one) => sum + one.frequency * weightOf(one.field), 0);
  const { words, documents, idf, boost } = word;
  const { averageLength } = query;
  const contribution = idf * boost * saturation(query.norm, frequency, length);
  const inFields = found.map(({ field, terms, frequency: own }): ExplainedField => {
    const figures = fieldFigures(explained, field);
    const weight = weightOf(field);
    return {
      field,
      terms: terms.map(textOfKey),
      documents: documentsWith(figures, terms),
      frequency: own,
      length: part.structures[field]?.index.lengths[row] as number,
      averageLength: figures.averageLength,
      weight,
      contribution: (contribution * own * weight) / frequency,
    };
  });
  return { words, documents, idf, boost, frequency, length, averageLength, contribution, fields: inFields };
}

function frequencyIn(cursors: readonly PostingsCursor[], row: number): number {
  let sum = 0;
  for (const cursor of cursors) {
    cursor.seek(row);
    if (cursor.row === row) sum += cursor.frequency();
  }
  return sum;
}
