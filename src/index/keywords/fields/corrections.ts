/**
 * Corrections of the words of a query with `fuzzy`. A word that the texts have is looked for first of all:
 * occurrences of what it may be misspelt for count a tenth of its own. Of a word that they do not have the nearest
 * count fully, those of more edits half as much for each, and among as near ones those of fewer rows up to half.
 */
import type { Analyser } from '../../../language/analyse.ts';
import type { Corrections } from '../../structure.ts';
import { type NearWord, nearWordsByFirst } from '../fuzzy.ts';
import type { InvertedIndex } from '../postings.ts';
import { writtenKey } from '../words/written-key.ts';

/** Words of one query that are corrected; those that no text has come first. */
const CORRECTED_MAX = 32;
/** The most terms that one word stands for in one field. */
const NEAR_MAX = 8;
const SHARE_BESIDE_KNOWN = 0.1;

/** A field as it is read. */
export interface CorrectedField {
  readonly analyser: Analyser;
  readonly indexes: readonly InvertedIndex[];
  /** The words of the query, as written; none for a field of whole values. */
  readonly written: readonly string[];
}

/** @param fuzzy edits; −1: by length. */
export async function correctionsOf(
  fields: readonly CorrectedField[],
  fuzzy: number,
  turn: () => Promise<void>,
): Promise<Corrections> {
  const rowsOf = ({ indexes }: CorrectedField, word: string): number =>
    indexes.reduce((sum, index) => sum + index.countOf(writtenKey(word)), 0);
  const isKnown = (word: string): boolean => fields.some((field) => rowsOf(field, word) > 0);
  const words = [...new Set(fields.flatMap(({ written }) => written))];
  const known = new Set(words.filter(isKnown));
  const first = [...words]
    .sort((a, b) => Number(known.has(a)) - Number(known.has(b)))
    .slice(0, CORRECTED_MAX);
  const corrections = fields.map(() => new Map<string, ReadonlyMap<string, number>>());
  for (const word of first) {
    const found: (readonly NearWord[])[] = [];
    for (const { indexes, written } of fields) {
      const wanted = { word, distance: fuzzy };
      found.push(written.includes(word) ? await nearWordsByFirst(indexes, wanted, turn) : []);
    }
    const others = found.map((near) => near.filter((one) => one.word !== word));
    const least = Math.min(...others.flat().map(({ edits }) => edits));
    for (const [i, near] of others.entries()) {
      const field = fields[i] as CorrectedField;
      const counted = near.map((one) => ({ ...one, rows: rowsOf(field, one.word) })).sort(byNearness);
      corrections[i]?.set(
        word,
        shares(counted.slice(0, NEAR_MAX), field.analyser, { least, isKnown: known.has(word) }),
      );
    }
  }
  return corrections;
}

type Counted = NearWord & { readonly rows: number };

const byNearness = (a: Counted, b: Counted): number => a.edits - b.edits || b.rows - a.rows;

/** By term: a stem stands for several words. */
function shares(
  near: readonly Counted[],
  analyser: Analyser,
  { least, isKnown }: { readonly least: number; readonly isKnown: boolean },
): ReadonlyMap<string, number> {
  const most = Math.max(...near.map(({ rows }) => rows));
  const found = new Map<string, number>();
  for (const { word, edits, rows } of near) {
    const share = (0.5 + rows / most / 2) * 0.5 ** (edits - least) * (isKnown ? SHARE_BESIDE_KNOWN : 1);
    for (const { term } of analyser.analyse(word)) found.set(term, Math.max(found.get(term) ?? 0, share));
  }
  return found;
}
