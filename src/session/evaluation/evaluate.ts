/**
 * EVALUATE: each configuration asks all questions and gives one row. Rows leave as configurations end; what came of each
 * question, and how far a run is, stands in relations that anybody may look at meanwhile.
 */
import { findNamespace } from '../../catalog/lookup.ts';
import { type SqlError, sqlErrorOf } from '../../errors.ts';
import { type PlanRows, SteppedRows, type Steps } from '../../execute/plan-rows.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { wait } from '../../task.ts';
import { takeTurn } from '../../time-slice.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { type Batch, vectorOf } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { unknownDataset } from '../datasets/definitions.ts';
import { checkDatasets } from '../datasets/search.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { column, type Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';
import type { Query } from '../server-session.ts';
import type { StatementCall } from '../statements/statement-call.ts';
import { type Configuration, configurationsOf, type EvaluateStatement } from './configurations.ts';
import type { Question } from './question.ts';
import { RunLog } from './run-log.ts';
import { type Given, type Kinds, type Metrics, type Scored, scored, Totals } from './scoring.ts';
import { type Evaluation, findEvaluation, questionsOf, storedQuery, unknownEvaluation } from './stored.ts';
import { type Way, wayOf } from './ways.ts';

/** A client is told how far it is so often. */
const TOLD_AFTER_MS = 10_000;
/** So many failures in a row that are none of the questions' own end a run. */
const FAILURES_MAX = 3;

const COUNTS = ['run', 'name', 'questions', 'errors'] as const;
const FIGURES = {
  search: ['hit', 'recall', 'precision', 'ndcg', 'mrr', 'p50_ms', 'p95_ms'],
  ask: [
    'hit',
    'citation_precision',
    'citation_recall',
    'answer_match',
    'answered',
    'abstained',
    'confidence',
    'p50_ms',
    'p95_ms',
  ],
} as const satisfies Readonly<Record<Configuration['kind'], readonly (keyof Metrics)[]>>;

const COUNT_TYPES = { run: OID.int8, name: OID.text, questions: OID.int4, errors: OID.int4 } as const;

export function evaluateColumns({ asks }: EvaluateStatement): readonly OutputColumn[] {
  const figures = FIGURES[asks ? 'ask' : 'search'];
  return [
    ...COUNTS.map((name) => column(name, COUNT_TYPES[name])),
    ...figures.map((name) => column(name, OID.float8)),
  ];
}

export async function evaluate(call: StatementCall<'evaluate'>): Promise<Running> {
  const { session, statement, tree } = call;
  for (const { name, at } of tree.datasets) {
    if (findNamespace(session.catalog(), name)?.dataset === undefined)
      throw unknownDataset(session.catalog(), name, at);
  }
  checkDatasets(session, { datasets: tree.datasets.map(({ name }) => ({ dataset: name, filter: null })) });
  const query = storedQuery(statement);
  const { name, at } = tree.evaluation;
  const evaluation = await findEvaluation(statement, name);
  if (evaluation === null) throw await unknownEvaluation(statement, name, at);
  const configurations = configurationsOf(tree, statement);
  const runs = configurations.map((configuration) => {
    const way = wayOf(statement, configuration);
    return { evaluation, configuration, way, query };
  });
  const columns = evaluateColumns(tree);
  return new EvaluateRunning(columns, new SteppedRows(rowsOfRuns(statement, runs, columns)));
}

class EvaluateRunning implements Running {
  readonly columns: readonly OutputColumn[];
  readonly #rows: PlanRows;

  /** @param rows one at a time. */
  constructor(columns: readonly OutputColumn[], rows: PlanRows) {
    this.columns = columns;
    this.#rows = rows;
  }

  next(): Batch | null | Promise<Batch | null> {
    return this.#rows.next();
  }

  tag(count: number): string {
    return `EVALUATE ${count}`;
  }

  close(): void | Promise<void> {
    return this.#rows.close();
  }
}

interface Run {
  readonly evaluation: Evaluation;
  readonly configuration: Configuration;
  readonly way: Way;
  readonly query: Query;
}

function* rowsOfRuns(statement: Statement, runs: readonly Run[], columns: readonly OutputColumn[]): Steps {
  for (const run of runs) {
    const values: Readonly<Record<string, Datum>> = yield* wait(rowOfRun(statement, run));
    yield {
      length: 1,
      columns: columns.map(({ name, type }) => vectorOf(typeByOid(type.oid).vector, [values[name] ?? null])),
    };
  }
}

async function rowOfRun(statement: Statement, run: Run): Promise<Readonly<Record<string, Datum>>> {
  const { evaluation, configuration, query } = run;
  const questions = Math.min(evaluation.questions, configuration.questions ?? evaluation.questions);
  const totals = new Totals();
  const { signal } = statement;
  const { environment, directory, settings, key } = statement.session;
  const now = (): number => environment.nowMs();
  await using session = directory.openOwn(settings, key);
  const owner = rowOwner(statement.session);
  const log = await RunLog.begin(session, { evaluation, configuration, questions, owner }, { totals, now });
  const metrics = (): Metrics => totals.metrics(configuration.kind);
  try {
    const progress = progressOf(statement, run, { questions, totals });
    const asker = new Asking(run, totals, now);
    for await (const question of questionsOf(query, evaluation.name, questions)) {
      await log.add(question, await asker.ask(question, signal));
      progress();
      await takeTurn(signal);
    }
    await log.end({ state: 'done', reason: null, metrics: metrics() });
    warnOfKinds(statement, run, totals);
  } catch (error) {
    const state = signal.aborted ? 'canceled' : 'failed';
    const cause: unknown = signal.aborted ? signal.reason : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    await log.end({ state, reason, metrics: metrics() }).catch(() => undefined);
    throw error;
  }
  const { errors, done } = totals;
  return { run: BigInt(log.run), name: configuration.name, questions: done, errors, ...metrics() };
}

/** Tells the client from time to time how far a run is. */
function progressOf(
  statement: Statement,
  { evaluation, configuration }: Run,
  { questions, totals }: { readonly questions: number; readonly totals: Totals },
): () => void {
  const now = (): number => statement.session.environment.nowMs();
  let toldMs = now();
  return () => {
    if (now() - toldMs < TOLD_AFTER_MS) return;
    toldMs = now();
    const errors = totals.errors === 0 ? '' : `, ${totals.errors} errors`;
    const message = `evaluation "${evaluation.name}", "${configuration.name}": ${totals.done} of ${questions} questions${errors}`;
    statement.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
    statement.sink?.flush?.();
  };
}

/** Told where results could never be what is expected: they are of other kinds. */
function warnOfKinds(statement: Statement, { configuration }: Run, { expected, shown }: Kinds): void {
  if (expected.size === 0 || shown.size === 0 || !expected.isDisjointFrom(shown)) return;
  const names = (kinds: ReadonlySet<string>): string => [...kinds].join(', ');
  statement.notice({
    severity: 'WARNING',
    condition: 'warning',
    message: `configuration "${configuration.name}" gives nothing that could be expected`,
    detail: `Questions expect ${names(expected)}; results have ${names(shown)}.`,
  });
}

/** Asks questions one after the other. What fails of one is its result, unless more fails than questions do. */
class Asking {
  readonly #run: Run;
  readonly #totals: Totals;
  readonly #now: () => number;
  #failures = 0;

  constructor(run: Run, totals: Totals, now: () => number) {
    this.#run = run;
    this.#totals = totals;
    this.#now = now;
  }

  /** @throws SqlError of the third failure in a row that is not the question's own; the signal's reason. */
  async ask(question: Question, signal: AbortSignal): Promise<Scored> {
    const { configuration, way } = this.#run;
    const began = this.#now();
    let given: Given | string;
    try {
      given = await way(question);
      this.#failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      given = this.#failed(question, error);
    }
    if (typeof given !== 'string') this.#totals.compare(question, given);
    const { kind, topK, facts } = configuration;
    const result = scored(question, given, { kind, topK, facts, ms: this.#now() - began });
    this.#totals.add(question, result);
    return result;
  }

  /** @returns what is told of the question. @throws `error` where it ends the run. */
  #failed({ filter }: Question, error: unknown): string {
    const known = sqlErrorOf(error);
    if (known === null) throw error;
    if (isOwn(known, filter !== null)) return told(known);
    // What may not be read now may not for the next question either, nor goes on who has to end.
    if (/^(?:57|42501)/.test(known.sqlstate) || ++this.#failures >= FAILURES_MAX) throw known;
    return told(known);
  }
}

const told = ({ sqlstate, message }: SqlError): string => `${sqlstate} ${message}`;

/** Wrong values, too long ones, and whatever a question's filter may name. */
const isOwn = ({ sqlstate }: SqlError, isFiltered: boolean): boolean =>
  /^(?:21|22|54)/.test(sqlstate) || (isFiltered && sqlstate.startsWith('42'));
