/** Numbers that look random and repeat: a linear congruential generator (Knuth; constants of Numerical Recipes). */

/** Numbers in [0, 1), the same for the same seed everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
