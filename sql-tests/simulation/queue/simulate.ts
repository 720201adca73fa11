/**
 * One simulation of lanes over a queue: some ask for jobs, cancel and drop them while lanes work, the store fails at
 * times, and the server is stopped, or killed, and started again. Whenever nothing can go on but time, laws are held.
 */
import { Lanes } from '../../../src/queue/lanes.ts';
import { Violation } from '../model.ts';
import { type Chance, type Outcome, outcomeOf, type Simulated } from '../outcome.ts';
import type { Scheduler } from '../scheduler.ts';
import { Jobs, type Row } from './jobs.ts';

/** Continuations between two moments of time; some hundred times what it takes. */
const STEPS_MAX = 20_000;
/** Moments of time of one simulation. */
const MOMENTS_MAX = 4_000;
const CLIENT_SLEEP_MS_MAX = 3_001;

export const simulate = (seed: number): Promise<Outcome> =>
  outcomeOf(seed, (chance) => new QueueSimulation(chance));

type QueueLanes = Lanes<Pick<Row, 'id' | 'key' | 'attempts'>, AsyncDisposable>;

class QueueSimulation implements Simulated {
  readonly scheduler: Scheduler;
  /** Violation that a lane found, and caught. */
  background: unknown = null;
  readonly #random: () => number;
  readonly #jobs: Jobs;
  readonly #count: number;
  #lanes: QueueLanes;
  #clients = 0;
  #asked = 0;

  constructor({ random, scheduler }: Chance) {
    this.#random = random;
    this.scheduler = scheduler;
    this.#jobs = new Jobs(random);
    this.#count = 1 + Math.floor(random() * 3);
    this.#lanes = this.#open();
  }

  async run(): Promise<void> {
    this.#jobs.fails = this.#random() < 0.4;
    const clients = 1 + Math.floor(this.#random() * 3);
    for (let i = 0; i < clients; i++) void this.#client();
    for (let moment = 0; moment < MOMENTS_MAX; moment++) {
      if (!(await this.scheduler.settle(STEPS_MAX))) throw new Violation('it does not come to rest');
      if (this.background !== null) return;
      this.#requireLaws();
      if (this.#clients === 0 && !this.#jobs.rows.some(isUnfinished)) return this.#end();
      const chance = this.#random();
      if (chance < 0.02) this.#kill();
      else if (chance < 0.05) await this.#stop();
      else if (!this.#jobs.advance()) throw new Violation('nobody goes on, and not all has ended');
    }
    throw new Violation('it does not end');
  }

  async #end(): Promise<void> {
    this.#jobs.fails = false;
    await this.#stop();
  }

  #open(): QueueLanes {
    const lanes: QueueLanes = new Lanes(
      this.#jobs.work((): AbortSignal => lanes.signal),
      {
        nowMs: () => this.#jobs.nowMs,
        report: (_, error) => {
          if (error instanceof Violation) this.background ??= error;
        },
        sleep: (ms, signal) => this.#jobs.laneSleep(ms, signal),
      },
    );
    lanes.start(this.#count);
    return lanes;
  }

  /** Holds when nothing can go on but time. */
  #requireLaws(): void {
    const jobs = this.#jobs;
    const waits = jobs.rows.find((row) => jobs.mayBegin(row) && !jobs.working.has(row.key));
    if (waits !== undefined && jobs.isIdle && !jobs.triesAgain)
      throw new Violation(`job ${waits.id} waits, and a lane is idle`);
    for (const { id } of jobs.working.values()) {
      const row = jobs.rows.find((one) => one.id === id);
      if (row?.state === 'cancelled') throw new Violation(`work on job ${id} goes on though it is cancelled`);
    }
    const stuck = jobs.rows.find(({ state, key }) => state === 'under way' && !jobs.working.has(key));
    if (stuck !== undefined && !jobs.triesAgain)
      throw new Violation(`job ${stuck.id} is under way, and nobody works on it`);
  }

  async #stop(): Promise<void> {
    let hasEnded = false;
    void this.#lanes[Symbol.asyncDispose]().then(() => {
      hasEnded = true;
    });
    if (!(await this.scheduler.settle(STEPS_MAX))) throw new Violation('it does not come to rest');
    if (!hasEnded) throw new Violation('the lanes do not end');
    if (this.#jobs.working.size + this.#jobs.openLanes > 0) throw new Violation('work goes on after the end');
    this.#jobs.restart();
    this.#lanes = this.#open();
  }

  /** Whoever was doing something does it no more; clients come again. */
  #kill(): void {
    this.scheduler.kill();
    this.#jobs.restart();
    this.#lanes = this.#open();
    const clients = this.#clients;
    this.#clients = 0;
    for (let i = 0; i < clients; i++) void this.#client();
  }

  async #client(): Promise<void> {
    this.#clients++;
    for (let left = 2 + Math.floor(this.#random() * 8); left > 0; left--) {
      if (this.#random() < 0.5) await this.#jobs.sleep(this.#random() * CLIENT_SLEEP_MS_MAX, NEVER, 'client');
      await globalThis.gate(undefined, 'client');
      await this.#act().catch((error: unknown) => {
        if (error instanceof Violation) this.background ??= error;
      });
    }
    this.#clients--;
  }

  async #act(): Promise<void> {
    const { rows } = this.#jobs;
    const chance = this.#random();
    const unfinished = rows.filter(isUnfinished);
    if (chance < 0.6 || unfinished.length === 0) {
      const ask = this.#jobs.transaction('ask', () => void rows.push(this.#newRow(this.#asked++)), null);
      // Told by the commit, whatever becomes of who asks.
      await ask.finally(() => this.#lanes.wake());
      return;
    }
    const row = unfinished[Math.floor(this.#random() * unfinished.length)] as Row;
    if (isAlone(row)) await this.#cancel(row);
    else await this.#drop(row);
  }

  /** A job that has a key of its own. */
  async #cancel(row: Row): Promise<void> {
    await this.#jobs.transaction('cancel', () => cancel(row), null).catch(() => undefined);
    if (row.state === 'cancelled') this.#lanes.abort(row.key, new Error('cancelled'));
  }

  /** Another one of its key may begin. */
  async #drop(row: Row): Promise<void> {
    const { rows } = this.#jobs;
    const drop = this.#jobs.transaction('drop', () => remove(rows, row), null);
    await drop.finally(() => this.#lanes.wake());
  }

  #newRow(id: number): Row {
    const key = this.#random() < 0.4 ? `own ${id}` : `key ${Math.floor(this.#random() * 4)}`;
    return { id, key, state: 'queued', attempts: 0, notBeforeMs: 0 };
  }
}

const NEVER = new AbortController().signal;

const isUnfinished = ({ state }: Row): boolean => state === 'queued' || state === 'under way';

const isAlone = ({ key }: Row): boolean => key.startsWith('own');

function remove(rows: Row[], row: Row): void {
  const at = rows.indexOf(row);
  if (at >= 0) rows.splice(at, 1);
}

function cancel(row: Row): void {
  if (isUnfinished(row)) row.state = 'cancelled';
}
