/** Circles of imports: files that reach each other. Source: Tarjan, "Depth-first search and linear graph algorithms" (1972). */
import { dirname } from 'node:path';
import type { Source } from './source.ts';

/** By value: files that wait for each other when they are loaded. */
export function valueCircles(sources: readonly Source[]): string[][] {
  return circles(sources, ({ isType }) => !isType);
}

/** By value or type, of files that do not lie in one folder: no room can be read without the other. */
export function roomCircles(sources: readonly Source[]): string[][] {
  return circles(sources, () => true).filter((files) => new Set(files.map((file) => dirname(file))).size > 1);
}

function circles(sources: readonly Source[], counts: (of: Source['imports'][number]) => boolean): string[][] {
  const edges = new Map(
    sources.map(({ path, imports }) => [path, imports.filter(counts).map(({ file }) => file)]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    stack.push(file);
    onStack.add(file);
    let low = number;
    for (const next of edges.get(file) ?? []) {
      if (next === null || !edges.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (onStack.has(next)) low = Math.min(low, order.get(next) as number);
    }
    lowest.set(file, low);
    if (low === number) {
      const circle = stack.splice(stack.indexOf(file));
      for (const member of circle) onStack.delete(member);
      if (circle.length > 1) found.push(circle.sort());
    }
    return low;
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return found.sort((a, b) => b.length - a.length);
}

/** A shortest way round, for a message that shows what to cut. */
export function shortestRound(
  circle: readonly string[],
  sources: readonly Source[],
  byValue: boolean,
): string[] {
  const members = new Set(circle);
  const next = new Map(
    sources
      .filter(({ path }) => members.has(path))
      .map(({ path, imports }) => [
        path,
        imports.flatMap(({ file, isType }) =>
          file !== null && members.has(file) && !(byValue && isType) ? [file] : [],
        ),
      ]),
  );
  let best: string[] = [];
  for (const start of circle) {
    const cameFrom = new Map<string, string>();
    const queue = [start];
    for (const file of queue) {
      for (const to of next.get(file) ?? []) {
        if (cameFrom.has(to)) continue;
        cameFrom.set(to, file);
        queue.push(to);
      }
    }
    if (!cameFrom.has(start)) continue;
    const round = [start];
    let at = cameFrom.get(start) as string;
    while (at !== start) {
      round.unshift(at);
      at = cameFrom.get(at) as string;
    }
    round.unshift(start);
    if (best.length === 0 || round.length < best.length) best = round;
  }
  return best;
}
