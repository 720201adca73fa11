/**
 * A log of lines on a stream that may be read slowly, or not at all: what waits to be read is bounded, lines beyond
 * that are dropped and counted, and nobody waits for ever for a reader.
 */
import type { Writable } from 'node:stream';

/** Bytes held for a reader that is behind. */
const HELD_BYTES_MAX = 1 << 20;

export class LogLines {
  readonly #stream: Writable;
  #dropped = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Where nobody reads the log any more, there is nowhere to say so.
    stream.on('error', () => undefined);
  }

  /** @param line one object, told as JSON. */
  write(line: object): void {
    if (this.#stream.writableLength > HELD_BYTES_MAX) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) {
      const count = this.#dropped;
      this.#dropped = 0;
      this.write({ time: new Date().toISOString(), event: 'log lines dropped', count });
    }
    this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  /** Ends when all has been read, or the time is over. */
  async read(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([new Promise<void>((resolve) => this.#stream.write('', () => resolve())), late]);
    clearTimeout(timer);
  }
}
