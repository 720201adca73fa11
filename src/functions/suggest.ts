/** "Perhaps you meant …": the known name nearest to a mistyped one, by changes of letters. */
import { DistanceTable } from '../edit-distance.ts';

interface Nearness {
  /** So many letters may differ in any case; else a third of the name's. */
  readonly changesMin: number;
  readonly ignoreCase: boolean;
}

/** @returns undefined when no name is that near; ties by order. */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  { changesMin, ignoreCase }: Nearness,
): string | undefined {
  const written = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const table = new DistanceTable(written(name), { swaps: true });
  let best: string | undefined;
  let most = Math.max(changesMin, Math.floor(name.length / 3));
  for (const candidate of candidates) {
    const distance = table.distanceTo(written(candidate), most);
    if (distance > most) continue;
    best = candidate;
    most = distance - 1;
  }
  return best;
}
