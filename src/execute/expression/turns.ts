/**
 * How a compiled expression, which computes without a pause, gives others a turn all the same. A call of a row's
 * function that may not go on (the time slice is over, or a helper process makes it) throws a `Suspension`; what has
 * been computed so far is kept, call by call in their order, and the expression is computed anew with it when the
 * suspension is over. So a batch of quick calls costs nothing, and no function is called twice with one row.
 */
import { assert } from '../../assert.ts';
import { TIME_SLICE_MS } from '../../limits.ts';
import type { Datum } from '../../types/datum.ts';
import type { Vector } from '../../types/column/vector.ts';
import { weightOf } from '../../types/weight.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Callee, dependsOnChance, effortOf } from './callee.ts';
import type { ExecutionContext } from '../context.ts';

/** Results of one call for all rows of a batch, as far as computed. */
export interface Progress {
  readonly results: Datum[];
  /** The next row. */
  row: number;
  /** All rows, once they are done. */
  vector: Vector | null;
}

/** State of one expression that is being computed. */
interface Kept {
  /** In their order. */
  readonly calls: Progress[];
  /** Bytes of what they have given, as far as it is counted. */
  held: number;
  /** True when they would give the same again. */
  isRepeatable: boolean;
}

const newKept = (): Kept => ({ calls: [], held: 0, isRepeatable: true });

/** The share of what statements may hold beyond which the results of calls are too much for one go … */
const WIDE_SHARE = 1 / 16;
/** … and at most this: the column of them is made in one turn, some 2.5 ms a MB. */
const WIDE_BYTES_MAX = 16 * 2 ** 20;

/** The expression is to be computed for fewer rows at once: its calls give too much. */
export class TooWide extends Error {}

export class Suspension extends Error {
  readonly until: Promise<void>;

  constructor(until: Promise<void>) {
    super('an expression goes on later');
    this.until = until;
  }
}

export class Turns {
  readonly #context: ExecutionContext;
  #kept = newKept();
  #next = 0;
  #open = false;
  /** True when it could be computed for fewer rows. */
  #splits = false;
  /** For how many rows at once it is computed, where that is not for all. */
  #rowsAtOnce: Map<Expression, number> | null = null;
  /** When it was last begun to compute the expression. */
  #began = 0;

  constructor(context: ExecutionContext) {
    this.#context = context;
  }

  rowsAtOnce(expression: Expression): number {
    return this.#rowsAtOnce?.get(expression) ?? Number.POSITIVE_INFINITY;
  }

  setRowsAtOnce(expression: Expression, rows: number): void {
    this.#rowsAtOnce ??= new Map();
    this.#rowsAtOnce.set(expression, rows);
  }

  /**
   * Result of `compute`, at once where nothing has to be waited for.
   * @param splits whether it could be computed for fewer rows. @throws TooWide where it should.
   */
  evaluate<T>(compute: () => T, splits = false): T | Promise<T> {
    this.#splits = splits;
    const suspension = this.#attempt(compute);
    if (!(suspension instanceof Suspension)) return suspension;
    return this.#goOn(compute, { first: suspension, begun: this.#taken(), splits });
  }

  async #goOn<T>(
    compute: () => T,
    { first, begun, splits }: { readonly first: Suspension; readonly begun: Kept; readonly splits: boolean },
  ): Promise<T> {
    let suspension = first;
    let kept = begun;
    for (;;) {
      await suspension.until;
      this.#context.signal.throwIfAborted();
      this.#kept = kept;
      this.#splits = splits;
      const given = this.#attempt(compute);
      if (!(given instanceof Suspension)) return given;
      suspension = given;
      kept = this.#taken();
    }
  }

  #attempt<T>(compute: () => T): T | Suspension {
    assert(!this.#open, 'expressions are computed one after the other');
    this.#open = true;
    this.#next = 0;
    this.#began = this.now();
    let suspension: Suspension | null = null;
    try {
      return compute();
    } catch (error) {
      if (!(error instanceof Suspension)) throw error;
      suspension = error;
      return error;
    } finally {
      this.#open = false;
      if (suspension === null) this.#release();
    }
  }

  #taken(): Kept {
    const kept = this.#kept;
    this.#kept = newKept();
    return kept;
  }

  /** True when it is computing, so that it can be suspended. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** The progress of the next call; null outside of `evaluate`, where nothing can wait. */
  progress(length: number, callee: Callee): Progress | null {
    if (!this.#open) return null;
    const { calls } = this.#kept;
    if (dependsOnChance(callee)) this.#kept.isRepeatable = false;
    const known = calls[this.#next];
    const progress = known ?? { results: new Array<Datum>(length), row: 0, vector: null };
    if (known === undefined) calls.push(progress);
    this.#next++;
    return progress;
  }

  /** Holds the results of calls until the expression is computed. @throws SqlError 53200, TooWide when it is too much. */
  hold(bytes: number): void {
    const { held, isRepeatable } = this.#kept;
    const isWide = held + bytes > Math.min(this.#context.account.limit * WIDE_SHARE, WIDE_BYTES_MAX);
    if (isWide && this.#splits && isRepeatable) throw new TooWide();
    this.#context.account.hold(bytes);
    this.#kept.held += bytes;
  }

  #release(): void {
    const kept = this.#kept;
    if (kept.held > 0) this.#context.account.release(kept.held);
    kept.held = 0;
    kept.isRepeatable = true;
    kept.calls.length = 0;
  }

  /** Milliseconds, monotonic. */
  now(): number {
    return this.#context.now();
  }

  /**
   * Computing anew what stands before a call costs as much as it did, so the call goes on for as long at least.
   *
   * @param since when the call began or went on.
   * @throws Suspension when the slice is over.
   */
  pause(since: number): void {
    const least = Math.max(since - this.#began, TIME_SLICE_MS);
    if (this.now() - since < least) return;
    const pause = this.#context.yieldToOthers();
    if (pause !== null) throw new Suspension(pause);
  }

  /** How the weight of its arguments counts; null where no helper may make the call. */
  effortElsewhere(callee: Callee): number | null {
    return this.#context.helpers.refuses(callee) ? null : effortOf(callee);
  }

  /** Has a helper make the call of the progress' row. @throws Suspension always. */
  callElsewhere(callee: Callee, args: readonly Datum[], progress: Progress): never {
    const { helpers, functions, signal, account } = this.#context;
    const kept = this.#kept;
    const called = helpers.call({ callee, args, context: functions, signal, account }).then((reply) => {
      if (reply === 'refused') return;
      const weight = weightOf(reply.value);
      account.hold(weight);
      kept.held += weight;
      progress.results[progress.row] = reply.value;
      progress.row++;
    });
    throw new Suspension(called);
  }
}
