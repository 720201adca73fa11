/**
 * Ends a process from which nothing comes: one that computes by its own processor time, since a machine that is busy
 * with other things must not fail a file, and one that only waits by the clock.
 */
import { readFileSync } from 'node:fs';

export interface Patience {
  /** Processor time from one sign of progress to the next. */
  readonly busyMs: number;
  readonly waitMs: number;
}

const LOOKS_COUNT = 30;
/** Linux counts processor time in these for everybody who asks. */
const TICK_MS = 10;

export class ProgressWatch implements Disposable {
  readonly #pid: number | undefined;
  readonly #patience: Patience;
  readonly #timer: NodeJS.Timeout;
  #heardMs = performance.now();
  #spentMs: number;

  /** @param onLate is called once. */
  constructor(pid: number | undefined, patience: Patience, onLate: () => void) {
    this.#pid = pid;
    this.#patience = patience;
    this.#spentMs = spentMs(pid) ?? 0;
    this.#timer = setInterval(() => {
      if (!this.#isLate()) return;
      this[Symbol.dispose]();
      onLate();
    }, patience.busyMs / LOOKS_COUNT);
  }

  heard(): void {
    this.#heardMs = performance.now();
    this.#spentMs = spentMs(this.#pid) ?? 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #isLate(): boolean {
    const { busyMs, waitMs } = this.#patience;
    const waitedMs = performance.now() - this.#heardMs;
    if (waitedMs < busyMs) return false;
    const spent = spentMs(this.#pid);
    return waitedMs >= waitMs || spent === null || spent - this.#spentMs >= busyMs;
  }
}

/** Processor time of a process so far; null where the system does not tell. */
function spentMs(pid: number | undefined): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}
