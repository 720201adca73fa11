/** CREATE and DROP EVALUATION: a query's rows become questions, which are kept as they are now. */
import { SqlError } from '../../errors.ts';
import type { EvaluationOption, WrittenQuery } from '../../sql/ast.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import { FixedResult, type Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import { checkParameters } from '../statements/prepared.ts';
import type { StatementCall } from '../statements/statement-call.ts';
import { textOption } from './option-values.ts';
import type { Question } from './question.ts';
import { QuestionColumns } from './question-columns.ts';
import { QuestionReader } from './question-reader.ts';
import {
  findEvaluation,
  forgetEvaluation,
  isTaken,
  storedQuery,
  storeEvaluation,
  unknownEvaluation,
} from './stored.ts';

const DESCRIPTION_CHARACTERS_MAX = 10_000;

export async function createEvaluation(call: StatementCall<'create evaluation'>): Promise<Running> {
  const { statement, tree } = call;
  const { name, at, ifNotExists, options, query: written } = tree;
  if (name.trim() === '') {
    throw new SqlError('invalid_name', 'the name of an evaluation is empty', { position: at || undefined });
  }
  const description = descriptionOf(options, statement);
  if (await isTaken(statement, name)) {
    if (!ifNotExists) throw duplicate(name, at);
    notice(statement, `evaluation "${name}" already exists, skipping`);
    return new FixedResult('CREATE EVALUATION');
  }
  const questions = await readQuestions(statement, written);
  if (questions.length === 0) {
    throw new SqlError('no_data_found', `evaluation "${name}" would have no questions`, {
      position: written.start + 1,
      hint: 'The query gave no rows.',
    });
  }
  try {
    const owner = rowOwner(statement.session);
    await storeEvaluation(storedQuery(statement), { name, description, questions, owner });
  } catch (error) {
    // Somebody made one meanwhile.
    if (error instanceof SqlError && error.condition === 'unique_violation') throw duplicate(name, at);
    throw error;
  }
  return new FixedResult('CREATE EVALUATION');
}

export async function dropEvaluation(call: StatementCall<'drop evaluation'>): Promise<Running> {
  const { statement, tree } = call;
  for (const { name, at } of tree.names) {
    if ((await findEvaluation(statement, name)) !== null)
      await forgetEvaluation(storedQuery(statement), name);
    else if (tree.ifExists) notice(statement, `evaluation "${name}" does not exist, skipping`);
    else throw await unknownEvaluation(statement, name, at);
  }
  return new FixedResult('DROP EVALUATION');
}

const duplicate = (name: string, at: number): SqlError =>
  new SqlError('duplicate_object', `evaluation "${name}" already exists`, {
    position: at || undefined,
    hint: 'DROP EVALUATION drops one of your own, with its runs.',
  });

function notice(statement: Statement, message: string): void {
  statement.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
}

function descriptionOf(options: readonly EvaluationOption[], statement: Statement): string {
  let description = '';
  for (const option of options) {
    if (option.name !== 'description') {
      throw new SqlError('invalid_parameter_value', `unrecognized parameter "${option.name}"`, {
        position: option.at || undefined,
        hint: 'There is description.',
      });
    }
    description = textOption(option, statement, { charactersMax: DESCRIPTION_CHARACTERS_MAX });
  }
  return description;
}

/** Under the rights and in the transaction of who asks. */
async function readQuestions(statement: Statement, written: WrittenQuery): Promise<readonly Question[]> {
  const { session, signal, prepared } = statement;
  const planned = await lockedPlan(statement, written);
  const { bound } = planned;
  if (bound.kind !== 'plan' || bound.output === null || bound.writes) {
    const message = 'CREATE EVALUATION takes a query that only reads';
    throw new SqlError('syntax_error', message, { position: written.start + 1 });
  }
  if (prepared === null) checkParameters(bound);
  using account = session.openAccount();
  const columns = new QuestionColumns(bound.output, written, session.formatSettings());
  const reader = new QuestionReader(columns, account);
  const slice = session.timeSlice();
  const running = await statement.run(planned);
  try {
    for (let batch = await running.next(0); batch !== null; batch = await running.next(0)) {
      await reader.add(batch, slice);
      signal.throwIfAborted();
    }
  } finally {
    await running.close();
  }
  return reader.questions;
}
