/**
 * Frames: which rows of a partition a window function looks at from each row. Source: PostgreSQL 18, section
 * 4.2.8 "Window Function Calls". Places are positions among all rows in window order.
 */
import { SqlError } from '../errors.ts';
import { addInterval, negateInterval } from '../functions/interval.ts';
import type { FrameBound, SortKey, WindowFrame } from '../plan/plan.ts';
import type { Datum, IntervalDatum, NumericDatum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import type { Vector } from '../types/vector.ts';
import { evaluateConstant } from './evaluate.ts';
import type { RowOrder } from './order.ts';
import type { Run } from './state.ts';

/** Values of `n PRECEDING` and `n FOLLOWING`, intervals as they are; 0 where the bound has none. */
export interface FrameOffsets {
  readonly start: number | IntervalDatum;
  readonly end: number | IntervalDatum;
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

async function offsetOf(bound: FrameBound, which: string, run: Run): Promise<number | IntervalDatum> {
  if (bound.kind !== 'preceding' && bound.kind !== 'following') return 0;
  const value = await evaluateConstant(bound.offset, run);
  if (value === null) {
    throw new SqlError('null_value_not_allowed', `frame ${which} offset must not be null`);
  }
  const offset = asNumber(value);
  if (offset >= 0) return isInterval(value) ? value : offset;
  throw new SqlError('invalid_preceding_or_following_size', `frame ${which} offset must not be negative`);
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

const isInterval = (datum: Datum): datum is IntervalDatum =>
  typeof datum === 'object' && (datum as IntervalDatum | null)?.datum === 'interval';

/** A sort key some way along its line. Dates and times move by the calendar. */
function moved(
  key: Datum,
  by: number | IntervalDatum,
  { sign, type }: { sign: 1 | -1; type: number },
): number {
  if (typeof by === 'number') return asLine(key, type) + sign * by;
  if (isInterval(key)) return asNumber(key) + sign * asNumber(by);
  const step = sign === 1 ? by : negateInterval(by);
  const micros = type === OID.date ? BigInt(key as number) * BigInt(DAY_MICROS) : (key as bigint);
  return Number(addInterval(micros, step, null));
}

/** Dates on the line of timestamps. */
const asLine = (key: Datum, type: number): number => asNumber(key) * (type === OID.date ? DAY_MICROS : 1);

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
    { bound, offset, isEnd }: { bound: FrameBound; offset: number | IntervalDatum; isEnd: boolean },
  ): number {
    const after = isEnd ? 1 : 0;
    if (bound.kind === 'unbounded preceding') return this.start;
    if (bound.kind === 'unbounded following') return this.end;
    const direction = bound.kind === 'preceding' ? -1 : 1;
    const group = this.groupOf(place);
    if (mode === 'range' && bound.kind !== 'current row') {
      return this.#rangeEdge(place, { by: offset, direction, isEnd });
    }
    const step = bound.kind === 'current row' ? 0 : direction * asNumber(offset);
    return mode === 'rows' ? place + step + after : this.groupStart(group + step + after);
  }

  /** RANGE with an offset: the first row at, or past, the row's own key plus the step. */
  #rangeEdge(
    place: number,
    { by, direction, isEnd }: { by: number | IntervalDatum; direction: 1 | -1; isEnd: boolean },
  ): number {
    const [column] = this.#ordered.columns;
    const [key] = this.#ordered.keys;
    const own = column?.get(place) ?? null;
    const group = this.groupOf(place);
    if (column === undefined || own === null) return this.groupStart(isEnd ? group + 1 : group);
    const sign = key?.descending ? -1 : 1;
    const type = key?.expression.type.oid ?? 0;
    const wanted = sign * moved(own, by, { sign: direction === sign ? 1 : -1, type });
    let edge = isEnd ? this.end : this.start;
    const inside = (at: number): boolean => {
      const value = column.get(at);
      if (value === null) return false;
      const line = sign * asLine(value, type);
      return isEnd ? line <= wanted : line >= wanted;
    };
    if (isEnd) while (edge > this.start && !inside(edge - 1)) edge--;
    else while (edge < this.end && !inside(edge)) edge++;
    return edge;
  }
}
