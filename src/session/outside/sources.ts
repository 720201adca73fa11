/**
 * Relations that a statement has read so far: texts that it sends outside may come from any of them. One thing to know: a plan counts
 * as a whole from when it starts, with every relation that it names.
 */
import { touchedBy } from '../scope/key-limits.ts';

/** Plans that are kept; beyond, their relations are. */
const PLANS_COUNT_MAX = 32;

type Read = Parameters<typeof touchedBy>[0];

export class Sources {
  readonly #plans = new Set<Read>();
  readonly #relations = new Set<number>();
  /** It has been given texts of answers that are kept. */
  answers = false;

  add(planned: Read): void {
    this.#plans.add(planned);
    if (this.#plans.size > PLANS_COUNT_MAX) this.#settle();
  }

  relations(): ReadonlySet<number> {
    this.#settle();
    return this.#relations;
  }

  #settle(): void {
    for (const planned of this.#plans) {
      for (const { relation } of touchedBy(planned)) this.#relations.add(relation);
    }
    this.#plans.clear();
  }
}
