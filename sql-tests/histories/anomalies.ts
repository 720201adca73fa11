/**
 * Finds in a history what isolation levels forbid, in Adya's terms ("Weak Consistency", 1999), by the graph of
 * dependencies that lists show of themselves, as Elle does (Kingsbury and Alvaro, VLDB 2020). Appending makes
 * each version name those before it: ww goes from a value's writer to the next one's, wr from the writer of
 * what was read last to the reader, rw from a reader to the writer of what comes after.
 */
import { cyclicComponents, type Graph } from './graph.ts';
import type { History, HistoryTransaction, Level } from './history.ts';
import { type Read, readsOf, Versions } from './versions.ts';

export const ANOMALIES = [
  'G0',
  'G1a',
  'G1b',
  'G1c',
  'internal',
  'contradiction',
  'lost',
  'G-single',
  'G-nonadjacent',
  'G2',
  'realtime',
] as const;
export type Anomaly = (typeof ANOMALIES)[number];

/** How often each was found. */
export type Found = Readonly<Record<Anomaly, number>>;

const ALWAYS: readonly Anomaly[] = ['G0', 'G1a', 'G1b', 'G1c', 'contradiction', 'lost'];
const SNAPSHOT: readonly Anomaly[] = [...ALWAYS, 'internal', 'G-single', 'G-nonadjacent'];

/** Anomalies that each level forbids; in Quern SERIALIZABLE keeps the order of time, too. */
export const FORBIDDEN: Readonly<Record<Level, readonly Anomaly[]>> = {
  'read committed': ALWAYS,
  'repeatable read': SNAPSHOT,
  serializable: [...SNAPSHOT, 'G2', 'realtime'],
};

export function forbidden(level: Level, found: Found): Partial<Found> {
  return Object.fromEntries(
    FORBIDDEN[level].filter((anomaly) => found[anomaly] > 0).map((anomaly) => [anomaly, found[anomaly]]),
  );
}

/**
 * @param options.final the last transaction read every key when all others had ended: what it lacks is lost.
 * @param options.trusted reads count as dependencies only of transactions at this level.
 */
export function findAnomalies(
  history: History,
  options: { readonly final?: boolean; readonly trusted?: Level } = {},
): Found {
  const versions = new Versions(history);
  const found = Object.fromEntries(ANOMALIES.map((anomaly) => [anomaly, 0])) as Record<Anomaly, number>;
  found.contradiction = versions.contradictions.length;
  const committed = history.filter(({ outcome }) => outcome !== 'aborted');
  for (const transaction of committed) {
    for (const read of readsOf(transaction)) {
      const others = read.values.filter((value) => versions.writers.get(value) !== transaction);
      if (others.some((value) => isAborted(versions, value))) found.G1a++;
      if (isIntermediate(versions, read, transaction)) found.G1b++;
    }
    if (!isConsistent(transaction)) found.internal++;
  }
  if (options.final === true) found.lost = countLost(versions, history.at(-1));
  countCycles(dependencies(committed, versions, options.trusted), committed, found);
  return found;
}

const isAborted = ({ writers }: Versions, value: number): boolean =>
  (writers.get(value)?.outcome ?? 'aborted') === 'aborted';

/** A value of another transaction is there, and a later one of the same is not. */
function isIntermediate(
  { writers, followed }: Versions,
  { values }: Read,
  reader: HistoryTransaction,
): boolean {
  return values.some((value) => {
    const next = followed.get(value);
    return next !== undefined && writers.get(value) !== reader && !values.includes(next);
  });
}

/** Its reads of a key show one state and its own appends since. */
function isConsistent({ steps }: HistoryTransaction): boolean {
  const known = new Map<number, { values: Set<number> | null; own: number[] }>();
  for (const step of steps) {
    const state = known.get(step.key) ?? { values: null, own: [] };
    known.set(step.key, state);
    if (step.kind === 'append') {
      state.own.push(step.value);
      state.values?.add(step.value);
      continue;
    }
    const seen = new Set(step.values);
    if (
      state.values !== null &&
      (seen.size !== state.values.size || [...seen].some((v) => !state.values?.has(v)))
    ) {
      return false;
    }
    if (!state.own.every((value) => seen.has(value))) return false;
    state.values = seen;
  }
  return true;
}

function countLost({ values, writers }: Versions, last: HistoryTransaction | undefined): number {
  const kept = new Set(last === undefined ? [] : readsOf(last).flatMap((read) => read.values));
  let lost = 0;
  for (const value of [...values.values()].flat()) {
    if (writers.get(value)?.outcome === 'committed' && !kept.has(value)) lost++;
  }
  return lost;
}

// ───────────────────────────── dependencies ─────────────────────────────

type Kind = 'ww' | 'wr' | 'rw';

interface Edge {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

function dependencies(committed: History, versions: Versions, trusted?: Level): readonly Edge[] {
  const nodes = new Map(committed.map((transaction, node) => [transaction, node]));
  const edges: Edge[] = [];
  const add = (
    kind: Kind,
    from: HistoryTransaction | undefined,
    to: HistoryTransaction | undefined,
  ): void => {
    const [a, b] = [from && nodes.get(from), to && nodes.get(to)];
    if (a !== undefined && b !== undefined && a !== b) edges.push({ kind, from: a, to: b });
  };
  for (const order of versions.orders.values()) {
    order.forEach((value, i) => {
      const next = order[i + 1];
      if (next !== undefined) add('ww', versions.writers.get(value), versions.writers.get(next));
    });
  }
  for (const transaction of committed) {
    const counts = trusted === undefined || transaction.level === trusted;
    for (const read of readsOf(transaction)) {
      for (const value of seen(versions, read, transaction)) {
        add('wr', versions.writers.get(value), transaction);
      }
      if (!counts) continue;
      for (const value of unseen(versions, read)) add('rw', transaction, versions.writers.get(value));
    }
  }
  return edges;
}

/** The last value of others of a list, all of a set. */
function seen(
  { writers }: Versions,
  { values, ordered }: Read,
  reader: HistoryTransaction,
): readonly number[] {
  const others = values.filter((value) => writers.get(value) !== reader);
  return ordered ? others.slice(-1) : others;
}

/** The next value of a list, and what nobody ever saw in one; all others of a set. */
function unseen(
  { orders, places, values: all }: Versions,
  { key, values, ordered }: Read,
): readonly number[] {
  const written = all.get(key) ?? [];
  if (!ordered) {
    const there = new Set(values);
    return written.filter((value) => !there.has(value));
  }
  const next = orders.get(key)?.[values.length];
  const never = written.filter((value) => !places.has(value));
  return next === undefined ? never : [next, ...never];
}

// ───────────────────────────── cycles ─────────────────────────────

function countCycles(edges: readonly Edge[], committed: History, found: Record<Anomaly, number>): void {
  const size = committed.length;
  const of = (...kinds: Kind[]): Edge[] => edges.filter(({ kind }) => kinds.includes(kind));
  found.G0 = cyclicComponents(graphOf(size, of('ww'))).length;
  const information = graphOf(size, of('ww', 'wr'));
  const withReads = cyclicComponents(information).length;
  found.G1c = Math.max(0, withReads - found.G0);
  const whole = cyclicComponents(graphOf(size, edges));
  for (const component of whole) {
    const members = new Set(component);
    const inside = edges.filter(({ from, to }) => members.has(from) && members.has(to));
    if (
      cyclicComponents(
        graphOf(
          size,
          inside.filter(({ kind }) => kind !== 'rw'),
        ),
      ).length > 0
    )
      continue;
    if (closesAlone(inside, information)) found['G-single']++;
    else if (hasLonelyCycle(inside, size)) found['G-nonadjacent']++;
    else found.G2++;
  }
  if (whole.length === 0) found.realtime = cyclicComponents(withTime(committed, edges)).length;
}

function graphOf(size: number, edges: readonly Edge[]): Graph {
  const graph: number[][] = Array.from({ length: size }, () => []);
  for (const { from, to } of edges) graph[from]?.push(to);
  return graph;
}

/** One rw edge is closed to a cycle by others. */
function closesAlone(edges: readonly Edge[], information: Graph): boolean {
  const sources = new Map<number, Set<number>>();
  for (const { kind, from, to } of edges) {
    if (kind !== 'rw') continue;
    const reachable = sources.get(to) ?? reachableFrom(to, information);
    sources.set(to, reachable);
    if (reachable.has(from)) return true;
  }
  return false;
}

function reachableFrom(start: number, graph: Graph): Set<number> {
  const reached = new Set([start]);
  for (const node of reached) for (const next of graph[node] ?? []) reached.add(next);
  return reached;
}

/**
 * A cycle in which no two rw edges follow each other: not even snapshot isolation allows it. Each node is there
 * twice: reached by an rw edge, and otherwise.
 */
function hasLonelyCycle(edges: readonly Edge[], size: number): boolean {
  const graph: number[][] = Array.from({ length: 2 * size }, () => []);
  for (const { kind, from, to } of edges) {
    if (kind === 'rw') graph[from]?.push(size + to);
    else for (const state of [from, size + from]) graph[state]?.push(to);
  }
  return cyclicComponents(graph).length > 0;
}

/** Who ended before another began comes before it: by way of a node a moment of ending, each before the next. */
function withTime(committed: History, edges: readonly Edge[]): Graph {
  const graph = graphOf(committed.length, edges).map((targets) => [...targets]);
  const byEnd = [...committed.entries()].sort(([, a], [, b]) => a.ended - b.ended);
  const moments = byEnd.map(([node, { ended }], i) => ({ node, ended, at: committed.length + i }));
  for (const [i, { node, at }] of moments.entries()) {
    graph[node]?.push(at);
    graph[at] = i + 1 < moments.length ? [at + 1] : [];
  }
  const byBegin = [...committed.entries()].sort(([, a], [, b]) => a.began - b.began);
  let next = 0;
  for (const [node, { began }] of byBegin) {
    while ((moments[next]?.ended ?? Number.POSITIVE_INFINITY) < began) next++;
    if (next > 0) graph[committed.length + next - 1]?.push(node);
  }
  return graph;
}
