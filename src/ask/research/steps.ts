/**
 * A run's steps as they are stored, in `quern.research_steps`: all that a run that goes on has to know. They are written
 * in the order of their numbers, several in one transaction where only all of them together make sense.
 */
import { Withdrawn } from '../../queue/lanes.ts';
import { hold, type Lease } from '../../queue/queue-table.ts';
import { integer, json } from '../../session/datasets/parameters.ts';
import type { Parameter, Query, Row, ServerSession } from '../../session/server-session.ts';
import { OID } from '../../types/oids.ts';
import { leaseOf, RUNS } from './queue.ts';

export type StepKind = 'plan' | 'search' | 'keep' | 'reject' | 'gap' | 'contradiction' | 'synthesis';

export interface NewStep {
  readonly kind: StepKind;
  /** The step that it belongs to: a search's is a part of the plan, that of what it found is the search. */
  readonly parent?: number;
  readonly question?: string;
  readonly text?: string;
  readonly reason?: string;
  readonly dataset?: string;
  readonly doc_id?: string;
  readonly content_id?: string;
  readonly score?: number;
  /** State that what goes on from it needs, as JSON has it. */
  readonly detail?: unknown;
  readonly isUnderWay?: true;
}

export interface Step {
  readonly step: number;
  readonly kind: StepKind;
  readonly parent: number | null;
  readonly question: string | null;
  readonly text: string | null;
  readonly reason: string | null;
  readonly detail: unknown;
  readonly isFinished: boolean;
}

export const researchId = (id: string): Parameter => [OID.uuid, id];

const COLUMNS = 'step, kind, parent, question, text, reason, detail, finished_at IS NOT NULL AS finished';

/** Those after `after`, in their order. */
export async function readSteps(query: Query, id: string, after: number): Promise<readonly Step[]> {
  const rows = await query(
    `SELECT ${COLUMNS} FROM quern.research_steps WHERE research_id = $1 AND step > $2 ORDER BY step`,
    researchId(id),
    integer(after),
  );
  return rows.map(stepOf);
}

function stepOf(row: Row): Step {
  const string = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  return {
    step: Number(row.step),
    kind: row.kind as StepKind,
    parent: row.parent == null ? null : Number(row.parent),
    question: string('question'),
    text: string('text'),
    reason: string('reason'),
    detail: row.detail == null ? null : (JSON.parse(String(row.detail)) as unknown),
    isFinished: row.finished === true,
  };
}

const INSERT = `INSERT INTO quern.research_steps
    (research_id, step, parent, kind, question, text, reason, dataset, doc_id, content_id, score, detail,
     started_at, finished_at)
  SELECT $1, s.step, s.parent, s.kind, s.question, s.text, s.reason, s.dataset, s.doc_id, s.content_id,
    s.score, s.detail, clock_timestamp(), CASE WHEN s.under_way THEN NULL ELSE clock_timestamp() END
  FROM jsonb_to_recordset($2) AS s(step integer, parent integer, kind text, question text, text text,
    reason text, dataset text, doc_id text, content_id text, score float8, detail jsonb, under_way boolean)`;

export class StepLog {
  readonly #id: string;
  readonly #lease: Lease;
  readonly #session: ServerSession;
  readonly #signal: AbortSignal;
  readonly #told: () => void;
  #steps: readonly Step[] = [];

  /** @param run its attempt, for which steps are written. @param told is called after each commit. */
  constructor(
    { id, attempt }: { readonly id: string; readonly attempt: number },
    session: ServerSession,
    signal: AbortSignal,
    told: () => void,
  ) {
    this.#id = id;
    this.#lease = leaseOf({ id, attempt });
    this.#session = session;
    this.#signal = signal;
    this.#told = told;
  }

  async read(): Promise<void> {
    this.#steps = await this.#session.transaction((query) => readSteps(query, this.#id, 0), this.#signal);
  }

  of(kind: StepKind, parent?: number): readonly Step[] {
    return this.#steps.filter(
      (step) => step.kind === kind && (parent === undefined || step.parent === parent),
    );
  }

  /** Number of the last one. */
  get last(): number {
    return this.#steps.at(-1)?.step ?? 0;
  }

  /**
   * One transaction, of which nothing stays where the run is not under way any more.
   * @param work what is written besides.
   */
  async write(work: (log: StepWriter) => Promise<void>): Promise<void> {
    const fresh = await this.#session.transaction(async (query) => {
      // Whoever writes steps asks for the run first: one that was cancelled meanwhile gets none.
      if (!(await hold(query, RUNS, this.#lease))) throw new Withdrawn();
      const writer = new StepWriter(query, this.#id, this.last);
      await work(writer);
      return readSteps(query, this.#id, writer.unchanged);
    }, this.#signal);
    const [first] = fresh;
    const before = first === undefined ? this.#steps : this.#steps.filter(({ step }) => step < first.step);
    this.#steps = [...before, ...fresh];
    this.#told();
  }
}

export class StepWriter {
  readonly query: Query;
  readonly #id: string;
  #last: number;
  #unchanged: number;

  constructor(query: Query, id: string, last: number) {
    this.query = query;
    this.#id = id;
    this.#last = last;
    this.#unchanged = last;
  }

  /** Steps up to this one are as they were. */
  get unchanged(): number {
    return this.#unchanged;
  }

  async add(steps: readonly NewStep[]): Promise<void> {
    if (steps.length === 0) return;
    const rows = steps.map(({ isUnderWay = false, ...step }) => ({
      ...step,
      step: ++this.#last,
      under_way: isUnderWay,
    }));
    await this.query(INSERT, researchId(this.#id), json(rows));
  }

  async finish(step: number, text: string, detail: unknown): Promise<void> {
    this.#unchanged = Math.min(this.#unchanged, step - 1);
    await this.query(
      `UPDATE quern.research_steps SET text = $3, detail = $4, finished_at = clock_timestamp()
       WHERE research_id = $1 AND step = $2`,
      researchId(this.#id),
      integer(step),
      [OID.text, text],
      json(detail),
    );
  }

  /** Rejects a kept fact that stands no longer. */
  async reject(step: number, reason: string): Promise<void> {
    this.#unchanged = Math.min(this.#unchanged, step - 1);
    await this.query(
      `UPDATE quern.research_steps SET kind = 'reject', reason = $3 WHERE research_id = $1 AND step = $2`,
      researchId(this.#id),
      integer(step),
      [OID.text, reason],
    );
  }
}
