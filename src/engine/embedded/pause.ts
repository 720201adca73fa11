/** Cooperation with everything else on the main thread: long work calls a pause between its steps. */
import { TIME_SLICE_MS } from '../../limits.ts';

/**
 * A function to await between steps: it gives sockets a turn when TIME_SLICE_MS have passed since the last,
 * and costs next to nothing otherwise.
 */
export function makePause(now: () => number = () => performance.now()): () => Promise<void> {
  let turnEnded = now();
  return async () => {
    if (now() - turnEnded < TIME_SLICE_MS) return;
    await new Promise<void>((done) => {
      setImmediate(done);
    });
    turnEnded = now();
  };
}
