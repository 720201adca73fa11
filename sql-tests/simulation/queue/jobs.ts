/**
 * A durable queue in memory, with the laws of `src/queue/queue-table.ts`: what is read and written in one turn is one
 * transaction, which begins late, may fail before it is committed, and may fail to tell that it is. Time is made here.
 */
import type { Ready, Work } from '../../../src/queue/lanes.ts';
import { Withdrawn } from '../../../src/queue/lanes.ts';
import { Violation } from '../model.ts';

export interface Row {
  readonly id: number;
  readonly key: string;
  state: 'queued' | 'under way' | 'done' | 'error' | 'cancelled';
  attempts: number;
  notBeforeMs: number;
}

/** A job as it was read. */
type Read = Pick<Row, 'id' | 'key' | 'attempts'>;

const ATTEMPTS_MAX = 3;
/** Odd, so that no wait for a second try is as long as a pause of the lanes. */
const RETRY_MS = 2_003;
const READ_COUNT_MAX = 3;

interface Sleeper {
  readonly who: 'alarm' | 'lane that tries again' | 'work' | 'client';
  readonly untilMs: number;
  readonly wake: () => void;
}

export class Jobs {
  readonly rows: Row[] = [];
  nowMs = 0;
  /** Steps of the store fail at times. */
  fails = false;
  readonly sleepers = new Set<Sleeper>();
  /** Jobs on which a lane works, by key. */
  readonly working = new Map<string, Row>();
  openLanes = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Begins anew in a process of its own, where nobody works, and nobody sleeps. */
  restart(): void {
    this.sleepers.clear();
    this.working.clear();
    this.openLanes = 0;
    for (const row of this.rows) {
      if (row.state !== 'under way') continue;
      row.state = 'queued';
      row.notBeforeMs = 0;
    }
  }

  /** Sleep of the lanes. */
  laneSleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.sleep(ms, signal, ms === PAUSE_MS ? 'lane that tries again' : 'alarm');
  }

  sleep(ms: number, signal: AbortSignal, who: Sleeper['who']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { who, untilMs: this.nowMs + ms, wake: resolve };
    this.sleepers.add(sleeper);
    const end = (): void => {
      this.sleepers.delete(sleeper);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return promise;
  }

  /** @returns false when nobody sleeps. */
  advance(): boolean {
    const next = Math.min(...[...this.sleepers].map(({ untilMs }) => untilMs));
    if (!Number.isFinite(next)) return false;
    const isOverslept = ({ state, key, notBeforeMs }: Row): boolean =>
      state === 'queued' && !this.working.has(key) && notBeforeMs > this.nowMs && notBeforeMs < next;
    const late = this.isIdle ? this.rows.find(isOverslept) : undefined;
    if (late !== undefined) throw new Violation(`job ${late.id} may be tried again, and lanes sleep on`);
    this.nowMs = next;
    for (const sleeper of [...this.sleepers]) {
      if (sleeper.untilMs > next) continue;
      this.sleepers.delete(sleeper);
      sleeper.wake();
    }
    return true;
  }

  /** Some lane does nothing, where nothing can go on but time. */
  get isIdle(): boolean {
    return !this.triesAgain && this.openLanes > this.working.size;
  }

  /** A lane waits to read or write what it could not. */
  get triesAgain(): boolean {
    return [...this.sleepers].some(({ who }) => who === 'lane that tries again');
  }

  mayBegin(row: Row): boolean {
    const isFirst = !this.rows.some(
      ({ key, id, state }) => key === row.key && id < row.id && (state === 'queued' || state === 'under way'),
    );
    return row.state === 'queued' && row.notBeforeMs <= this.nowMs && isFirst;
  }

  async transaction<Result>(place: string, work: () => Result, signal: AbortSignal | null): Promise<Result> {
    await globalThis.gate(undefined, `${place} begins`);
    signal?.throwIfAborted();
    if (this.#breaks()) throw new Error(`${place}: the disk is full`);
    const result = work();
    const isUntold = this.#breaks();
    await globalThis.gate(undefined, `${place} ends`);
    if (isUntold) throw new Error(`${place}: nobody knows whether it was committed`);
    return result;
  }

  #breaks(): boolean {
    return this.fails && this.#random() < 0.05;
  }

  work(signal: () => AbortSignal): Work<Read, AsyncDisposable> {
    return {
      name: 'jobs',
      open: () => {
        this.openLanes++;
        return { [Symbol.asyncDispose]: async () => void this.openLanes-- };
      },
      keyOf: ({ key }) => key,
      ready: () => this.transaction('ready', () => this.#ready(), signal()),
      claim: (_, job) => this.transaction('claim', () => this.#claim(job), signal()),
      run: (_, job, ended) => this.#run(job, ended),
      fail: (_, job, error) => this.transaction('fail', () => this.#fail(job, error), signal()),
      isReported: () => true,
      forget: () => this.transaction('forget', () => undefined, signal()),
    };
  }

  #ready(): Ready<Read> {
    const rows = this.rows.filter((row) => this.mayBegin(row)).slice(0, READ_COUNT_MAX);
    const waiting = this.rows.filter(
      ({ state, notBeforeMs }) => state === 'queued' && notBeforeMs > this.nowMs,
    );
    const retryMs = Math.min(...waiting.map(({ notBeforeMs }) => notBeforeMs)) - this.nowMs;
    return {
      jobs: rows.map(({ id, key, attempts }) => ({ id, key, attempts })),
      untilNextLook: Math.floor(this.#random() * 2),
      retryMs: waiting.length === 0 ? null : retryMs,
    };
  }

  #claim({ id, attempts }: Read): boolean {
    const row = this.rows.find((one) => one.id === id);
    if (row === undefined || row.state !== 'queued' || row.attempts !== attempts) return false;
    if (row.notBeforeMs > this.nowMs) throw new Violation(`job ${id} is tried before its time`);
    row.state = 'under way';
    row.attempts++;
    return true;
  }

  #held({ id, attempts }: Read): Row {
    const row = this.rows.find((one) => one.id === id);
    if (row?.state !== 'under way' || row.attempts !== attempts + 1) throw new Withdrawn();
    return row;
  }

  async #run(job: Read, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Violation(`work on job ${job.id} begins though it was withdrawn`);
    const other = this.working.get(job.key);
    if (other !== undefined) throw new Violation(`jobs ${other.id} and ${job.id} are under way at once`);
    this.working.set(job.key, { ...job, state: 'under way', notBeforeMs: 0 });
    try {
      for (let step = Math.floor(this.#random() * 3); step >= 0; step--) {
        if (this.#random() < 0.3) await this.sleep(WORK_MS, signal, 'work');
        await globalThis.gate(undefined, 'work');
        await this.transaction('step', () => this.#held(job), signal);
        if (this.#random() < 0.1) throw new Error('it fails');
      }
      await this.transaction('done', () => this.#end(job), signal);
      await globalThis.gate(undefined, 'worked');
    } finally {
      this.working.delete(job.key);
    }
  }

  #end(job: Read): void {
    this.#held(job).state = 'done';
  }

  #fail(job: Read, error: unknown): void {
    if (error instanceof Violation) throw error;
    const row = this.#held(job);
    row.state = row.attempts < ATTEMPTS_MAX ? 'queued' : 'error';
    row.notBeforeMs = this.nowMs + RETRY_MS * 2 ** (row.attempts - 1);
  }
}

/** As the lanes wait before they try something again. */
const PAUSE_MS = 1_000;
const WORK_MS = 777;
