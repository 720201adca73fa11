/** Long loops within one operator: how often they look at the clock, at the deadline and at a cancel. */
import { checkpoint, type Run } from './state.ts';

const STEPS_A_LOOK = 512;

export class Pace {
  readonly #run: Run;
  #left = STEPS_A_LOOK;

  constructor(run: Run) {
    this.#run = run;
  }

  /**
   * After so many more steps. Wait only for what is not null.
   * @throws the signal's reason.
   */
  after(steps: number): Promise<void> | null {
    this.#left -= steps;
    if (this.#left > 0) return null;
    this.#left = STEPS_A_LOOK;
    return checkpoint(this.#run);
  }
}
