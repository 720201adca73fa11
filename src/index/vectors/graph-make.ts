/**
 * Makes the graph of a merged segment: the largest graph among the merged parts is taken over, without the
 * entries that are gone, and the rest is inserted. The last entries are held back at first: they ask the
 * graph as strangers would, which tells how far a search must look to find what is nearest.
 */
import { seededRandom } from '../../seeded-random.ts';
import { buildGraph } from './graph-build.ts';
import { tuneGraph } from './graph-tune.ts';
import { reportProgress } from '../structure.ts';
import { drawLevel, LEVEL_MAX, linkBytes, poolBytes, VectorGraph } from './graph.ts';
import { type Chunk, TRAILER_BYTES, type VectorMemory } from './memory.ts';
import type { Measure } from './query.ts';

export interface GraphOptions {
  readonly m: number;
  /** Entries kept in view while one is inserted. */
  readonly efConstruction: number;
  readonly measure: Measure;
  /** MERGE_PROGRESS words to count inserts in. */
  readonly progress: Int32Array | null;
}

/** A graph to take over: where each of its entries went, -1: nowhere. */
export interface Heritage {
  readonly graph: VectorGraph;
  readonly entryMap: Int32Array;
}

/** A graph with more holes than this is made anew: repairing costs as much. */
const GONE_SHARE_MAX = 0.3;
const HELD_BACK = 200;
/** Held back are at most this share of the entries. */
const HELD_BACK_SHARE = 1 / 20;
/** The same for every merge: tests repeat. */
const SEED = 0x9e3779b9;
/** More do not fit into a memory of 4 GiB. */
const ENTRIES_MAX = 2 ** 25;

export function makeGraph(
  memory: VectorMemory,
  chunk: Chunk,
  { m, efConstruction: ef, measure, progress }: GraphOptions,
  heritage: Heritage | null,
): VectorGraph {
  const inherited = heritage === null || !worthTaking(heritage, m, measure) ? null : heritage;
  const origin = new Int32Array(chunk.entries).fill(-1);
  for (const [old, entry] of inherited?.entryMap.entries() ?? []) if (entry >= 0) origin[entry] = old;
  const levels = levelsOf(chunk.entries, m, inherited?.graph ?? null, origin);
  const graph = VectorGraph.lay(memory, chunk, measure, m, levels);
  const damagedEntries = inherited === null ? [] : copyLists(inherited, graph, origin);
  const order = entriesToInsert(graph, origin);
  reportProgress(progress, 'building graph', damagedEntries.length + order.length);
  if (damagedEntries.length > 0)
    buildGraph(graph, { ef, order: Uint32Array.from(damagedEntries), repair: true, progress });
  const heldBack = order.subarray(
    order.length - Math.min(HELD_BACK, Math.floor(chunk.entries * HELD_BACK_SHARE), order.length),
  );
  buildGraph(graph, {
    ef,
    order: order.subarray(0, order.length - heldBack.length),
    repair: false,
    progress,
  });
  tuneGraph(graph, heldBack);
  buildGraph(graph, { ef, order: heldBack, repair: false, progress });
  return graph;
}

function worthTaking({ graph, entryMap }: Heritage, m: number, measure: Measure): boolean {
  let gone = 0;
  for (const entry of entryMap) if (entry < 0) gone++;
  return graph.layout.m === m && graph.measure === measure && gone <= GONE_SHARE_MAX * entryMap.length;
}

function levelsOf(entries: number, m: number, from: VectorGraph | null, origin: Int32Array): Uint8Array {
  const random = seededRandom(SEED);
  const old =
    from === null ? null : new Uint8Array(from.memory.buffer, from.layout.levels, from.layout.entries);
  return Uint8Array.from({ length: entries }, (_, entry) => {
    const before = origin[entry] as number;
    return before >= 0 ? (old?.[before] as number) : drawLevel(m, random);
  });
}

/** @returns entries that lost more than a quarter of a list, or have no neighbour. */
function copyLists({ graph: from, entryMap }: Heritage, to: VectorGraph, origin: Int32Array): number[] {
  const { m } = to.layout;
  const source = { words: new Uint32Array(from.memory.buffer), levels: levelsIn(from), upper: upperIn(from) };
  const target = { words: new Uint32Array(to.memory.buffer), upper: upperIn(to) };
  const damagedEntries: number[] = [];
  // Searches begin at an entry of the highest level: one that leads somewhere, where there is such a one.
  let best = -1;
  let top = -1;
  for (let entry = 0; entry < origin.length; entry++) {
    const old = origin[entry] as number;
    if (old < 0) continue;
    const level = source.levels[old] as number;
    let damaged = false;
    let linked = false;
    for (let l = 0; l <= level; l++) {
      const read = listAddress(from, source.upper, old, l, m) / 4;
      const write = listAddress(to, target.upper, entry, l, m) / 4;
      const count = source.words[read] as number;
      let kept = 0;
      for (let i = 1; i <= count; i++) {
        const neighbour = entryMap[source.words[read + i] as number] as number;
        if (neighbour >= 0) target.words[write + ++kept] = neighbour;
      }
      target.words[write] = kept;
      linked ||= kept > 0;
      if (4 * kept < 3 * count) damaged = true;
    }
    if (damaged || !linked) damagedEntries.push(entry);
    const rank = linked ? LEVEL_MAX + 1 + level : level;
    if (rank > best) [best, top] = [rank, entry];
  }
  const topLevel = top < 0 ? 0 : (source.levels[origin[top] as number] as number);
  new Int32Array(to.memory.buffer, to.layout.top, 2).set([top, topLevel]);
  return damagedEntries;
}

function listAddress(
  graph: VectorGraph,
  upper: Uint32Array,
  entry: number,
  level: number,
  m: number,
): number {
  if (level === 0) return graph.layout.links + entry * linkBytes(m);
  return graph.layout.pool + ((upper[entry] as number) + level - 1) * poolBytes(m);
}

function levelsIn({ memory, layout }: VectorGraph): Uint8Array {
  return new Uint8Array(memory.buffer, layout.levels, layout.entries);
}

function upperIn({ memory, layout }: VectorGraph): Uint32Array {
  return new Uint32Array(memory.buffer, layout.upper, layout.entries);
}

/**
 * Those without an origin, by chance: rows often come by topic, and topics that were inserted one after the
 * other are hardly linked with each other; nor would the last of them, held back, stand for all. Equal
 * vectors keep their order, so that each is linked with the one before, and leads on to what came between.
 * The cosine of a zero vector is not known, so such are in no graph.
 */
function entriesToInsert({ memory, chunk, measure }: VectorGraph, origin: Int32Array): Uint32Array {
  const fields = new DataView(memory.buffer, chunk.records, chunk.entries * memory.recordBytes);
  const trailerOf = (entry: number): number => entry * memory.recordBytes + memory.stride;
  const entries: number[] = [];
  for (let entry = 0; entry < origin.length; entry++) {
    const norm = fields.getFloat64(trailerOf(entry) + 8, true);
    if ((origin[entry] as number) < 0 && (measure !== 'cosine' || norm > 0)) entries.push(entry);
  }
  const order = Uint32Array.from(entries);
  shuffle(order, seededRandom(SEED));
  // Places and entries by what they hold: where those of equal vectors lie side by side, the first place
  // gets the first entry.
  const places = new Float64Array(order.length);
  const held = new Float64Array(order.length);
  for (const [place, entry] of order.entries()) {
    const hash = trailerHash(fields, trailerOf(entry)) * ENTRIES_MAX;
    places[place] = hash + place;
    held[place] = hash + entry;
  }
  places.sort();
  held.sort();
  for (const [i, key] of held.entries()) order[(places[i] as number) % ENTRIES_MAX] = key % ENTRIES_MAX;
  return order;
}

/** Fisher and Yates. */
function shuffle(values: Uint32Array, random: () => number): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [values[i], values[j]] = [values[j] as number, values[i] as number];
  }
}

/** 27 bits of scale, sum of codes and norm: equal vectors have one, others hardly ever. */
function trailerHash(fields: DataView, trailer: number): number {
  let hash = 0;
  for (let at = 0; at < TRAILER_BYTES; at += 4) {
    hash = Math.imul(hash ^ fields.getUint32(trailer + at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 5;
}
