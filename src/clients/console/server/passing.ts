/** Failures that pass: what was asked for is asked again afterwards, and nobody has to do it. */
import { type Fault, NOT_REACHED, NOT_SIGNED_IN } from './messages.ts';
import { whenReached } from './reached.ts';
import { whenSignedIn } from './session.ts';

/** SQLSTATE of what the server ended, as its key had ended or itself was stopped. Nothing of it is left. */
const ENDED = '57P01';
const AGAIN_MS = 1000;

const WAITS: ReadonlyMap<string, () => Promise<void>> = new Map([
  [NOT_SIGNED_IN, whenSignedIn],
  [NOT_REACHED, whenReached],
  // The next request tells which of the two it is.
  [ENDED, () => new Promise((resolve) => setTimeout(resolve, AGAIN_MS))],
]);

/** Resolves when it is worth asking again; null: it does not pass by itself. */
export const whenPassed = ({ sqlstate }: Fault): Promise<void> | null => WAITS.get(sqlstate)?.() ?? null;
