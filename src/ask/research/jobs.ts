/**
 * Research as jobs: rows of `quern.research` that are done a few at a time, whoever waits for them. What was under way
 * when the server stopped goes on at its next start from the steps that are stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SQLSTATES, SqlError } from '../../errors.ts';
import type { AskRow } from '../../functions/services.ts';
import { Lanes, type Work } from '../../queue/lanes.ts';
import { claim, isWaiting, reasonOf, refuseEndless } from '../../queue/queue-table.ts';
import type { Researcher, ResearchRequest } from '../../session/research/researcher.ts';
import type { Query, ServerSession } from '../../session/server-session.ts';
import { checkQuestion } from '../asker.ts';
import { Reader } from '../question.ts';
import type { Writer } from '../writer.ts';
import { leaseOf, RUNS } from './queue.ts';
import { ResearchRun, type RunHost } from './run.ts';
import {
  cancelled,
  cancelRun,
  failRun,
  finish,
  forgetOldRuns,
  GIVEN_UP,
  goesOnAlone,
  insertRun,
  type QueuedRun,
  readyRuns,
  refuseUncommitted,
  requeueRuns,
  sameUnderWay,
  stateOf,
} from './run-rows.ts';
import { readSteps } from './steps.ts';
import { ToldSteps } from './told-steps.ts';
import { Waiters } from './waiters.ts';

export interface JobsHost {
  /** A language model that plans and writes facts; null: words alone. */
  readonly writer: Writer | null;
  openSession(): ServerSession;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
  nowMs(): number;
}

type Answered = (answerId: string | null) => void;

/** Runs at a time. */
const LANES = 4;
/** Who waits looks after so long, though nobody has told. */
const LOOK_MS_MAX = 1_000;

export class ResearchJobs implements Researcher, AsyncDisposable {
  readonly #host: JobsHost;
  readonly #reader = new Reader();
  readonly #lanes: Lanes<QueuedRun, ServerSession>;
  readonly #waiters = new Waiters((id) => this.#putAside(this.#giveUp(id)));
  readonly #aside = new Set<Promise<unknown>>();

  constructor(host: JobsHost) {
    this.#host = host;
    this.#lanes = new Lanes(this.#work(), {
      nowMs: () => host.nowMs(),
      report: (event, error) => this.#report(event, error),
    });
  }

  /** Goes on with what was under way. The relations are there. */
  async resume(): Promise<void> {
    await using session = this.#host.openSession();
    await session.transaction(requeueRuns, this.#lanes.signal);
    this.#lanes.start(LANES);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lanes[Symbol.asyncDispose]();
    await Promise.allSettled(this.#aside);
  }

  #work(): Work<QueuedRun, ServerSession> {
    const transaction = <Result>(session: ServerSession, work: (query: Query) => Promise<Result>) =>
      session.transaction(work, this.#lanes.signal);
    return {
      name: 'research',
      open: () => this.#host.openSession(),
      keyOf: ({ id }) => id,
      ready: (session) => transaction(session, readyRuns),
      claim: (session, run) => transaction(session, (query) => claim(query, RUNS, leaseOf(run))),
      run: (session, run, signal) => this.#run(session, run, signal),
      fail: (session, run, error) => this.#fail(session, run, error),
      isReported: (error) => !(error instanceof SqlError),
      forget: (session) => transaction(session, forgetOldRuns),
    };
  }

  async start(request: ResearchRequest, signal: AbortSignal): Promise<string> {
    checkQuestion(request);
    await using session = this.#host.openSession();
    const id = await session.transaction(async (query) => {
      await refuseUncommitted(query, request);
      return (await sameUnderWay(query, request)) ?? insertRun(query, request);
    }, signal);
    this.#lanes.wake();
    return id;
  }

  async *answer(request: ResearchRequest, signal: AbortSignal, answered: Answered): AsyncGenerator<AskRow> {
    // Whom it was begun for may give it up in the moment in which this one joins.
    while (!(yield* this.#whole(await this.start(request, signal), signal, answered, false)));
  }

  async *rows(
    id: string,
    signal: AbortSignal,
    answered: Answered,
    { onlyLooks }: { readonly onlyLooks: boolean },
  ): AsyncGenerator<AskRow> {
    if (!(yield* this.#whole(id, signal, answered, onlyLooks))) throw cancelled(id);
  }

  /** @returns false where it was given up by those who waited for it. */
  async *#whole(
    id: string,
    signal: AbortSignal,
    answered: Answered,
    onlyLooks: boolean,
  ): AsyncGenerator<AskRow, boolean> {
    using _ = this.#waiters.add(id, signal, { onlyLooks });
    const told = new ToldSteps();
    yield { kind: 'progress', update: `Research ${id}.` };
    await using session = this.#host.openSession();
    for (;;) {
      const woken = this.#waiters.woken(id);
      const { run, steps } = await session.transaction(
        async (query) => ({ run: await stateOf(query, id), steps: await readSteps(query, id, told.after) }),
        signal,
      );
      for (const update of told.updates(steps)) yield { kind: 'progress', update };
      if (run.state === 'done') {
        answered(run.answerId);
        yield* run.result ?? [];
        return true;
      }
      if (run.isGivenUp) return false;
      if (run.error !== null) throw run.error;
      const timer = new AbortController();
      const either = AbortSignal.any([signal, timer.signal]);
      const later = sleep(LOOK_MS_MAX, undefined, { signal: either, ref: false }).catch(() => undefined);
      await Promise.race([woken, later]);
      timer.abort();
      signal.throwIfAborted();
    }
  }

  cancel(id: string): Promise<boolean> {
    return this.#cancel(id, null);
  }

  async #cancel(id: string, reason: string | null): Promise<boolean> {
    await using session = this.#host.openSession();
    const found = await session.transaction((query) => cancelRun(query, id, reason), this.#lanes.signal);
    // Not before it is written: what is ended and does not say so would be under way for ever.
    if (found) this.#lanes.abort(id, cancelled(id));
    this.#waiters.tell(id);
    return found;
  }

  /** Unless it goes on in the background. */
  async #giveUp(id: string): Promise<void> {
    await using session = this.#host.openSession();
    const { signal } = this.#lanes;
    if (await session.transaction((query) => goesOnAlone(query, id), signal)) return;
    if (!this.#waiters.isWanted(id)) await this.#cancel(id, GIVEN_UP);
  }

  /** Runs work that nobody waits for. */
  #putAside(work: Promise<unknown>): void {
    const whole = work.catch((error: unknown) => this.#report('research was not cancelled', error));
    this.#aside.add(whole);
    void whole.finally(() => this.#aside.delete(whole));
  }

  async #run(session: ServerSession, run: QueuedRun, signal: AbortSignal): Promise<void> {
    refuseEndless(RUNS, leaseOf(run));
    await new ResearchRun(run, this.#runHost(), session, signal).whole();
  }

  async #fail(session: ServerSession, run: QueuedRun, error: unknown): Promise<void> {
    const sqlstate = error instanceof SqlError ? SQLSTATES[error.condition] : SQLSTATES.internal_error;
    const failure = { reason: reasonOf(error), sqlstate, waits: run.isBackground && isWaiting(error) };
    await session.transaction((query) => failRun(query, run, failure), this.#lanes.signal);
    this.#waiters.tell(run.id);
  }

  #runHost(): RunHost {
    return {
      reader: this.#reader,
      writer: this.#host.writer,
      openSession: () => this.#host.openSession(),
      nowMs: () => this.#host.nowMs(),
      told: (id) => this.#waiters.tell(id),
      finish,
    };
  }

  #report(event: string, error: unknown): void {
    if (this.#lanes.signal.aborted) return;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#host.log(event, { message });
  }
}
