/**
 * Lanes that do what a durable queue holds, one job at a time each. All that is known of a job stands in its row: who
 * is killed leaves a job to do again, and nothing else. After every wait a row may be another's, or gone: claims and
 * failures are written only for the attempt that they are of.
 */
import { setTimeout as timeout } from 'node:timers/promises';

export interface Ready<Job> {
  /** In the order in which they are to begin. */
  readonly jobs: readonly Job[];
  /** Jobs after which newer ones are looked at: a long queue is not read again for each job. */
  readonly untilNextLook: number;
  /** Milliseconds until one may be tried again; null where none waits for its time. */
  readonly retryMs: number | null;
}

/** A queue, and what is done with its jobs. What it throws of a job not to be done any more is `Withdrawn`. */
export interface Work<Job, Lane> {
  /** Told when something of it fails. */
  readonly name: string;
  /** Opens what a lane works with. */
  open(): Lane;
  /** No two jobs of one key are under way at the same time. */
  keyOf(job: Job): string;
  ready(lane: Lane): Promise<Ready<Job>>;
  /** Takes a job for one attempt. @returns false where it has been taken, changed or withdrawn since it was read. */
  claim(lane: Lane, job: Job): Promise<boolean>;
  run(lane: Lane, job: Job, signal: AbortSignal): Promise<void>;
  /** Writes down that the attempt has failed: to be tried again, or for good. */
  fail(lane: Lane, job: Job, error: unknown): Promise<void>;
  /** False for what is no fault of ours, and is written down alone. */
  isReported(error: unknown): boolean;
  /** Removes what has ended long ago. */
  forget(lane: Lane): Promise<void>;
}

export interface LanesHost<Job> {
  nowMs(): number;
  /** @param job that it happened to, where it is one's own. */
  report(event: string, error: unknown, job: Job | null): void;
  /** Absent: by the clock. Ends early, and well, when the signal is aborted. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

/** The job is not to be done any more: cancelled, dropped, or taken for another attempt. */
export class Withdrawn extends Error {}

interface Taken<Job> {
  readonly job: Job;
  readonly own: AbortController;
}

const IDLE_MS_MAX = 60_000;
const FORGET_MS = 3_600_000;
/** Pause before a second try of what could not be read or written. */
const AGAIN_MS = 1_000;

export class Lanes<Job, Lane extends AsyncDisposable> implements AsyncDisposable {
  readonly #work: Work<Job, Lane>;
  readonly #host: LanesHost<Job>;
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, AbortController>();
  #ready: Job[] = [];
  /** Newer jobs are looked at when no more of the ready ones are left. */
  #lookAgainAt = 0;
  /** Something was asked for since the queue was read. */
  #isStale = false;
  /** A job has ended since, for which another one of its key may have waited. */
  #hasEnded = false;
  /** Wakes the lanes when a job may be tried again. */
  #alarm = new AbortController();
  #looking: Promise<void> | null = null;
  #forgotMs = Number.NEGATIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #finished: Promise<unknown> = Promise.resolve();

  constructor(work: Work<Job, Lane>, host: LanesHost<Job>) {
    this.#work = work;
    this.#host = host;
  }

  /** Aborted when the lanes are to end. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Once; nothing is under way in the queue. */
  start(count: number): void {
    this.#finished = Promise.all(Array.from({ length: count }, () => this.#lane()));
  }

  /** A job was committed, or may begin now. */
  wake(): void {
    this.#isStale = true;
    this.#awake();
  }

  /** Ends the work on a job that has been withdrawn. */
  abort(key: string, reason: unknown): void {
    this.#underWay.get(key)?.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('closing'));
    this.#awake();
    await this.#finished;
    this.#alarm.abort();
  }

  #awake(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async #lane(): Promise<void> {
    const { signal } = this.#closing;
    await using lane = this.#work.open();
    while (!signal.aborted) {
      const woken = this.#wake.promise;
      const taken = await this.#next(lane);
      // Until something is asked for, or a failed job may be tried again.
      if (taken === null) await woken;
      else await this.#do(lane, taken);
    }
  }

  /** One lane asks the queue for all. */
  async #next(lane: Lane): Promise<Taken<Job> | null> {
    const { signal } = this.#closing;
    if (this.#ready.length === 0 || (this.#isStale && this.#ready.length <= this.#lookAgainAt))
      await this.#look(lane);
    // What may begin since another lane has read the queue is in nobody's list yet.
    while (this.#ready.length === 0 && (this.#isStale || this.#hasEnded) && !signal.aborted)
      await this.#look(lane);
    const job = signal.aborted ? undefined : this.#ready.shift();
    if (job === undefined) return null;
    // In the turn in which it leaves the list: from then on no list has another one of its key.
    const own = new AbortController();
    this.#underWay.set(this.#work.keyOf(job), own);
    return { job, own };
  }

  #look(lane: Lane): Promise<void> {
    this.#looking ??= this.#looked(lane).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #looked(lane: Lane): Promise<void> {
    try {
      await this.#forget(lane);
      this.#isStale = false;
      this.#hasEnded = false;
      const { jobs, untilNextLook, retryMs } = await this.#work.ready(lane);
      this.#ready = jobs.filter((job) => !this.#underWay.has(this.#work.keyOf(job)));
      this.#lookAgainAt = this.#ready.length - untilNextLook;
      this.#setAlarm(Math.min(retryMs ?? IDLE_MS_MAX, IDLE_MS_MAX));
      // More than this lane takes: others may have lain down since.
      if (this.#ready.length > 1) this.#awake();
    } catch (error) {
      this.#report(`the queue of ${this.#work.name} cannot be read`, error, null);
      await this.#pause(AGAIN_MS);
      this.#isStale = true;
    }
  }

  async #forget(lane: Lane): Promise<void> {
    const nowMs = this.#host.nowMs();
    if (nowMs - this.#forgotMs < FORGET_MS) return;
    await this.#work.forget(lane);
    this.#forgotMs = nowMs;
  }

  #setAlarm(ms: number): void {
    this.#alarm.abort();
    const alarm = new AbortController();
    this.#alarm = alarm;
    void this.#sleep(ms, alarm.signal).then(() => {
      if (!alarm.signal.aborted) this.#awake();
    });
  }

  async #do(lane: Lane, { job, own }: Taken<Job>): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, own.signal]);
    try {
      if (!(await this.#work.claim(lane, job))) return;
      signal.throwIfAborted();
      await this.#work.run(lane, job, signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof Withdrawn)) await this.#failed({ lane, job, error }, signal);
    } finally {
      this.#underWay.delete(this.#work.keyOf(job));
      this.#hasEnded = true;
    }
  }

  /** A failure that is not written down would be under way for ever. */
  async #failed(
    { lane, job, error }: { readonly lane: Lane; readonly job: Job; readonly error: unknown },
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#work.isReported(error)) this.#report(`${this.#work.name} failed`, error, job);
    while (!signal.aborted) {
      try {
        await this.#work.fail(lane, job, error);
        return;
      } catch (also) {
        if (also instanceof Withdrawn) return;
        this.#report('a failure was not written down', also, job);
        await this.#pause(AGAIN_MS);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return this.#sleep(ms, this.#closing.signal);
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#host.sleep?.(ms, signal) ?? clockSleep(ms, signal);
  }

  #report(event: string, error: unknown, job: Job | null): void {
    if (!this.#closing.signal.aborted) this.#host.report(event, error, job);
  }
}

const clockSleep = (ms: number, signal: AbortSignal): Promise<void> =>
  timeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
