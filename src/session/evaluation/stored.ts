/** Evaluations as they are stored: looked up, written once, read a page of questions at a time. */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { integer, text, texts } from '../datasets/parameters.ts';
import { owns } from '../rights/own-rows.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { Query, Row } from '../server-session.ts';
import { ownerOfRow, ownerParameters, type RowOwner } from '../whose.ts';
import type { ExpectedItem, Question } from './question.ts';

/** One statement stores so much, so that others have their turn. */
const STORED_COUNT_MAX = 200;
const STORED_CHARACTERS_MAX = 64 * 1024;
const ITEM_CHARACTERS = 50;
const READ_AT_ONCE = 100;
const NAMES_LISTED_MAX = 20;

export interface Evaluation {
  readonly name: string;
  readonly questions: number;
  /** When it was made: tells it from another one of its name. */
  readonly createdMicros: Datum;
}

/** The server's own, within the statement's transaction: whoever asks is told of nothing but its own. */
export const storedQuery =
  (statement: Statement): Query =>
  (sql, ...parameters) =>
    rowsOf(statement, sql, { parameters, asServer: true, seesAll: true });

const FIND = 'SELECT questions, created_at, role, key FROM quern.evaluations WHERE name = $1';

/** Null also for one of somebody else. */
export async function findEvaluation(statement: Statement, name: string): Promise<Evaluation | null> {
  const [row] = await storedQuery(statement)(FIND, text(name));
  if (row === undefined || !owns(statement.session, ownerOfRow(row))) return null;
  return { name, questions: Number(row.questions), createdMicros: row.created_at ?? null };
}

/** Names are everybody's, as those of tables are. */
export const isTaken = async (statement: Statement, name: string): Promise<boolean> =>
  (await storedQuery(statement)(FIND, text(name))).length > 0;

/** 42704, with the names of one's own. */
export async function unknownEvaluation(
  statement: Statement,
  name: string,
  position: number,
): Promise<SqlError> {
  const all = await storedQuery(statement)('SELECT name, role, key FROM quern.evaluations ORDER BY name');
  const names = all.filter((row) => owns(statement.session, ownerOfRow(row))).map((row) => String(row.name));
  const some = names.slice(0, NAMES_LISTED_MAX).join(', ');
  const more = names.length > NAMES_LISTED_MAX ? ', …: quern.evaluations lists them all' : '';
  return new SqlError('undefined_object', `evaluation "${name}" does not exist`, {
    position: position || undefined,
    hint:
      names.length === 0
        ? 'There is none yet: CREATE EVALUATION makes one.'
        : `There ${names.length === 1 ? 'is' : 'are'} ${some}${more}.`,
  });
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly questions: readonly Question[];
  readonly owner: RowOwner;
}

export async function storeEvaluation(
  query: Query,
  { name, description, questions, owner }: Described,
): Promise<void> {
  const judgments = questions.reduce(
    (sum, { expected, answers }) => sum + expected.length + answers.length,
    0,
  );
  await query(
    `INSERT INTO quern.evaluations (name, description, questions, judgments, created_at, role, key)
     VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6)`,
    text(name),
    text(description),
    integer(questions.length),
    integer(judgments),
    ...ownerParameters(owner),
  );
  for (let from = 0; from < questions.length; ) {
    const end = storedAtOnce(questions, from);
    await storeQuestions(query, name, questions.slice(from, end));
    from = end;
  }
}

/** Where those end, at least one, that are stored together from `from` on. */
function storedAtOnce(questions: readonly Question[], from: number): number {
  let characters = 0;
  let end = from;
  for (; end < questions.length && end - from < STORED_COUNT_MAX; end++) {
    const { question, expected } = questions[end] as Question;
    characters += question.length + ITEM_CHARACTERS * expected.length;
    if (characters > STORED_CHARACTERS_MAX && end > from) break;
  }
  return end;
}

async function storeQuestions(query: Query, name: string, questions: readonly Question[]): Promise<void> {
  const column = (of: (question: Question) => string | null) => texts(questions.map(of));
  await query(
    `INSERT INTO quern.evaluation_questions
       (evaluation, ordinal, id, question, filter, expected, answers, answerable)
     SELECT $1, o::integer, i, q, f, e::jsonb, ARRAY(SELECT jsonb_array_elements_text(a::jsonb)), b::boolean
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS stored (o, i, q, f, e, a, b)`,
    text(name),
    column(({ ordinal }) => String(ordinal)),
    column(({ id }) => id),
    column(({ question }) => question),
    column(({ filter }) => filter),
    column(({ expected }) => JSON.stringify(expected)),
    column(({ answers }) => JSON.stringify(answers)),
    column(({ answerable }) => String(answerable)),
  );
}

/** With its questions, runs and what came of them. */
export async function forgetEvaluation(query: Query, name: string): Promise<void> {
  await query('DELETE FROM quern.evaluations WHERE name = $1', text(name));
  const runs = 'SELECT run FROM quern.evaluation_runs WHERE evaluation = $1';
  await query(`DELETE FROM quern.evaluation_results WHERE run IN (${runs})`, text(name));
  await query('DELETE FROM quern.evaluation_runs WHERE evaluation = $1', text(name));
  await query('DELETE FROM quern.evaluation_questions WHERE evaluation = $1', text(name));
}

/** At most `count` questions, some at a time. */
export async function* questionsOf(query: Query, name: string, count: number): AsyncGenerator<Question> {
  for (let after = 0; after < count; ) {
    const rows = await query(
      `SELECT ordinal, id, question, filter, expected, answers, answerable FROM quern.evaluation_questions
       WHERE evaluation = $1 AND ordinal > $2 AND ordinal <= $3 ORDER BY ordinal`,
      text(name),
      integer(after),
      integer(Math.min(count, after + READ_AT_ONCE)),
    );
    if (rows.length === 0) return;
    for (const row of rows) yield questionOf(row);
    after += rows.length;
  }
}

const questionOf = (row: Row): Question => ({
  ordinal: Number(row.ordinal),
  id: String(row.id),
  question: String(row.question),
  filter: row.filter === null || row.filter === undefined ? null : String(row.filter),
  expected: JSON.parse(String(row.expected)) as readonly ExpectedItem[],
  answers: (row.answers as ArrayDatum).elements.map(String),
  answerable: row.answerable === true,
});
