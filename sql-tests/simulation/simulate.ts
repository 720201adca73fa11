/**
 * One simulation: some clients over one engine, in an order that follows from the seed; then, after the power
 * failed or an orderly end, a second engine over what is stored.
 */
import type { Engine } from '../../src/engine/engine.ts';
import type { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { MergeJob, MergeResult } from '../../src/engine/embedded/merge/job.ts';
import { mergeRows } from '../../src/engine/embedded/merge/rows.ts';
import type { MergeRunner } from '../../src/engine/embedded/merge/merger.ts';
import { openEmbeddedEngine } from '../../src/engine/embedded/open.ts';
import { derivedRing, KeyRing, newContent, newKey, type RingContent } from '../../src/storage/key-ring.ts';
import { SqlError } from '../../src/errors.ts';
import { runClient } from './client.ts';
import { requireLaws, requireLsns } from './laws.ts';
import { Model, Violation } from './model.ts';
import { type Chance, type Outcome, outcomeOf, type Simulated } from './outcome.ts';
import { firstCatalog, ITEMS, NUMBERS } from './schema.ts';
import type { Scheduler } from './scheduler.ts';
import { requireSerial } from './serial-order.ts';
import { SimulatedStore } from './simulated-store.ts';
import { Canceled } from './work.ts';
import type { World } from './world.ts';

const MASTER_KEY = new Uint8Array(32).fill(7);
const NEVER = new AbortController().signal;
/** Continuations of one simulation; some ten times what it takes. */
const STEPS_MAX = 50_000;
/** One simulation of so many has a deferrable key. */
const DEFERRING = 4;
/** In one of so many data keys are changed beside the clients. */
const KEYED = 3;

export const simulate = (seed: number): Promise<Outcome> =>
  outcomeOf(seed, (chance) => new Simulation(seed, chance));

/** Merges in this thread, when its turn comes. */
class TurnMerger implements MergeRunner {
  #stop: (reason: Error) => void = () => {};

  async run(job: MergeJob): Promise<MergeResult> {
    const stopped = new Promise<never>((_, reject) => {
      this.#stop = reject;
    });
    return await Promise.race([stopped, globalThis.gate(Promise.resolve(), 'merger')]).then(() =>
      mergeRows(job),
    );
  }

  stop(reason: Error): void {
    this.#stop(reason);
  }

  async close(): Promise<void> {
    this.stop(new Error('the merge worker was ended'));
  }
}

class Simulation implements Simulated {
  readonly scheduler: Scheduler;
  /** The error of background work that may not fail. */
  background: unknown = null;
  readonly #random: () => number;
  readonly #model = new Model();
  /** Writes of the store fail at times. */
  readonly #fails: boolean;
  readonly #defers: boolean;
  /** Null: all keys are derived from one. */
  readonly #ring: KeyRing | null;
  #store: SimulatedStore;
  #isFailing = false;

  constructor(seed: number, { random, scheduler }: Chance) {
    this.#random = random;
    this.scheduler = scheduler;
    this.#fails = random() < 0.2;
    this.#defers = seed % DEFERRING === 0;
    this.#ring = seed % KEYED === 0 ? new KeyRing('data keys', newContent()) : null;
    this.#store = this.#storeOf([]);
  }

  async run(): Promise<void> {
    const engine = await this.#within(this.#open());
    await this.#within(createItems(engine, this.#defers));
    const world: World = {
      engine,
      model: this.#model,
      random: this.#random,
      lsns: new Map(),
      fails: this.#fails,
      isSerial: this.#random() < 0.3,
      defers: this.#defers,
      drawn: new Set(),
      stored: new Set(),
      waiting: new Map(),
      advisory: new Map(),
    };
    this.#isFailing = this.#fails;
    const crashes = this.#random() < 0.3;
    const ended = await this.scheduler.run(
      this.#clients(engine, world),
      crashes ? Math.floor(this.#random() * 2_000) : STEPS_MAX,
    );
    if (!ended && !crashes) throw new Violation('it does not end');
    this.#isFailing = false;
    if (ended) await this.#end(engine, world);
    else this.scheduler.kill();
    await this.#recover(world);
  }

  async #clients(engine: EmbeddedEngine, world: World): Promise<void> {
    const count = 2 + Math.floor(this.#random() * 4);
    const watching = new AbortController();
    const watcher = watchLsn(world.engine, watching.signal);
    const transactions = Math.ceil((world.isSerial ? 30 : 12) / count);
    const clients = Array.from({ length: count }, (_, i) => runClient(world, i + 1, transactions));
    const worked = Promise.all(clients).then(() => watching.abort(new Canceled()));
    const changer = this.#ring === null ? null : changeKeys(engine, this.#ring, watching.signal);
    await Promise.all([worked, watcher, changer]);
  }

  /** All that must hold when nobody works any more. */
  async #end(engine: EmbeddedEngine, { lsns }: World): Promise<void> {
    if (!(await this.scheduler.settle(STEPS_MAX))) throw new Violation('background work does not end');
    const { snapshots, locks } = engine.open;
    if (snapshots + locks > 0) throw new Violation(`${snapshots} snapshots and ${locks} locks are left`);
    await this.#within(requireLaws(engine, this.#model, 'in the end'));
    requireSerial(this.#model);
    for (const [name, list] of lsns) {
      const partition = name.split('$')[1] ?? null;
      requireLsns(list, Number(engine.lsn(ITEMS, partition)), `${name} in the end`);
    }
    await this.#within(engine.flush());
    await this.#within(requireLaws(engine, this.#model, 'flushed'));
    await this.#within(engine.close());
  }

  /** Checks that all acknowledged writes are there again. */
  async #recover({ lsns, stored }: World): Promise<void> {
    this.#store = this.#storeOf(this.#store.image());
    const engine = await this.#within(this.#open());
    await this.#within(requireLaws(engine, this.#model, 'started again'));
    for (const [name, list] of lsns) {
      const newest = Number(engine.lsn(ITEMS, name.split('$')[1] ?? null));
      if (newest < Math.max(...list)) throw new Violation(`${name} fell back to LSN ${newest}`);
    }
    const transaction = engine.begin({ isolation: 'read committed', readOnly: false });
    const next = transaction.nextValue(NUMBERS);
    transaction.rollback();
    if (next === null || stored.has(next)) throw new Violation(`${next} is drawn again after the start`);
    await this.#within(engine.flush());
    await this.#within(requireLaws(engine, this.#model, 'started again and flushed'));
    await this.#within(engine.close());
    if (!(await this.scheduler.settle(STEPS_MAX))) throw new Violation('the closed engine does not end');
  }

  async #within<T>(work: Promise<T>): Promise<T> {
    if (!(await this.scheduler.run(work, STEPS_MAX))) throw new Violation('it does not end');
    return work;
  }

  #storeOf(image: ConstructorParameters<typeof SimulatedStore>[0]): SimulatedStore {
    return new SimulatedStore(image, () => this.#isFailing && this.#random() < 0.05);
  }

  #open(): Promise<EmbeddedEngine> {
    const small = (max: number): number => 1 + Math.floor(this.#random() * max);
    return openEmbeddedEngine({
      masterKey: async () => this.#ring ?? derivedRing(MASTER_KEY),
      store: this.#store,
      settings: {
        headRows: small(8),
        mergeCount: 2,
        idleMs: 0,
        singleLocks: this.#random() < 0.5 ? 256 : small(3) - 1,
        stagedBytes: this.#random() < 0.3 ? 64 : 1e6,
        journalCommits: small(8) - 1,
        ownBytes: this.#random() < 0.3 ? small(2_000) : null,
      },
      report: (error) => {
        if (this.#fails && error instanceof SqlError && error.sqlstate === '53100') return;
        this.background ??= error;
      },
      pause: async () => {},
      merger: new TurnMerger(),
    });
  }
}

async function createItems(engine: Engine, defers: boolean): Promise<void> {
  const transaction = engine.begin({ isolation: 'read committed', readOnly: false });
  await transaction.changeCatalog(() => firstCatalog(defers), NEVER);
  await transaction.commit();
}

/** Begins one data key after the other, seals all anew, and destroys the older ones. */
async function changeKeys({ keyed }: EmbeddedEngine, ring: KeyRing, signal: AbortSignal): Promise<void> {
  const change = async (data: RingContent['data'], from: number): Promise<void> => {
    const generation = ring.content.generation + 1;
    ring.use({ ...ring.content, generation, data });
    await keyed.pin(generation, from);
  };
  try {
    for (;;) {
      const from = keyed.epoch + 2;
      await change([...ring.content.data, { from, key: newKey() }], from);
      await keyed.sealAnew(from, signal);
      await change(ring.content.data.slice(-1), from);
    }
  } catch (error) {
    const isFull = error instanceof SqlError && error.sqlstate === '53100';
    if (!isFull && !(error instanceof Canceled)) throw error;
  }
}

/** Waits for one LSN after the other. */
async function watchLsn(engine: Engine, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const wanted = Number(engine.lsn(ITEMS, null)) + 2;
      await engine.waitForLsn(ITEMS, null, String(wanted), signal);
      const newest = engine.lsn(ITEMS, null);
      if (Number(newest) < wanted) throw new Violation(`waited for LSN ${wanted}, there is ${newest}`);
    }
  } catch (error) {
    if (!(error instanceof Canceled)) throw error;
  }
}
