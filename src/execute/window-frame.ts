/**
 * Frames: which rows of a partition a window function looks at from each row. Source: PostgreSQL 18, section
 * 4.2.8 "Window Function Calls". Places are positions among all rows in window order.
 */
import { SqlError } from '../errors.ts';
import type { FrameBound, SortKey, WindowFrame } from '../plan/plan.ts';
import type { Datum, IntervalDatum, NumericDatum } from '../types/datum.ts';
import type { Vector } from '../types/vector.ts';
import { evaluateConstant } from './evaluate.ts';
import type { RowOrder } from './order.ts';
import type { Run } from './state.ts';

/** Values of `n PRECEDING` and `n FOLLOWING`; 0 where the bound has none. */
export interface FrameOffsets {
  readonly start: number;
  readonly end: number;
}

const DAY_MICROS = 86_400_000_000;
const MONTH_DAYS = 30;

/** @throws SqlError 22004 for NULL, 22023 when negative. */
export async function frameOffsets(frame: WindowFrame, run: Run): Promise<FrameOffsets> {
  return {
    start: await offsetOf(frame.start, 'starting', run),
    end: await offsetOf(frame.end, 'ending', run),
  };
}

async function offsetOf(bound: FrameBound, which: string, run: Run): Promise<number> {
  if (bound.kind !== 'preceding' && bound.kind !== 'following') return 0;
  const value = await evaluateConstant(bound.offset, run);
  if (value === null) {
    throw new SqlError('null_value_not_allowed', `frame ${which} offset must not be null`);
  }
  const offset = asNumber(value);
  if (offset >= 0) return offset;
  throw new SqlError('invalid_parameter_value', `frame ${which} offset must not be negative`);
}

/** Numbers and times on one line: intervals in microseconds, months as 30 days. */
function asNumber(datum: Datum): number {
  if (typeof datum === 'number' || typeof datum === 'bigint') return Number(datum);
  const { datum: kind } = datum as IntervalDatum | NumericDatum;
  if (kind === 'numeric') {
    const { digits, scale } = datum as NumericDatum;
    return Number(digits) / 10 ** scale;
  }
  const { months, days, micros } = datum as IntervalDatum;
  return (months * MONTH_DAYS + days) * DAY_MICROS + Number(micros);
}

interface OrderedKeys {
  readonly keys: readonly SortKey[];
  /** In window order, of all rows. */
  readonly columns: readonly Vector[];
  readonly order: RowOrder;
}

/** Rows start..end-1, with their groups of equal sort keys. */
export class Partition {
  readonly start: number;
  readonly end: number;
  readonly #ordered: OrderedKeys;
  /** First place of each peer group, and the partition's end. */
  readonly groups: readonly number[];
  /** Number of each row's group, counted from the partition's first row. */
  readonly #groupOf: Uint32Array;

  constructor({ start, end }: { start: number; end: number }, ordered: OrderedKeys) {
    this.start = start;
    this.end = end;
    this.#ordered = ordered;
    this.#groupOf = new Uint32Array(end - start);
    const groups = [start];
    for (let place = start + 1; place < end; place++) {
      if (ordered.order(place - 1, place) !== 0) groups.push(place);
      this.#groupOf[place - start] = groups.length - 1;
    }
    this.groups = [...groups, end];
  }

  groupOf(place: number): number {
    return this.#groupOf[place - this.start] as number;
  }

  /** First place of group `group`; before the first group the partition's start, after the last its end. */
  groupStart(group: number): number {
    if (group < 0) return this.start;
    return this.groups[group] ?? this.end;
  }

  /** The frame of a row as [from, to), before EXCLUDE. */
  frame(place: number, frame: WindowFrame, offsets: FrameOffsets): { from: number; to: number } {
    const from = this.#edge(place, frame, { bound: frame.start, offset: offsets.start, isEnd: false });
    const to = this.#edge(place, frame, { bound: frame.end, offset: offsets.end, isEnd: true });
    const clamp = (edge: number): number => Math.min(Math.max(edge, this.start), this.end);
    return { from: clamp(from), to: Math.max(clamp(from), clamp(to)) };
  }

  #edge(
    place: number,
    { mode }: WindowFrame,
    { bound, offset, isEnd }: { bound: FrameBound; offset: number; isEnd: boolean },
  ): number {
    const after = isEnd ? 1 : 0;
    if (bound.kind === 'unbounded preceding') return this.start;
    if (bound.kind === 'unbounded following') return this.end;
    const step = bound.kind === 'preceding' ? -offset : bound.kind === 'following' ? offset : 0;
    if (mode === 'rows') return place + step + after;
    const group = this.groupOf(place);
    if (mode === 'groups' || bound.kind === 'current row') return this.groupStart(group + step + after);
    return this.#rangeEdge(place, step, isEnd);
  }

  /** RANGE with an offset: the first row at, or past, the row's own key plus the step. */
  #rangeEdge(place: number, step: number, isEnd: boolean): number {
    const [column] = this.#ordered.columns;
    const [key] = this.#ordered.keys;
    const own = column?.get(place) ?? null;
    const group = this.groupOf(place);
    if (column === undefined || own === null) return this.groupStart(isEnd ? group + 1 : group);
    const sign = key?.descending ? -1 : 1;
    const wanted = sign * asNumber(own) + step;
    let edge = isEnd ? this.end : this.start;
    const inside = (at: number): boolean => {
      const value = column.get(at);
      if (value === null) return false;
      const line = sign * asNumber(value);
      return isEnd ? line <= wanted : line >= wanted;
    };
    if (isEnd) while (edge > this.start && !inside(edge - 1)) edge--;
    else while (edge < this.end && !inside(edge)) edge++;
    return edge;
  }
}
