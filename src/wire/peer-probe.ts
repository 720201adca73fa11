/**
 * Probe of a client that sends nothing more: is it still there? The end of what it sends says only that: a client may
 * close its side and read on. What is written to one that has gone comes back as a reset, which ends the socket, and
 * a socket that is not read tells it when it is written to again. So such a client is told every now and then what
 * it knows already, a setting that never changes, which the protocol allows at any time.
 * Source: RFC 9293, 3.6.1: a host that has closed answers data with a reset.
 */
import * as encode from './encode.ts';
import type { Output } from './output.ts';

/** Who has gone is noticed after two of them on loopback. */
const PROBE_EVERY_MS = 30;

export class PeerProbe {
  readonly #output: Output;
  readonly #mayTell: () => boolean;
  #timer: NodeJS.Timeout | null = null;

  /** @param mayTell whether the client has signed in: before that the protocol has no such message. */
  constructor(output: Output, mayTell: () => boolean) {
    this.#output = output;
    this.#mayTell = mayTell;
  }

  /** Until it is stopped, or the socket closes. */
  start(): void {
    this.#timer ??= setInterval(() => this.#tell(), PROBE_EVERY_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tell(): void {
    // What waits for room tells as much as soon as it leaves.
    if (this.#output.isWaiting || !this.#mayTell()) return;
    encode.parameterStatus(this.#output.writer, 'integer_datetimes', 'on');
    this.#output.flush();
  }
}
