/**
 * Checks of our own reasoning. A failed assertion is a bug of Quern, never the user's doing: it ends the
 * statement with SQLSTATE XX000 and leaves the process alive (`errors.ts` holds what users can cause).
 */

/** Thrown when an invariant does not hold; carries no SQLSTATE because no client can cause it. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** @throws AssertionError when `condition` is falsy. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Ends an exhaustive `switch`: the compiler rejects the call while a member of the union is unhandled. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}

/** The value, known to be present by reasoning the type checker cannot follow. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`missing: ${what}`);
  return value;
}
