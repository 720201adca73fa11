/** Long loops within one operator: how often they look at the clock, at the deadline and at a cancel. */
import { checkpoint, type Run } from './state.ts';

export class Pace {
  readonly #run: Run;
  readonly #stepsALook: number;
  #left: number;

  /** @param stepsALook fewer where a step takes longer. */
  constructor(run: Run, stepsALook = 512) {
    this.#run = run;
    this.#stepsALook = stepsALook;
    this.#left = stepsALook;
  }

  /**
   * After so many more steps. Wait only for what is not null.
   * @throws the signal's reason.
   */
  after(steps: number): Promise<void> | null {
    this.#left -= steps;
    if (this.#left > 0) return null;
    this.#left = this.#stepsALook;
    return checkpoint(this.#run);
  }
}
