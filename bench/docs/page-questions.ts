/** Questions with the pages that answer them, and the share whose first results show one of these. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Question {
  /** File name of its document. */
  readonly file: string;
  readonly text: string;
  /** 1-based; any of them counts. */
  readonly pages: readonly number[];
}

export interface QuestionSet {
  readonly name: string;
  /** Paths by file name. */
  readonly files: ReadonlyMap<string, string>;
  readonly questions: readonly Question[];
  /** Questions are asked of their own document; otherwise of all at once. */
  readonly isPerDocument: boolean;
}

/** One result, as far as it is judged. */
export interface Found {
  readonly file: string;
  readonly pages: readonly number[];
}

export const DEPTHS = [1, 5, 10] as const;
const PAGES_A_RESULT = 2;

interface StoredQuestion {
  readonly file: string;
  readonly question: string;
  readonly evidence_pages_1based: readonly number[];
  readonly answerable?: boolean;
}

/** @param folder with `questions.jsonl` and `documents.jsonl`, whose `file` is relative to it. */
export function readQuestions(folder: string, set: Pick<QuestionSet, 'name' | 'isPerDocument'>): QuestionSet {
  const read = <T>(name: string): T[] =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  const documents = read<{ readonly file: string }>('documents.jsonl');
  const questions = read<StoredQuestion>('questions.jsonl').filter(({ answerable }) => answerable !== false);
  return {
    ...set,
    files: new Map(documents.map(({ file }) => [basename(file), join(folder, file)])),
    questions: questions.map(({ file, question, evidence_pages_1based: pages }) => {
      return { file: basename(file), text: question, pages };
    }),
  };
}

/** Place, from 1, of the first result that shows a page of the question; Infinity where none does. */
export function placeOf({ file, pages }: Question, found: readonly Found[]): number {
  const index = found.findIndex(
    (one) => one.file === file && one.pages.slice(0, PAGES_A_RESULT).some((page) => pages.includes(page)),
  );
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
}

/** Share of the questions at each depth. */
export function sharesOf(places: readonly number[]): readonly number[] {
  return DEPTHS.map((depth) => places.filter((place) => place <= depth).length / places.length);
}
