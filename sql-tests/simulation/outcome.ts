/** The frame of a simulation: its chance and its order follow from the seed, and what it finds wrong is its outcome. */
import { seededRandom } from '../../src/seeded-random.ts';
import { Scheduler } from './scheduler.ts';

export interface Outcome {
  readonly seed: number;
  /** Null: all laws held. */
  readonly error: unknown;
  /** Where the continuations went on, in order. */
  readonly trace: readonly string[];
}

/** A simulation, made for its chance. */
export interface Simulated {
  /** Violation found where nobody waits for it: it comes before what `run` throws. */
  readonly background: unknown;
  /** @throws Violation. */
  run(): Promise<void>;
}

export interface Chance {
  /** 0..1. */
  readonly random: () => number;
  readonly scheduler: Scheduler;
}

export async function outcomeOf(seed: number, make: (chance: Chance) => Simulated): Promise<Outcome> {
  const random = seededRandom(Math.imul(seed, 2_654_435_761));
  for (let i = 0; i < 4; i++) random();
  const scheduler = new Scheduler(random);
  const simulation = make({ random, scheduler });
  let error: unknown = null;
  try {
    await simulation.run();
  } catch (thrown) {
    error = thrown;
  }
  const { trace } = scheduler;
  scheduler.close();
  return { seed, error: simulation.background ?? error, trace };
}
