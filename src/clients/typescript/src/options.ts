/** Arguments by name and things by name: null is as good as left out, and nothing that is given is dropped. */
import { InvalidArgumentError } from './errors.ts';

/** Options that may be left out, all or one by one, as undefined or as null. */
export type Options<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined } | null | undefined;

/** Those that are neither undefined nor null. */
export const present = <T extends object>(given: Options<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(given ?? {}).filter(([, value]) => (value ?? null) !== null),
  ) as Partial<T>;

const isPlain = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false;
  const own = Object.getPrototypeOf(value);
  return own === null || own === Object.prototype || Object.getPrototypeOf(own) === null;
};

const kindOf = (value: unknown): string =>
  value === null || typeof value !== 'object' ? String(value) : (value.constructor?.name ?? 'object');

/**
 * Options of a call.
 * @param names those that it knows. @throws InvalidArgumentError for others, and for what is no object of options
 */
export function optionsOf<T extends object>(
  call: string,
  given: Options<T>,
  names: readonly (keyof T & string)[],
): Partial<T> {
  if (given === undefined || given === null) return {};
  const known = `its options are { ${names.join(', ')} }`;
  if (!isPlain(given)) {
    throw new InvalidArgumentError(`${call} takes options by name, not ${kindOf(given)}`, { hint: known });
  }
  const stranger = Object.keys(given).find((name) => !(names as readonly string[]).includes(name));
  if (stranger !== undefined) {
    throw new InvalidArgumentError(`${call} has no option ${JSON.stringify(stranger)}`, { hint: known });
  }
  return present(given);
}

/** @throws InvalidArgumentError where more was given by position than a call takes */
export function refuseMore(call: string, more: readonly unknown[]): void {
  if (more.every((one) => one === undefined || one === null)) return;
  throw new InvalidArgumentError(`${call}: what comes after is an option, given by its name`);
}

/** Names and values of a plain object or a map. @throws InvalidArgumentError for anything else */
export function entriesOf<T>(
  what: string,
  given: Readonly<Record<string, T>> | ReadonlyMap<string, T>,
): [string, T][] {
  const entries = given instanceof Map ? [...given] : isPlain(given) ? Object.entries(given) : null;
  if (entries === null) {
    throw new InvalidArgumentError(`${what} is an object or a map of values by name, not ${kindOf(given)}`);
  }
  const wrong = entries.find(([name]) => typeof name !== 'string');
  if (wrong === undefined) return entries as [string, T][];
  throw new InvalidArgumentError(`${what} has names that are strings, not ${kindOf(wrong[0])}`);
}
