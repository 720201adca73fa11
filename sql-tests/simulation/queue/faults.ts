/** Faults to plant in the lanes of a durable queue, one at a time: simulations that find none of them prove nothing. */
import type { Fault } from '../faults.ts';

const LANES = 'src/queue/lanes.ts';

export const QUEUE_FAULTS: readonly Fault[] = [
  {
    name: 'a lane listens for news after it has looked',
    file: LANES,
    from: 'const woken = this.#wake.promise; const taken = await this.#next(lane);',
    to: 'const taken = await this.#next(lane); const woken = this.#wake.promise;',
  },
  {
    name: 'who waits for the look of another lane takes it for its own',
    file: LANES,
    from: 'while (this.#ready.length === 0 && (this.#isStale || this.#hasEnded) && !signal.aborted)',
    to: 'while (false)',
  },
  {
    name: 'what is asked for while the queue is read counts as read',
    file: LANES,
    from: 'this.#isStale = false; this.#hasEnded = false; const { jobs, untilNextLook, retryMs } = await this.#work.ready(lane);',
    to: 'const { jobs, untilNextLook, retryMs } = await this.#work.ready(lane); this.#isStale = false; this.#hasEnded = false;',
  },
  {
    name: 'the next job of a key begins before the work on the last one is over',
    file: LANES,
    from: 'jobs.filter((job) => !this.#underWay.has(this.#work.keyOf(job)))',
    to: '[...jobs]',
  },
  {
    name: 'a failure that could not be written is forgotten',
    file: LANES,
    from: "this.#report('a failure was not written down', also, job); await this.#pause(AGAIN_MS);",
    to: 'return;',
  },
  {
    name: 'a claim of which nobody knows whether it was committed is left alone',
    file: LANES,
    from: 'if (!(await this.#work.claim(lane, job))) return;',
    to: 'if (!(await this.#work.claim(lane, job).catch(() => false))) return;',
  },
  {
    name: 'the end of a job is no reason to look again',
    file: LANES,
    from: 'this.#hasEnded = true;',
    to: '',
  },
  {
    name: 'a lane sleeps over a second try',
    file: LANES,
    from: 'Math.min(retryMs ?? IDLE_MS_MAX, IDLE_MS_MAX)',
    to: 'IDLE_MS_MAX',
  },
  {
    name: 'who finds several jobs wakes nobody',
    file: LANES,
    from: 'if (this.#ready.length > 1) this.#awake();',
    to: '',
  },
  {
    name: 'lanes that sleep do not hear of the end',
    file: LANES,
    from: "this.#closing.abort(new Error('closing')); this.#awake();",
    to: "this.#closing.abort(new Error('closing'));",
  },
  {
    name: 'a queue that could not be read is not read again',
    file: LANES,
    from: 'await this.#pause(AGAIN_MS); this.#isStale = true;',
    to: 'await this.#pause(AGAIN_MS);',
  },
];
