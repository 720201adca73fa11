/** Choices by chance. */
import type { Random } from '../faults/mutations.ts';

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random(from.length)];
  if (chosen === undefined) throw new RangeError('nothing to choose from');
  return chosen;
}

/** @param percent of the cases in which it is true. */
export function chance(random: Random, percent: number): boolean {
  return random(100) < percent;
}

/** `count` values made one after the other. */
export function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
