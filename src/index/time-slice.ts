/**
 * Long searches give the event loop a turn now and then, so that one query never stops the others.
 */
import { setImmediate } from 'node:timers/promises';

/** Lets sockets have a turn. @throws the signal's reason when it is aborted. */
export async function takeTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}
