/**
 * Rows of a query as questions. Rows of one question, which have one `id` or else one text and filter, each add what
 * they expect, as the lines of a file of relevance judgments do.
 */
import { SqlError } from '../../errors.ts';
import type { Account } from '../../execute/account.ts';
import {
  EVALUATION_EXPECTED_COUNT_MAX,
  EVALUATION_QUESTIONS_COUNT_MAX,
  FILTER_CHARACTERS_MAX,
  QUERY_TEXT_CHARACTERS_MAX,
} from '../../limits.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { Batch } from '../../types/column/vector.ts';
import { foldedAnswer } from './answer-match.ts';
import type { ExpectedItem, Question } from './question.ts';
import type { QuestionColumn, QuestionColumns, Texts } from './question-columns.ts';

/** The clock is looked at after so many rows. */
const ROWS_A_LOOK = 32;
/** Bytes of a question and of one expected thing, beside their texts. */
const QUESTION_BYTES = 400;
const ITEM_BYTES = 200;

interface Draft extends Question {
  readonly expected: ExpectedItem[];
  readonly answers: string[];
  answerable: boolean;
}

type Condition = 'invalid_parameter_value' | 'null_value_not_allowed' | 'program_limit_exceeded';

export class QuestionReader {
  readonly #columns: QuestionColumns;
  readonly #account: Account;
  readonly #drafts = new Map<string, Draft>();
  #rows = 0;

  /** @param account counts what is held. */
  constructor(columns: QuestionColumns, account: Account) {
    this.#columns = columns;
    this.#account = account;
  }

  /** In the order of their first rows. */
  get questions(): readonly Question[] {
    return [...this.#drafts.values()];
  }

  /** @throws SqlError 22004, 22023, 54000 that names the row; 53200. */
  async add(batch: Batch, slice: TimeSlice): Promise<void> {
    for (let row = 0; row < batch.length; row++) {
      if (row % ROWS_A_LOOK === 0) await slice.yieldToOthers();
      this.#rows++;
      this.#addRow(this.#columns.texts((place) => batch.columns[place]?.get(row) ?? null));
    }
  }

  #addRow(texts: Texts): void {
    const draft = this.#draftOf(texts);
    const items = this.#itemsOf(texts);
    const answers = [...texts('answer'), ...texts('answers')];
    const nothing = answers.find((answer) => foldedAnswer(answer) === '');
    if (nothing !== undefined) throw this.#wrong('answer', `has the answer "${nothing}", without a word`);
    draft.expected.push(...items);
    draft.answers.push(...answers.filter((answer) => !draft.answers.includes(answer)));
    if (texts('answerable')[0] === 'f') draft.answerable = false;
    if (!draft.answerable && draft.expected.length + draft.answers.length > 0) {
      throw this.#wrong('answerable', 'is not answerable, and expects something');
    }
    if (draft.expected.length > EVALUATION_EXPECTED_COUNT_MAX) {
      const message = `makes a question expect more than ${EVALUATION_EXPECTED_COUNT_MAX} things`;
      throw this.#wrong('question', message, 'program_limit_exceeded');
    }
    const characters = answers.reduce((sum, answer) => sum + answer.length, 0);
    this.#account.hold(ITEM_BYTES * (items.length + answers.length) + 2 * characters);
  }

  #draftOf(texts: Texts): Draft {
    const question = this.#questionOf(texts);
    const filter = this.#filterOf(texts);
    const [id] = texts('id');
    if (id === undefined && this.#columns.has('id'))
      throw this.#wrong('id', 'has no id', 'null_value_not_allowed');
    const key = id ?? `${filter ?? ''}\n${question}`;
    const known = this.#drafts.get(key);
    if (known !== undefined) {
      if (known.question === question && known.filter === filter) return known;
      throw this.#wrong('id', `has the id "${id}" of another question`);
    }
    const ordinal = this.#drafts.size + 1;
    if (ordinal > EVALUATION_QUESTIONS_COUNT_MAX) {
      const message = `is one question more than the ${EVALUATION_QUESTIONS_COUNT_MAX} of an evaluation`;
      throw this.#wrong('question', message, 'program_limit_exceeded');
    }
    this.#account.hold(QUESTION_BYTES + 4 * question.length + 2 * (filter?.length ?? 0));
    const asked = { ordinal, id: id ?? String(ordinal), question, filter };
    const draft: Draft = { ...asked, expected: [], answers: [], answerable: true };
    this.#drafts.set(key, draft);
    return draft;
  }

  #questionOf(texts: Texts): string {
    const [question] = texts('question');
    if (question === undefined) throw this.#wrong('question', 'has no question', 'null_value_not_allowed');
    if (question.trim() === '') throw this.#wrong('question', 'has an empty question');
    if (question.length <= QUERY_TEXT_CHARACTERS_MAX) return question;
    const message = `has a question of ${question.length} characters, more than ${QUERY_TEXT_CHARACTERS_MAX}`;
    throw this.#wrong('question', message, 'program_limit_exceeded');
  }

  #filterOf(texts: Texts): string | null {
    const [filter = null] = texts('filter');
    if (filter === null || filter.length <= FILTER_CHARACTERS_MAX) return filter;
    const message = `has a filter of ${filter.length} characters, more than ${FILTER_CHARACTERS_MAX}`;
    throw this.#wrong('filter', message, 'program_limit_exceeded');
  }

  /** The finest of what a row expects; nothing where it is judged irrelevant. */
  #itemsOf(texts: Texts): readonly ExpectedItem[] {
    const relevance = Number(texts('relevance')[0] ?? 1);
    if (!(relevance >= 0 && relevance < Number.POSITIVE_INFINITY)) {
      throw this.#wrong('relevance', `has the relevance ${relevance}: it is 0 or more`);
    }
    const documents = texts('doc_id');
    const pages = texts('pages').map(Number);
    if (pages.length > 0 && documents.length !== 1) {
      throw this.#wrong(
        'pages',
        documents.length === 0 ? 'has pages without a doc_id' : 'has pages of several doc_id',
      );
    }
    const wrong = pages.find((page) => page < 1);
    if (wrong !== undefined) throw this.#wrong('pages', `has page ${wrong}: pages count from 1`);
    if (relevance === 0) return [];
    const rows = texts('_id').map((_id) => ({ _id, relevance }));
    const contents = texts('content_id').map((content_id) => ({ content_id, relevance }));
    if (rows.length + contents.length > 0) return [...rows, ...contents];
    const [doc_id = ''] = documents;
    if (pages.length > 0) return pages.map((page) => ({ doc_id, page, relevance }));
    return documents.map((document) => ({ doc_id: document, relevance }));
  }

  #wrong(column: QuestionColumn, what: string, condition: Condition = 'invalid_parameter_value'): SqlError {
    const position = this.#columns.position(column);
    return new SqlError(condition, `row ${this.#rows} of the query ${what}`, { position });
  }
}
