/**
 * How often terms stand together, for phrases with slop. Follows Lucene's SloppyPhraseMatcher: positions
 * less their place in the phrase are equal in an exact match; a match spread over `width` counts
 * 1 / (1 + width).
 */

/**
 * @param positions ascending positions of each phrase term in one row.
 * @param offsets   place of each term in the phrase.
 * @returns the phrase's frequency; 0: no match.
 */
export function phraseFrequency(
  positions: readonly (readonly number[])[],
  offsets: readonly number[],
  slop: number,
): number {
  if (positions.length === 1) return positions[0]?.length ?? 0;
  if (slop === 0) return exactFrequency(positions, offsets);
  const at = new Array<number>(positions.length).fill(0);
  const adjusted = (term: number): number => {
    const position = positions[term]?.[at[term] as number];
    return position === undefined ? Number.POSITIVE_INFINITY : position - (offsets[term] as number);
  };
  let frequency = 0;
  for (;;) {
    const { lowest, second, end } = extremes(at.length, adjusted);
    if (end === Number.POSITIVE_INFINITY) return frequency;
    let width = end - adjusted(lowest);
    at[lowest] = (at[lowest] as number) + 1;
    // The lowest term may move closer to the others before this match counts.
    while (adjusted(lowest) <= second) {
      width = Math.min(width, end - adjusted(lowest));
      at[lowest] = (at[lowest] as number) + 1;
    }
    if (width <= slop) frequency += 1 / (1 + width);
  }
}

/** How often every term stands at its place. */
function exactFrequency(positions: readonly (readonly number[])[], offsets: readonly number[]): number {
  const first = positions[0] ?? [];
  const at = new Array<number>(positions.length).fill(0);
  let frequency = 0;
  for (const position of first) {
    let together = true;
    for (let term = 1; together && term < positions.length; term++) {
      const own = positions[term] as readonly number[];
      const wanted = position + (offsets[term] as number) - (offsets[0] as number);
      let i = at[term] as number;
      while (i < own.length && (own[i] as number) < wanted) i++;
      at[term] = i;
      together = own[i] === wanted;
    }
    if (together) frequency++;
  }
  return frequency;
}

/** The term that stands lowest, the lowest place of the others, and the highest place. */
function extremes(
  count: number,
  place: (term: number) => number,
): { lowest: number; second: number; end: number } {
  let lowest = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (let term = 0; term < count; term++) {
    const own = place(term);
    if (own < place(lowest)) lowest = term;
    if (own > end) end = own;
  }
  let second = Number.POSITIVE_INFINITY;
  for (let term = 0; term < count; term++) {
    if (term !== lowest) second = Math.min(second, place(term));
  }
  return { lowest, second, end };
}
