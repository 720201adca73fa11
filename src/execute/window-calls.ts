/** What window functions compute: positions in the partition, values of other rows, aggregates of a frame. */
import { SqlError } from '../errors.ts';
import type { FunctionContext } from '../functions/function.ts';
import { aggregateById } from '../functions/registry.ts';
import type { WindowCall } from '../plan/plan.ts';
import type { Datum } from '../types/datum.ts';
import type { Vector } from '../types/vector.ts';
import type { FrameOffsets, Partition } from './window-frame.ts';

export interface WindowArguments {
  /** In window order, of all rows. */
  readonly args: readonly Vector[];
  /** 1 for rows that FILTER lets through; null: all. */
  readonly passes: Uint8Array | null;
  readonly context: FunctionContext;
}

/** One value for every row of the partition, in order. */
export function* callWindow(
  call: WindowCall,
  given: WindowArguments,
  partition: Partition,
  offsets: FrameOffsets,
): Generator<Datum> {
  const name = call.function.slice(0, call.function.indexOf('('));
  const position = POSITIONS[name];
  if (position !== undefined) {
    for (let place = partition.start; place < partition.end; place++) {
      yield position(partition, place, given);
    }
    return;
  }
  if (FRAME_VALUES.has(name)) yield* frameValues(name, call, { given, partition, offsets });
  else yield* aggregateFrames(call, given, partition, offsets);
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

interface Framed {
  readonly given: WindowArguments;
  readonly partition: Partition;
  readonly offsets: FrameOffsets;
}

function* frameValues(name: string, call: WindowCall, framed: Framed): Generator<Datum> {
  const { given, partition, offsets } = framed;
  const [value, nth] = given.args;
  for (let place = partition.start; place < partition.end; place++) {
    const wanted = nth?.get(place) ?? null;
    if (name === 'nth_value' && wanted !== null && Number(wanted) <= 0) {
      throw new SqlError('invalid_argument_for_nth_value_function', NTH_TOO_SMALL);
    }
    const at = name === 'nth_value' ? wanted : 1;
    const row = at === null ? undefined : rowOfFrame(call, { partition, place, offsets }, name, Number(at));
    yield row === undefined ? null : (value?.get(row) ?? null);
  }
}

/** Place of the nth row of a frame, counted from its end for last_value. */
function rowOfFrame(
  call: WindowCall,
  { partition, place, offsets }: { partition: Partition; place: number; offsets: FrameOffsets },
  name: string,
  nth: number,
): number | undefined {
  if (call.frame.exclude !== 'no others') {
    const rows = [...frameRows(call, partition, place, offsets)];
    return name === 'last_value' ? rows.at(-1) : rows[nth - 1];
  }
  const { from, to } = partition.frame(place, call.frame, offsets);
  const row = name === 'last_value' ? to - 1 : from + nth - 1;
  return row >= from && row < to ? row : undefined;
}

/** Places of a row's frame, without those that EXCLUDE leaves out. */
function* frameRows(
  call: WindowCall,
  partition: Partition,
  place: number,
  offsets: FrameOffsets,
): Generator<number> {
  const { from, to } = partition.frame(place, call.frame, offsets);
  const group = partition.groupOf(place);
  const { exclude } = call.frame;
  for (let row = from; row < to; row++) {
    if (exclude === 'current row' && row === place) continue;
    const isPeer = exclude !== 'no others' && partition.groupOf(row) === group;
    if (exclude === 'group' && isPeer) continue;
    if (exclude === 'ties' && isPeer && row !== place) continue;
    yield row;
  }
}

/** Frames that begin with the partition only grow: their state is carried from row to row. */
function* aggregateFrames(
  call: WindowCall,
  given: WindowArguments,
  partition: Partition,
  offsets: FrameOffsets,
): Generator<Datum> {
  const aggregate = aggregateById(call.function);
  const strict = aggregate.strict !== false;
  const step = (state: unknown, row: number): unknown => {
    if (given.passes !== null && given.passes[row] === 0) return state;
    const values = given.args.map((arg) => arg.get(row));
    return strict && values.includes(null) ? state : aggregate.step(state, ...values);
  };
  const keepsValues = /_agg$/.test(aggregate.name) && aggregate.name !== 'string_agg';
  const grows =
    call.frame.start.kind === 'unbounded preceding' && call.frame.exclude === 'no others' && !keepsValues;
  let state: unknown = aggregate.init();
  let done = partition.start;
  let value: Datum = aggregate.final(state, given.context);
  for (let place = partition.start; place < partition.end; place++) {
    if (!grows) {
      state = aggregate.init();
      for (const row of frameRows(call, partition, place, offsets)) state = step(state, row);
      yield aggregate.final(state, given.context);
      continue;
    }
    const { to } = partition.frame(place, call.frame, offsets);
    if (to > done) {
      while (done < to) state = step(state, done++);
      value = aggregate.final(state, given.context);
    }
    yield value;
  }
}
