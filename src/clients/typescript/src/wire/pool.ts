/** Connections that are opened when they are wanted, lent to one call at a time, and closed when nobody wants them. */
import { InvalidArgumentError } from '../errors.ts';
import type { Address } from './address.ts';
import { unreachedOf } from './failure.ts';
import { Link, type LinkOptions, type UnknownColumns } from './link.ts';

/** A program that forgets `close()` ends after this. */
const IDLE_MS = 5000;
/** How long `close()` waits for what runs. */
const CLOSE_MS = 5000;

type Timer = ReturnType<typeof setTimeout>;
/** Who waits gets a connection, or null: there may be room for another one now. */
type Waiter = (link: Link | null) => void;

type PoolOptions = Pick<LinkOptions, 'isReadOnly' | 'onNotice' | 'open'>;

export class Pool {
  readonly max: number;
  readonly #address: Address;
  readonly #options: PoolOptions;
  readonly #all = new Set<Link>();
  /** Each with the timer of its end; the last was used last. */
  readonly #idle = new Map<Link, Timer>();
  readonly #waiting = new Set<Waiter>();
  #closing: Promise<void> | null = null;

  /** @param options whether the sessions of its connections may only read; who hears of notices. */
  constructor(address: Address, max: number, options: PoolOptions) {
    if (!Number.isInteger(max) || max < 1) {
      throw new InvalidArgumentError(`maxConnections is an integer of at least 1, not ${max}`);
    }
    this.#address = address;
    this.#options = options;
    this.max = max;
  }

  /** A connection of one's own until `give` or `discard`. @throws the signal's reason, QuernError */
  async take(unknownColumns: UnknownColumns, signal?: AbortSignal): Promise<Link> {
    const link = await this.#taken(unknownColumns, signal);
    link.take(unknownColumns);
    return link;
  }

  async #taken(unknownColumns: UnknownColumns, signal: AbortSignal | undefined): Promise<Link> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closing !== null) throw new InvalidArgumentError('the client is closed');
      const idle = [...this.#idle.keys()];
      const best = idle.filter((link) => link.has(unknownColumns)).at(-1) ?? idle.at(-1);
      if (best !== undefined) return this.#awake(best);
      const isFull = this.#all.size >= this.max;
      const link = await (isFull ? this.#wait(signal) : this.#opened(unknownColumns, signal));
      if (link !== null) return link;
    }
  }

  give(link: Link): void {
    if (!link.isAlive || link.isCancelled) {
      this.discard(link);
      return;
    }
    const [next] = this.#waiting;
    if (next !== undefined) {
      next(link);
      return;
    }
    this.#idle.set(
      link,
      setTimeout(() => this.discard(link), IDLE_MS),
    );
  }

  discard(link: Link): void {
    clearTimeout(this.#idle.get(link));
    this.#idle.delete(link);
    if (!this.#all.delete(link)) return;
    link.end().catch(() => undefined);
    const [next] = this.#waiting;
    next?.(null);
  }

  /** Closes; running calls have five seconds to end. */
  async close(): Promise<void> {
    this.#closing ??= this.#end();
    await this.#closing;
  }

  async #end(): Promise<void> {
    for (const waiter of [...this.#waiting]) waiter(null);
    for (const link of [...this.#idle.keys()]) this.discard(link);
    const ends = performance.now() + CLOSE_MS;
    while (this.#all.size > 0 && performance.now() < ends) {
      for (const link of [...this.#idle.keys()]) this.discard(link);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const link of [...this.#all]) this.discard(link);
  }

  #awake(link: Link): Link {
    clearTimeout(this.#idle.get(link));
    this.#idle.delete(link);
    return link;
  }

  async #opened(unknownColumns: UnknownColumns, signal: AbortSignal | undefined): Promise<Link> {
    const options = { ...this.#options, unknownColumns };
    const link = new Link(this.#address, options, (lost) => this.#forget(lost));
    this.#all.add(link);
    const opening = link.open().catch((error: unknown) => {
      this.discard(link);
      throw unreachedOf(error, this.#address);
    });
    try {
      await untilAborted(opening, signal);
      return link;
    } catch (error) {
      // Given up by the caller alone: the next one may have it.
      opening.then(
        () => this.give(link),
        () => undefined,
      );
      throw error;
    }
  }

  /** It ended while nobody used it; who uses it hears of it anyway. */
  #forget(link: Link): void {
    if (this.#idle.has(link)) this.discard(link);
  }

  async #wait(signal: AbortSignal | undefined): Promise<Link | null> {
    let waiter: Waiter = () => undefined;
    const given = new Promise<Link | null>((resolve) => {
      waiter = (link) => {
        this.#waiting.delete(waiter);
        resolve(link);
      };
    });
    this.#waiting.add(waiter);
    try {
      return await untilAborted(given, signal);
    } catch (error) {
      if (!this.#waiting.delete(waiter)) void given.then((link) => link !== null && this.give(link));
      throw error;
    }
  }
}

/** The work's outcome, or the signal's reason as soon as there is one. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: () => void = () => undefined,
): Promise<T> {
  if (signal === undefined) return await work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      onAbort();
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
