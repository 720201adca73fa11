/**
 * Frames: which rows of a partition a window function looks at from each row. Source: PostgreSQL 18, section
 * 4.2.8 "Window Function Calls". Places are positions among all rows in window order.
 */
import { compareFloats } from '../../types/number/float.ts';
import { firstNot } from '../../binary-search.ts';
import { SqlError } from '../../errors.ts';
import { addInterval, negateInterval } from '../../functions/time/interval.ts';
import type { FrameBound, SortKey, WindowFrame } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { DATE_INFINITY, DATE_MINUS_INFINITY, isInfiniteTimestamp } from '../../types/time/datetime.ts';
import type { Datum, IntervalDatum, NumericDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { Vector } from '../../types/column/vector.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { RowOrder } from '../rows/order.ts';
import type { Pace } from '../pace.ts';
import type { Run } from '../state.ts';

/** Values of `n PRECEDING` and `n FOLLOWING`, intervals as they are; 0 where the bound has none. */
export interface FrameOffsets {
  readonly start: number | IntervalDatum;
  readonly end: number | IntervalDatum;
}

const DAY_MICROS = 86_400_000_000;
const MONTH_DAYS = 30;
const MONTHS_INFINITE = 2_147_483_647;

/** @throws SqlError 22004 for NULL, 22023 when negative. */
export function* frameOffsets(frame: WindowFrame, run: Run): Task<FrameOffsets> {
  return {
    start: yield* offsetOf(frame, 'start', run),
    end: yield* offsetOf(frame, 'end', run),
  };
}

function* offsetOf(frame: WindowFrame, side: 'start' | 'end', run: Run): Task<number | IntervalDatum> {
  const bound: FrameBound = frame[side];
  const which = `${side}ing`;
  if (bound.kind !== 'preceding' && bound.kind !== 'following') return 0;
  const value = yield* wait(evaluateConstant(bound.offset, run));
  if (value === null) {
    throw new SqlError('null_value_not_allowed', `frame ${which} offset must not be null`);
  }
  const offset = asNumber(value);
  if (offset >= 0) return isInterval(value) ? value : offset;
  throw new SqlError(
    'invalid_preceding_or_following_size',
    frame.mode === 'range'
      ? 'invalid preceding or following size in window function'
      : `frame ${which} offset must not be negative`,
  );
}

/** Numbers and times on one line: intervals in microseconds, months as 30 days. */
function asNumber(datum: Datum): number {
  if (typeof datum === 'number' || typeof datum === 'bigint') return Number(datum);
  const { datum: kind } = datum as IntervalDatum | NumericDatum;
  if (kind === 'numeric') {
    const { digits, scale, special } = datum as NumericDatum;
    return special === undefined ? Number(digits) / 10 ** scale : Number(special);
  }
  const { months, days, micros } = datum as IntervalDatum;
  if (Math.abs(months) >= MONTHS_INFINITE) return Math.sign(months) * Number.POSITIVE_INFINITY;
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
  const [from, step] = [asLine(key, type), sign * asNumber(by)];
  if (isInterval(key) || !Number.isFinite(from) || !Number.isFinite(step)) return from + step;
  const interval = sign === 1 ? by : negateInterval(by);
  const micros = type === OID.date ? BigInt(key as number) * BigInt(DAY_MICROS) : (key as bigint);
  return Number(addInterval(micros, interval, null));
}

/** Dates on the line of timestamps. */
function asLine(key: Datum, type: number): number {
  if (type === OID.date) {
    const days = key as number;
    if (days === DATE_INFINITY || days === DATE_MINUS_INFINITY) return days * Number.POSITIVE_INFINITY;
    return days * DAY_MICROS;
  }
  if (typeof key === 'bigint' && isInfiniteTimestamp(key)) return Number(key) * Number.POSITIVE_INFINITY;
  return asNumber(key);
}

interface OrderedKeys {
  readonly keys: readonly SortKey[];
  /** In window order, of all rows. */
  readonly columns: readonly Vector[];
  readonly order: RowOrder;
}

/** Places [from, to) of a frame. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
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

  private constructor({ start, end }: Bounds, ordered: OrderedKeys, groups: Groups) {
    this.start = start;
    this.end = end;
    this.#ordered = ordered;
    this.#groupOf = groups.groupOf;
    this.groups = groups.starts;
  }

  static *of({ start, end }: Bounds, ordered: OrderedKeys, pace: Pace): Task<Partition> {
    const groupOf = new Uint32Array(end - start);
    const starts = [start];
    for (let place = start + 1; place < end; place++) {
      if (ordered.order(place - 1, place) !== 0) starts.push(place);
      groupOf[place - start] = starts.length - 1;
      const pause = pace.after(1);
      if (pause !== null) yield* wait(pause);
    }
    starts.push(end);
    return new Partition({ start, end }, ordered, { groupOf, starts });
  }

  groupOf(place: number): number {
    return this.#groupOf[place - this.start] as number;
  }

  /** First place of group `group`; before the first group the partition's start, after the last its end. */
  groupStart(group: number): number {
    if (group < 0) return this.start;
    return this.groups[group] ?? this.end;
  }

  /** Pieces that EXCLUDE leaves of a row's frame, in order; as many for every row, some of them empty. */
  pieces(place: number, frame: WindowFrame, offsets: FrameOffsets): readonly Piece[] {
    const { from, to } = this.#frame(place, frame, offsets);
    const cut = (start: number, end: number): Piece => {
      const first = Math.min(Math.max(start, from), to);
      return { from: first, to: Math.max(first, Math.min(end, to)) };
    };
    const group = this.groupOf(place);
    switch (frame.exclude) {
      case 'no others':
        return [{ from, to }];
      case 'current row':
        return [cut(from, place), cut(place + 1, to)];
      case 'group':
        return [cut(from, this.groupStart(group)), cut(this.groupStart(group + 1), to)];
      case 'ties':
        return [
          cut(from, this.groupStart(group)),
          cut(place, place + 1),
          cut(this.groupStart(group + 1), to),
        ];
    }
  }

  /** The frame before EXCLUDE. */
  #frame(place: number, frame: WindowFrame, offsets: FrameOffsets): Piece {
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
    const step = direction === sign ? 1 : -1;
    // An infinite key that an infinite step leads back from reaches everything.
    const target = moved(own, by, { sign: step, type });
    const everything = Number.isNaN(target) && !Number.isNaN(asLine(own, type));
    const wanted = everything ? sign * (isEnd ? 1 : -1) * Number.POSITIVE_INFINITY : target;
    const isBefore = (at: number): boolean => {
      const order = sign * compareFloats(asLine(column.get(at) as Datum, type), wanted);
      return isEnd ? order <= 0 : order < 0;
    };
    const { from, to } = this.#known(column);
    return firstNot(from, to, isBefore);
  }

  /** Rows whose key is not NULL: NULLs are one group, at the start or at the end. */
  #known(column: Vector): Piece {
    const nullsFirst = column.get(this.start) === null;
    const nullsLast = column.get(this.end - 1) === null;
    return {
      from: nullsFirst ? this.groupStart(1) : this.start,
      to: nullsLast ? this.groupStart(this.groupOf(this.end - 1)) : this.end,
    };
  }
}

interface Groups {
  readonly groupOf: Uint32Array;
  readonly starts: readonly number[];
}
