/**
 * Decides who goes on: every continuation that is ready waits at its gate, and one at a time is let through,
 * which runs to its next gate. The order follows from the seed, so that what was found once is found again.
 */

declare global {
  /** Placed by `hook.ts` at each `await`; hands the value through when no simulation runs. */
  var gate: (value: unknown, place: string) => unknown;
}

interface Ready {
  readonly place: string;
  readonly go: () => void;
}

/** Nobody can go on, though the work has not ended. */
class Stuck extends Error {
  override readonly name = 'Stuck';
}

/** A way to choose: @returns the place among `ready`. */
type Policy = (ready: readonly Ready[]) => number;

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

export class Scheduler {
  /** Where the continuations went on that were let through, in order. */
  readonly trace: string[] = [];
  readonly #pick: Policy;
  readonly #ready: Ready[] = [];

  constructor(random: () => number) {
    this.#pick = policyOf(random);
    globalThis.gate = (value, place) => this.#wait(value, place);
  }

  /** Everybody goes on as they like from now on. */
  close(): void {
    globalThis.gate = (value) => value;
    for (const { go } of this.#ready.splice(0)) go();
  }

  /** Nobody who waits goes on any more: the process was killed. */
  kill(): void {
    this.#ready.length = 0;
  }

  /**
   * Runs until the work has ended. @returns false when it took `stepsMax` steps before.
   * @throws what the work throws, `Stuck`.
   */
  async run(work: Promise<unknown>, stepsMax: number): Promise<boolean> {
    let ended: { readonly error?: unknown } | null = null;
    work.then(
      () => {
        ended = {};
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    const isEnded = (): { readonly error?: unknown } | null => ended;
    for (let step = 0; ; step++) {
      await turn();
      const end = isEnded();
      if (end !== null && 'error' in end) throw end.error;
      if (end !== null) return true;
      if (step === stepsMax) return false;
      if (!this.#step()) throw new Stuck('nobody can go on');
    }
  }

  /** Runs what is ready until nothing is. @returns false when that took `stepsMax` steps. */
  async settle(stepsMax: number): Promise<boolean> {
    for (let step = 0; step < stepsMax; step++) {
      await turn();
      if (!this.#step()) return true;
    }
    return false;
  }

  #step(): boolean {
    if (this.#ready.length === 0) return false;
    const [chosen] = this.#ready.splice(this.#pick(this.#ready), 1) as [Ready];
    this.trace.push(chosen.place);
    chosen.go();
    return true;
  }

  #wait(value: unknown, place: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      Promise.resolve(value).then(
        (result) => this.#ready.push({ place, go: () => resolve(result) }),
        (error: unknown) => this.#ready.push({ place, go: () => reject(error) }),
      );
    });
  }
}

/** All alike; in order but for a few; or some places always late. Each finds what the others seldom do. */
function policyOf(random: () => number): Policy {
  const any: Policy = ({ length }) => Math.floor(random() * length);
  const kind = Math.floor(random() * 3);
  if (kind === 0) return any;
  if (kind === 1) return (ready) => (random() < 0.15 ? any(ready) : 0);
  const priorities = new Map<string, number>();
  const priorityOf = ({ place }: Ready): number => {
    const known = priorities.get(place) ?? random();
    priorities.set(place, known);
    return known;
  };
  return (ready) => {
    if (random() < 0.1) return any(ready);
    const places = ready.map(priorityOf);
    return places.indexOf(Math.min(...places));
  };
}
