/**
 * Research as jobs: rows of `quern.research` that are done a few at a time, whoever waits for them. What was under way
 * when the server stopped goes on at its next start from the steps that are stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SQLSTATES, SqlError } from '../../errors.ts';
import type { AskRow } from '../../functions/services.ts';
import { Lanes, type Work } from '../../queue/lanes.ts';
import { claim, isWaiting, reasonOf, refuseEndless } from '../../queue/queue-table.ts';
import type { Onlooker, Researcher, ResearchRequest, RunReader } from '../../session/research/researcher.ts';
import type { Query, ServerSession } from '../../session/server-session.ts';
import type { Starter } from '../../session/whose.ts';
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
  isOwnRun,
  requireOwnRun,
  type QueuedRun,
  readyRuns,
  refuseUncommitted,
  requeueRuns,
  sameUnderWay,
  stateOf,
} from './run-rows.ts';
import { documentsCited, documentsOfSteps, isOfDropped } from './run-documents.ts';
import { readSteps } from './steps.ts';
import { ToldSteps } from './told-steps.ts';
import { Waiters } from './waiters.ts';

export interface JobsHost {
  /** A language model that plans and writes facts; null: words alone. */
  readonly writer: Writer | null;
  openSession(): ServerSession;
  /** @throws SqlError 57P01 once the key has ended. */
  openAs(starter: Starter): ServerSession;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
  nowMs(): number;
}

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

  async *answer(request: ResearchRequest, onlooker: Onlooker): AsyncGenerator<AskRow> {
    const { signal } = onlooker;
    // Whom it was begun for may give it up in the moment in which this one joins.
    while (!(yield* this.#whole(await this.start(request, signal), onlooker, { onlyLooks: false })));
  }

  async *rows(id: string, onlooker: Onlooker, how: { readonly onlyLooks: boolean }): AsyncGenerator<AskRow> {
    const { reader, signal } = onlooker;
    // Before it counts as one who waits, whose going could end the run.
    await this.#once((query) => requireOwnRun(query, id, reader), signal);
    if (!(yield* this.#whole(id, onlooker, how))) throw cancelled(id);
  }

  /** @returns false where it was given up by those who waited for it. */
  async *#whole(
    id: string,
    { reader, signal, answered }: Onlooker,
    { onlyLooks }: { readonly onlyLooks: boolean },
  ): AsyncGenerator<AskRow, boolean> {
    using _ = this.#waiters.add(id, signal, { onlyLooks });
    const told = new ToldSteps();
    yield { kind: 'progress', update: `Research ${id}.` };
    await using session = this.#host.openSession();
    for (;;) {
      const woken = this.#waiters.woken(id);
      const { run, steps, documents } = await session.transaction(
        async (query) => ({
          run: await stateOf(query, id, reader),
          steps: await readSteps(query, id, told.after),
          documents: await documentsOfSteps(query, id),
        }),
        signal,
      );
      // What is told of it would tell of them.
      const updates = (await reader.sees(documents)) ? told.updates(steps) : [];
      for (const update of updates) yield { kind: 'progress', update };
      if (run.state === 'done') {
        const rows = run.result ?? [];
        const said = [...documents.filter(isOfDropped), ...documentsCited(rows)];
        if (!(await reader.sees(said))) throw hidden(id);
        answered(run.answerId);
        yield* rows;
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

  async cancel(id: string, reader: RunReader): Promise<boolean> {
    const isOwn = await this.#once((query) => isOwnRun(query, id, reader), this.#lanes.signal);
    return isOwn && (await this.#cancel(id, null));
  }

  /** One transaction of the server's own. */
  async #once<Result>(work: (query: Query) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await using session = this.#host.openSession();
    return await session.transaction(work, signal);
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
    await using asker = this.#host.openAs(run.starter ?? nobody());
    await new ResearchRun(run, this.#runHost(), { server: session, asker }, signal).whole();
  }

  async #fail(session: ServerSession, run: QueuedRun, error: unknown): Promise<void> {
    const sqlstate = error instanceof SqlError ? SQLSTATES[error.condition] : SQLSTATES.internal_error;
    const isKeyEnd = error instanceof SqlError && error.condition === 'admin_shutdown';
    const reason = isKeyEnd ? 'the key that it was begun with is no longer valid' : reasonOf(error);
    const failure = { reason, sqlstate, waits: run.isBackground && isWaiting(error) };
    await session.transaction((query) => failRun(query, run, failure), this.#lanes.signal);
    this.#waiters.tell(run.id);
  }

  #runHost(): RunHost {
    return {
      reader: this.#reader,
      writer: this.#host.writer,
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

function nobody(): never {
  throw new SqlError('insufficient_privilege', 'it does not say who began it');
}

const hidden = (id: string): SqlError =>
  new SqlError('insufficient_privilege', `research ${id} cites documents that may not be seen now`, {
    hint: 'Asked anew, it is answered from what may be seen.',
  });
