/**
 * The fields of one part, and what the weights of a query follow from: rows that a snapshot sees, counted over
 * all fields together. Counts are remembered by the view that they hold for.
 */
import { assert } from '../../../assert.ts';
import type { JointCounts } from '../joint-counts.ts';
import type { KeywordsStructure, View } from '../keywords.ts';
import { END, type FieldStatistics, type InvertedIndex, type PostingsCursor } from '../postings.ts';

/** A part's structures with what the snapshot sees of it. */
export interface FieldsPart {
  /** By field; null: no row of the part has the field. */
  readonly structures: readonly (KeywordsStructure | null)[];
  readonly visible: Uint32Array | null;
  readonly limit: number;
}

interface Seen {
  readonly indexes: readonly InvertedIndex[];
  readonly view: View;
  readonly counts: JointCounts;
}

function seenBy({ structures, visible, limit }: FieldsPart): Seen | null {
  const [first, ...others] = structures.filter((structure) => structure !== null);
  if (first === undefined) return null;
  const view = first.view(visible, limit);
  const counts = others.reduce((joint, { index }) => joint.and(index), view.joint);
  return { indexes: [first, ...others].map(({ index }) => index), view, counts };
}

/** Visible rows that have a term in any field. */
export function countDocuments(part: FieldsPart): number {
  const seen = seenBy(part);
  if (seen === null) return 0;
  seen.counts.documents ??= documentsOf(seen);
  return seen.counts.documents;
}

function documentsOf({ indexes, view }: Seen): number {
  const lengths = indexes.map((index) => index.lengths);
  const has = (row: number): boolean => lengths.some((own) => (own[row] as number) > 0);
  let count = 0;
  for (let row = 0; row < view.rowCount; row++) if (has(row)) count++;
  for (const row of view.hidden) if (has(row)) count--;
  return count;
}

/** Statistics of the visible rows that have terms in the field. */
export function fieldStatistics({ structures, visible, limit }: FieldsPart, field: number): FieldStatistics {
  return structures[field]?.statistics(visible, limit) ?? { documents: 0, length: 0 };
}

/** Visible rows that have the word in any field. @param terms of the word by field. */
export function countRows(part: FieldsPart, terms: readonly (readonly string[])[]): number {
  const seen = seenBy(part);
  if (seen === null) return 0;
  const held = terms.filter((_, field) => part.structures[field] !== null);
  assert(held.length === seen.indexes.length, 'a word has terms for each field');
  const key = JSON.stringify(held);
  const known = seen.counts.rows.get(key);
  return known ?? seen.counts.rows.set(key, rowsOf(seen, held));
}

/** Rows of the longest list, and those of the others that no longer list has; less what is hidden. */
function rowsOf({ indexes, view }: Seen, terms: readonly (readonly string[])[]): number {
  const open = (): PostingsCursor[] =>
    indexes
      .flatMap((index, field) => (terms[field] ?? []).map((term) => index.cursor(term)))
      .filter((cursor) => cursor !== null)
      .sort((a, b) => b.count - a.count);
  let count = 0;
  const lists = open();
  for (const [i, list] of lists.entries()) {
    if (i === 0) count = list.count;
    else count += countBeyond(list, open().slice(0, i));
  }
  const again = open();
  for (const row of view.hidden) if (again.some((list) => hasRow(list, row))) count--;
  return count;
}

/** Rows of a list that no other one has. */
function countBeyond(list: PostingsCursor, others: readonly PostingsCursor[]): number {
  let count = 0;
  for (; list.row < END; list.next()) if (!others.some((other) => hasRow(other, list.row))) count++;
  return count;
}

/** Rows asked for ascend. */
function hasRow(list: PostingsCursor, row: number): boolean {
  list.seek(row);
  return list.row === row;
}
