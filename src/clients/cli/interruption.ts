/**
 * Ctrl-C: the first time it tells what runs to end, the second time the process ends. One listener from the first
 * command to the last byte: a signal that comes while listeners are exchanged would be lost.
 */
import { EXIT, Interrupted } from './errors.ts';

export class Interruption {
  readonly #controller = new AbortController();
  #isListening = false;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until the process ends. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    process.on('SIGINT', () => {
      if (this.signal.aborted) process.exit(EXIT.interrupted);
      this.#controller.abort(new Interrupted());
    });
  }
}

/** Comes some time after a signal. */
export async function after(signal: AbortSignal, milliseconds: number): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
