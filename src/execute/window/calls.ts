/** Results of window functions: positions in the partition, values of other rows, aggregates of a frame. */
import { SqlError } from '../../errors.ts';
import type { AggregateFunction, FunctionContext } from '../../functions/function.ts';
import { aggregateById } from '../../functions/registry.ts';
import type { WindowCall } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import type { Vector } from '../../types/column/vector.ts';
import type { Pace } from '../pace.ts';
import type { FrameOffsets, Partition, Piece } from './frame.ts';
import { type Sliding, slidingOf } from './slide.ts';

export interface WindowArguments {
  /** In window order, of all rows. */
  readonly args: readonly Vector[];
  /** 1 for rows that FILTER lets through; null: all. */
  readonly passes: Uint8Array | null;
  readonly context: FunctionContext;
}

export interface Framed {
  readonly call: WindowCall;
  readonly given: WindowArguments;
  readonly partition: Partition;
  readonly offsets: FrameOffsets;
  readonly pace: Pace;
}

/** Adds one value for every row of the partition, in order. */
export function* callWindow(framed: Framed, values: Datum[]): Task<void> {
  const { call, given, partition, pace } = framed;
  const name = call.function.slice(0, call.function.indexOf('('));
  const position = POSITIONS[name];
  if (position === undefined && !FRAME_VALUES.has(name)) return yield* aggregateFrames(framed, values);
  for (let place = partition.start; place < partition.end; place++) {
    values.push(position === undefined ? frameValue(name, place, framed) : position(partition, place, given));
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
}

type Position = (partition: Partition, place: number, given: WindowArguments) => Datum;

const sizeOf = ({ start, end }: Partition): number => end - start;
const rankOf = (partition: Partition, place: number): number =>
  partition.groupStart(partition.groupOf(place)) - partition.start + 1;

/** Functions that look at the whole partition, whatever the frame. */
const POSITIONS: Readonly<Record<string, Position>> = {
  row_number: ({ start }, place) => BigInt(place - start + 1),
  rank: (partition, place) => BigInt(rankOf(partition, place)),
  dense_rank: (partition, place) => BigInt(partition.groupOf(place) + 1),
  percent_rank: (partition, place) =>
    sizeOf(partition) === 1 ? 0 : (rankOf(partition, place) - 1) / (sizeOf(partition) - 1),
  cume_dist: (partition, place) => {
    const before = partition.groupStart(partition.groupOf(place) + 1) - partition.start;
    return before / sizeOf(partition);
  },
  ntile,
  lag: (partition, place, given) => shifted(partition, place, given, -1),
  lead: (partition, place, given) => shifted(partition, place, given, 1),
};

function ntile(partition: Partition, place: number, { args }: WindowArguments): Datum {
  const value = args[0]?.get(partition.start) ?? null;
  if (value === null) return null;
  const buckets = Number(value);
  if (buckets <= 0) {
    throw new SqlError('invalid_argument_for_ntile_function', 'argument of ntile must be greater than zero');
  }
  const row = place - partition.start;
  const small = Math.floor(sizeOf(partition) / buckets);
  const larger = sizeOf(partition) % buckets;
  const inLarger = larger * (small + 1);
  if (row < inLarger) return Math.floor(row / (small + 1)) + 1;
  return larger + Math.floor((row - inLarger) / small) + 1;
}

/** lag and lead: the value some rows away, or the default. */
function shifted(partition: Partition, place: number, { args }: WindowArguments, sign: 1 | -1): Datum {
  const [value, by, otherwise] = args;
  const step = by === undefined ? 1 : by.get(place);
  if (step === null) return null;
  const at = place + sign * Number(step);
  if (at < partition.start || at >= partition.end) return otherwise?.get(place) ?? null;
  return value?.get(at) ?? null;
}

const NTH_TOO_SMALL = 'argument of nth_value must be greater than zero';

const FRAME_VALUES: ReadonlySet<string> = new Set(['first_value', 'last_value', 'nth_value']);

function frameValue(name: string, place: number, { call, given, partition, offsets }: Framed): Datum {
  const [value, nth] = given.args;
  const wanted = nth?.get(place) ?? null;
  if (name === 'nth_value' && wanted !== null && Number(wanted) <= 0) {
    throw new SqlError('invalid_argument_for_nth_value_function', NTH_TOO_SMALL);
  }
  const at = name === 'nth_value' ? wanted : 1;
  if (at === null) return null;
  const pieces = partition.pieces(place, call.frame, offsets);
  const row = name === 'last_value' ? lastRow(pieces) : nthRow(pieces, Number(at));
  return row === undefined ? null : (value?.get(row) ?? null);
}

function lastRow(pieces: readonly Piece[]): number | undefined {
  const last = pieces.findLast(({ from, to }) => to > from);
  return last && last.to - 1;
}

function nthRow(pieces: readonly Piece[], nth: number): number | undefined {
  let before = 0;
  for (const { from, to } of pieces) {
    if (nth <= before + to - from) return from + nth - before - 1;
    before += to - from;
  }
  return undefined;
}

// ───────────────────────────── aggregates ─────────────────────────────

function* aggregateFrames(framed: Framed, values: Datum[]): Task<void> {
  const { call, given } = framed;
  const sliding = slidingOf(call, given.args);
  if (sliding !== null) return yield* slideFrames(sliding, framed, values);
  const { name } = aggregateById(call.function);
  const keepsValues = /_agg$/.test(name) && name !== 'string_agg';
  const grows =
    call.frame.start.kind === 'unbounded preceding' && call.frame.exclude === 'no others' && !keepsValues;
  if (grows) yield* growingFrames(framed, values);
  else yield* separateFrames(framed, values);
}

/** True when a row reaches the aggregate: FILTER lets it through, and no argument of a strict one is NULL. */
function counts(row: number, { args, passes }: WindowArguments, strict: boolean): boolean {
  if (passes !== null && passes[row] === 0) return false;
  return !strict || args.every(({ nulls }) => nulls === null || nulls[row] === 0);
}

/** Takes out the rows that leave the frame, and puts in those that come. */
function* slideFrames(sliding: Sliding, framed: Framed, values: Datum[]): Task<void> {
  const { call, given, partition, offsets, pace } = framed;
  const strict = aggregateById(call.function).strict !== false;
  const at: { from: number; to: number }[] = [];
  for (let place = partition.start; place < partition.end; place++) {
    for (const [number, { from, to }] of partition.pieces(place, call.frame, offsets).entries()) {
      at[number] ??= { from, to: from };
      const piece = at[number];
      const isAhead = from >= piece.from && to >= piece.to;
      for (const until = isAhead ? Math.min(from, piece.to) : piece.to; piece.from < until; piece.from++) {
        if (counts(piece.from, given, strict)) sliding.leave(number, piece.from);
        const pause = pace.after(1);
        if (pause !== null) yield* wait(pause);
      }
      if (piece.from === piece.to) piece.from = piece.to = from;
      for (; piece.to < to; piece.to++) {
        if (counts(piece.to, given, strict)) sliding.enter(number, piece.to);
        const pause = pace.after(1);
        if (pause !== null) yield* wait(pause);
      }
    }
    values.push(sliding.value());
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
}

/** Frames that begin with the partition only grow: their state is carried from row to row. */
function* growingFrames(framed: Framed, values: Datum[]): Task<void> {
  const { call, given, partition, offsets, pace } = framed;
  const aggregate = aggregateById(call.function);
  const step = stepper(aggregate, given);
  let state: unknown = aggregate.init();
  let done = partition.start;
  let value: Datum = aggregate.final(state, given.context);
  for (let place = partition.start; place < partition.end; place++) {
    const to = partition.pieces(place, call.frame, offsets)[0]?.to ?? done;
    if (to > done) {
      while (done < to) {
        state = step(state, done++);
        const pause = pace.after(1);
        if (pause !== null) yield* wait(pause);
      }
      value = aggregate.final(state, given.context);
    }
    values.push(value);
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
}

/** Every frame is gone through by itself. */
function* separateFrames(framed: Framed, values: Datum[]): Task<void> {
  const { call, given, partition, offsets, pace } = framed;
  const aggregate = aggregateById(call.function);
  const step = stepper(aggregate, given);
  for (let place = partition.start; place < partition.end; place++) {
    let state: unknown = aggregate.init();
    for (const { from, to } of partition.pieces(place, call.frame, offsets)) {
      for (let row = from; row < to; row++) {
        state = step(state, row);
        const pause = pace.after(1);
        if (pause !== null) yield* wait(pause);
      }
    }
    values.push(aggregate.final(state, given.context));
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
}

function stepper(
  aggregate: AggregateFunction,
  given: WindowArguments,
): (state: unknown, row: number) => unknown {
  const strict = aggregate.strict !== false;
  const { args } = given;
  const [arg] = args;
  if (args.length === 1 && arg !== undefined) {
    return (state, row) => (counts(row, given, strict) ? aggregate.step(state, arg.get(row)) : state);
  }
  return (state, row) =>
    counts(row, given, strict) ? aggregate.step(state, ...args.map((each) => each.get(row))) : state;
}
