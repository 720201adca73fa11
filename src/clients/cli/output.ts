/**
 * Standard output and standard error to their end: what was written is handed over before the process ends, however
 * slowly it is read; nobody reading any more ends the command quietly; what cannot be written is told of.
 */
import { EXIT, tellError } from './errors.ts';
import { after } from './interruption.ts';
import type { OutputFormat } from './terminal.ts';

/** Time that readers have after Ctrl-C for what was written before. */
const INTERRUPTED_MS = 1000;

export class Output {
  #failure: NodeJS.ErrnoException | null = null;
  readonly #failed = new AbortController();

  constructor() {
    process.stdout.on('error', (error) => {
      this.#failure ??= error;
      this.#failed.abort();
    });
    // There is nowhere to say so.
    process.stderr.on('error', () => undefined);
  }

  /** Comes when standard output takes nothing any more. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Waits for slow readers, and a moment only once Ctrl-C has come. @returns the exit code. */
  async handedOver(code: number, format: OutputFormat, interruption: AbortSignal): Promise<number> {
    const late = after(interruption, INTERRUPTED_MS);
    await Promise.race([taken(process.stdout), late]);
    const failure = this.#failure;
    if (failure !== null && failure.code !== 'EPIPE') {
      tellError(new Error(`standard output cannot be written: ${failure.message}`), format);
    }
    await Promise.race([taken(process.stderr), late]);
    if (interruption.aborted) return EXIT.interrupted;
    if (failure === null || code !== EXIT.ok) return code;
    return failure.code === 'EPIPE' ? EXIT.unread : EXIT.failed;
  }
}

const taken = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve());
  });
