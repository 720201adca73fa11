/**
 * "Perhaps you meant …": the known name nearest to a mistyped one, by changes of letters, where two exchanged
 * neighbours are one change (optimal string alignment).
 */

/** @returns undefined when no name is within a third of the name's length (at least two changes). */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bound = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bound) continue;
    const far = editDistance(name, candidate);
    if (far >= bound) continue;
    best = candidate;
    bound = far;
  }
  return best;
}

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  let beforePrevious = previous;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchange = exchanged ? (beforePrevious[j - 2] as number) + 1 : change;
      row.push(Math.min(change, exchange, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length] as number;
}
