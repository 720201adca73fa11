/** One run of a command: it ends when its work does, after Ctrl-C, and when nobody reads its output any more. */
import { EXIT, exitCodeOf, tellError } from './errors.ts';
import { after, type Interruption } from './interruption.ts';
import type { Output } from './output.ts';
import type { OutputFormat } from './terminal.ts';

/** Arguments of a command's work. */
export interface Call<Options> {
  readonly options: Options;
  /** Comes with Ctrl-C: what runs is to be cancelled, and what is done is to be said. */
  readonly signal: AbortSignal;
}

/** Grace that work has for that, ms. */
const GRACE_MS = 1500;

interface Running {
  readonly output: Output;
  readonly interruption: Interruption;
  readonly format: OutputFormat;
}

/** @returns the exit code; errors have been told. */
export async function running(
  work: (signal: AbortSignal) => Promise<number | undefined>,
  { output, interruption, format }: Running,
): Promise<number> {
  interruption.listen();
  const signal = AbortSignal.any([interruption.signal, output.failed]);
  const given = after(signal, GRACE_MS).then(() => Promise.reject(signal.reason));
  try {
    const code = await Promise.race([work(signal), given]);
    signal.throwIfAborted();
    return code ?? EXIT.ok;
  } catch (error) {
    if (interruption.signal.aborted) {
      if (format === 'json') tellError(interruption.signal.reason, format);
      return EXIT.interrupted;
    }
    // `handedOver` tells of it.
    if (output.failed.aborted) return EXIT.ok;
    tellError(error, format);
    return exitCodeOf(error);
  }
}
