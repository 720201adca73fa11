/** A question of an evaluation, and the keys by which what is expected of it is known again in results. */
import type { Expected } from './metrics.ts';

/** Which of the fields it has says what it is: a row of a collection, content, a page, a whole document. */
export interface ExpectedItem {
  readonly _id?: string;
  readonly content_id?: string;
  readonly doc_id?: string;
  /** 1-based; of `doc_id`. */
  readonly page?: number;
  /** Above 0. */
  readonly relevance: number;
}

export interface Question {
  /** From 1, in the order in which the questions were given. */
  readonly ordinal: number;
  readonly id: string;
  readonly question: string;
  /** SQL text of a condition, as `search()` takes it. */
  readonly filter: string | null;
  readonly expected: readonly ExpectedItem[];
  /** Any of them is right. */
  readonly answers: readonly string[];
  /** False: no answer is right. */
  readonly answerable: boolean;
}

export const key = {
  row: (id: string): string => `_id\n${id}`,
  content: (id: string): string => `content_id\n${id}`,
  page: (document: string, page: number): string => `page of a document\n${page}\n${document}`,
  document: (id: string): string => `doc_id\n${id}`,
} as const;

/** Kind of a key, in words. */
export const kindOfKey = (known: string): string => known.slice(0, known.indexOf('\n'));

/** The finest that it says. */
export function keyOf({ _id, content_id, doc_id = '', page }: ExpectedItem): string {
  if (_id !== undefined) return key.row(_id);
  if (content_id !== undefined) return key.content(content_id);
  return page === undefined ? key.document(doc_id) : key.page(doc_id, page);
}

/** Expectations by key; one that is given twice is as relevant as it is said to be most. */
export function expectedOf({ expected }: Question): Expected {
  const relevances = new Map<string, number>();
  for (const item of expected) {
    const known = keyOf(item);
    relevances.set(known, Math.max(item.relevance, relevances.get(known) ?? 0));
  }
  return relevances;
}
