/**
 * The best rows by sparse vectors, exactly. Values are summed up tier by tier, the largest possible gains
 * first. An inner product then ends early in the manner of MaxScore (Turtle, Flood 1995): once what the
 * remaining tiers can add is less than the k-th best sum so far, only rows near it are looked up in them.
 * Distances read all tiers of the query's indexes; what a row has elsewhere is in its stored sums.
 */
import { TIES_MAX } from '../../limits.ts';
import { nextBit } from '../../types/column/bitset.ts';
import type { SparseDatum } from '../../types/datum.ts';
import type { VectorArmValue } from '../request.ts';
import { type SparseLists, seek, type Tier, totals } from './lists.ts';
import type { Hits, StructureQuery } from '../structure.ts';
import { takeTurn } from '../../time-slice.ts';
import { cutAtTies, noHits, TopRows } from '../top-rows.ts';

/** Postings read between two turns of the event loop: about 2 ms. */
const POSTINGS_PER_TURN = 1024 * 1024;
/** Looking a row up in a tier costs as much as reading so many postings. */
const LOOKUP_COST = 16;

export type SparseMeasure = 'dot_product' | 'cosine' | 'euclidean' | 'l1';

export interface SparseQuery extends StructureQuery {
  readonly kind: 'sparse';
  readonly measure: SparseMeasure;
  readonly value: VectorArmValue;
  readonly vector: SparseDatum;
  readonly squares: number;
  readonly sizes: number;
}

export function sparseQuery(vector: SparseDatum, measure: SparseMeasure, value: VectorArmValue): SparseQuery {
  const similarity = measure === 'dot_product' || measure === 'cosine';
  const higherIsBetter = value === 'metric' && similarity;
  return { kind: 'sparse', higherIsBetter, measure, value, vector, ...totals(vector.values) };
}

/** Goodness (larger is better) to what the statement sees; NaN (NULL) stays NaN. */
function toValue({ measure, value }: SparseQuery, goodness: number): number {
  if (value === 'metric') return measure === 'euclidean' || measure === 'l1' ? 0 - goodness : goodness;
  if (value === '<=>') return 1 - goodness;
  if (value === '<#>') return -goodness;
  return value === '<->' ? Math.sqrt(0 - goodness) : 0 - goodness;
}

// ───────────────────────────── exact scores ─────────────────────────────

/** Values of the given ascending rows; NaN where a row is NULL. */
export function scoreSparse(lists: SparseLists, query: SparseQuery, rows: Uint32Array): Float64Array {
  return goodnessOf(lists, query, rows).map((goodness) => toValue(query, goodness));
}

/** Sums run in the order of the indexes, as the operators' do. */
function goodnessOf(lists: SparseLists, query: SparseQuery, rows: Uint32Array): Float64Array {
  return query.measure === 'dot_product' || query.measure === 'cosine'
    ? similarities(lists, query, rows)
    : distances(lists, query, rows);
}

function similarities(lists: SparseLists, query: SparseQuery, rows: Uint32Array): Float64Array {
  const sums = new Float64Array(rows.length);
  eachCommon(lists, query, rows, (at, weight, value) => {
    sums[at] = (sums[at] as number) + weight * value;
  });
  return sums.map((sum, at) => similarity(query, sum, lists.squares[rows[at] as number] as number));
}

function similarity({ measure, squares }: SparseQuery, product: number, rowSquares: number): number {
  if (measure === 'dot_product') return Number.isNaN(rowSquares) ? Number.NaN : product;
  return Math.max(-1, Math.min(1, product / Math.sqrt(squares * rowSquares)));
}

/** Where both have a value: the differences; elsewhere each one's own, as all of it less that in common. */
function distances(lists: SparseLists, query: SparseQuery, rows: Uint32Array): Float64Array {
  const { size, own, others } = sizesOf(lists, query);
  const between = new Float64Array(rows.length);
  const ownCommon = new Float64Array(rows.length);
  const otherCommon = new Float64Array(rows.length);
  eachCommon(lists, query, rows, (at, weight, value) => {
    between[at] = (between[at] as number) + size(weight - value);
    ownCommon[at] = (ownCommon[at] as number) + size(weight);
    otherCommon[at] = (otherCommon[at] as number) + size(value);
  });
  return between.map((sum, at) => {
    const other = others[rows[at] as number] as number;
    return 0 - (sum + (own - (ownCommon[at] as number)) + (other - (otherCommon[at] as number)));
  });
}

/** How a distance measures a difference, and what the query and each row come to in all. */
function sizesOf(lists: SparseLists, query: SparseQuery) {
  return query.measure === 'l1'
    ? { size: Math.abs, own: query.sizes, others: lists.sizes }
    : { size: (x: number): number => x * x, own: query.squares, others: lists.squares };
}

/** Calls back for every index that query and row share: by index, then by row. */
function eachCommon(
  lists: SparseLists,
  { vector: { indices, values } }: SparseQuery,
  rows: Uint32Array,
  found: (at: number, weight: number, value: number) => void,
): void {
  for (let i = 0; i < indices.length; i++) {
    const weight = values[i] as number;
    for (const tier of lists.tiers(indices[i] as number)) {
      lookUp(tier, rows, (at, value) => found(at, weight, value));
    }
  }
}

/** Rows of the ascending `rows` that are in the tier, with their values. */
function lookUp(tier: Tier, rows: Uint32Array, found: (at: number, value: number) => void): void {
  let place = 0;
  for (let at = 0; at < rows.length && place < tier.rows.length; at++) {
    place = seek(tier.rows, place, rows[at] as number);
    if (tier.rows[place] === rows[at]) found(at, tier.values[place] as number);
  }
}

// ───────────────────────────── search ─────────────────────────────

/** One tier of one of the query's indexes. */
interface Step {
  readonly term: number;
  readonly tier: Tier;
  readonly weight: number;
  /** The most that it can add to a row's product. */
  readonly most: number;
  readonly least: number;
}

/** Before each step, and after the last: what the steps from it on can add, and how long they are. */
interface Rest {
  readonly most: number;
  readonly least: number;
  readonly postings: number;
}

export interface SparseSearch {
  readonly count: number;
  readonly mask: Uint32Array | null;
  /** Rows at or above are not looked at. */
  readonly end: number;
  readonly signal: AbortSignal;
}

/** The best rows, and those that tie with the last of them. */
export async function searchSparse(
  lists: SparseLists,
  query: SparseQuery,
  search: SparseSearch,
): Promise<Hits> {
  const { count, end } = search;
  if (count <= 0 || end === 0 || (query.measure === 'cosine' && query.squares === 0))
    return noHits('no rows');
  const sums = new Float64Array(end);
  const candidates = await addUp(lists, query, { ...search, sums });
  const top = new TopRows(Math.min(count + TIES_MAX, candidates?.length ?? end));
  const goodness = approximately(lists, query);
  eachRow(candidates, search, (row) => {
    const good = goodness(sums[row] as number, row);
    if (!Number.isNaN(good)) top.push(row, good);
  });
  const strategy = candidates === null ? 'sparse lists' : 'sparse lists, MaxScore';
  const hits = top.hits(strategy);
  const found = exactly(lists, query, { hits, count });
  return { ...found, compared: candidates?.length ?? end, rescored: hits.rows.length };
}

/** Scores anew, in the order of sums that all other ways have. */
function exactly(
  lists: SparseLists,
  query: SparseQuery,
  { hits, count }: { hits: Hits; count: number },
): Hits {
  const rows = hits.rows.slice().sort();
  const goodness = goodnessOf(lists, query, rows);
  const top = new TopRows(rows.length);
  for (let i = 0; i < rows.length; i++) top.push(rows[i] as number, goodness[i] as number);
  return cutAtTies(
    top.hits(hits.strategy, (good) => toValue(query, good)),
    count,
  );
}

/** From what `addUp` leaves for a row to its goodness. */
function approximately(lists: SparseLists, query: SparseQuery): (sum: number, row: number) => number {
  if (query.measure === 'dot_product' || query.measure === 'cosine') {
    return (sum, row) => similarity(query, sum, lists.squares[row] as number);
  }
  const { own, others } = sizesOf(lists, query);
  return (sum, row) => 0 - (own + (others[row] as number) + sum);
}

interface AddingUp extends SparseSearch {
  readonly sums: Float64Array;
}

/** Fills `sums`. @returns the ascending rows among which the best are; null: any. */
async function addUp(lists: SparseLists, query: SparseQuery, search: AddingUp): Promise<Uint32Array | null> {
  const steps = stepsOf(lists, query);
  const rest = restsOf(steps);
  const add = adderOf(lists, query);
  let sinceTurn = 0;
  let sinceLook = 0;
  for (const [i, step] of steps.entries()) {
    const left = rest[i] as Rest;
    if (query.measure === 'dot_product' && sinceLook > search.end && left.postings > search.end) {
      const near = rowsWithin(search, left);
      if (near !== null && near.length * (steps.length - i) * LOOKUP_COST < left.postings) {
        for (const { tier, weight } of steps.slice(i)) addTo(near, tier, weight, search.sums);
        return near;
      }
      sinceLook = 0;
    }
    add(step, search);
    sinceTurn += step.tier.rows.length;
    sinceLook += step.tier.rows.length;
    if (sinceTurn < POSTINGS_PER_TURN) continue;
    await takeTurn(search.signal);
    sinceTurn = 0;
  }
  return null;
}

function stepsOf(lists: SparseLists, { vector: { indices, values } }: SparseQuery): readonly Step[] {
  const steps: Step[] = [];
  indices.forEach((index, term) => {
    const weight = values[term] as number;
    for (const tier of lists.tiers(index)) {
      const ends = [weight * tier.least, weight * tier.greatest];
      steps.push({ term, tier, weight, most: Math.max(...ends), least: Math.min(...ends) });
    }
  });
  return steps.sort((a, b) => b.most - a.most);
}

/** A row is in one tier of an index at most: of those left, the most counts. */
function restsOf(steps: readonly Step[]): readonly Rest[] {
  const most = new Map<number, number>();
  const least = new Map<number, number>();
  const rests: Rest[] = [{ most: 0, least: 0, postings: 0 }];
  for (const step of steps.toReversed()) {
    const after = rests[0] as Rest;
    const [mostBefore, leastBefore] = [most.get(step.term) ?? 0, least.get(step.term) ?? 0];
    most.set(step.term, Math.max(mostBefore, step.most));
    least.set(step.term, Math.min(leastBefore, step.least));
    rests.unshift({
      most: after.most + (most.get(step.term) as number) - mostBefore,
      least: after.least + (least.get(step.term) as number) - leastBefore,
      postings: after.postings + step.tier.rows.length,
    });
  }
  return rests;
}

/** Adds a tier's part of the product; for distances what it differs from both sizes by. */
function adderOf(lists: SparseLists, query: SparseQuery): (step: Step, search: AddingUp) => void {
  if (query.measure === 'dot_product' || query.measure === 'cosine') {
    return ({ tier: { rows, values }, weight }, { sums, end }) => {
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] as number;
        if (row >= end) return;
        sums[row] = (sums[row] as number) + weight * (values[i] as number);
      }
    };
  }
  const { size } = sizesOf(lists, query);
  return ({ tier: { rows, values }, weight }, { sums, end }) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      if (row >= end) return;
      const value = values[i] as number;
      sums[row] = (sums[row] as number) + size(weight - value) - size(weight) - size(value);
    }
  };
}

function addTo(near: Uint32Array, tier: Tier, weight: number, sums: Float64Array): void {
  lookUp(tier, near, (at, value) => {
    const row = near[at] as number;
    sums[row] = (sums[row] as number) + weight * value;
  });
}

/** Rows that can still be among the best; null while others, not seen yet, can be as well. */
function rowsWithin(search: AddingUp, rest: Rest): Uint32Array | null {
  const { sums, count } = search;
  const top = new TopRows(count);
  eachRow(null, search, (row) => top.push(row, sums[row] as number));
  const threshold = top.threshold + rest.least;
  if (!top.full || threshold <= rest.most) return null;
  const near: number[] = [];
  // A hair below: sums of other orders differ in their last digits.
  const needed = threshold - rest.most - 1e-9 * Math.abs(threshold);
  eachRow(null, search, (row) => {
    if ((sums[row] as number) >= needed) near.push(row);
  });
  return Uint32Array.from(near);
}

/** Rows below `end` that are in the mask, ascending, or the given ones of them. */
function eachRow(rows: Uint32Array | null, { mask, end }: SparseSearch, visit: (row: number) => void): void {
  if (rows !== null) {
    for (const row of rows) visit(row);
  } else if (mask === null) {
    for (let row = 0; row < end; row++) visit(row);
  } else {
    for (let row = nextBit(mask, 0, end); row < end; row = nextBit(mask, row + 1, end)) visit(row);
  }
}
