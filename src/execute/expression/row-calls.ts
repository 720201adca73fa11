/**
 * Calls row by row, with an eye on time: between rows others have their turn, and a call whose arguments are large
 * is made by a helper process (`call-helpers.ts`), which a cancel or a time-out can end.
 */
import { TakesLong } from '../../functions/text/regexp-guard.ts';
import { CALL_INLINE_BYTES_MAX } from '../../limits.ts';
import type { Datum } from '../../types/datum.ts';
import { type Vector, type VectorKind, vectorOf } from '../../types/column/vector.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import type { Callee, Implementation } from './callee.ts';
import type { Frame } from './compiled.ts';
import type { Progress, Turns } from './turns.ts';

export interface RowCalls {
  readonly callee: Callee;
  readonly call: Implementation;
  /** Not called with a NULL. */
  readonly strict: boolean;
  readonly kind: VectorKind;
  readonly vectors: readonly Vector[];
  readonly length: number;
  readonly frame: Frame;
}

/** The clock is looked at after so many rows, or so much that they weigh. */
const ROWS_A_LOOK = 8;
const WEIGHT_A_LOOK = 64 * 1024;
/** Bytes after which new values are counted. */
const HELD_BYTES_MIN = 128 * 1024;

export function callRows(calls: RowCalls): Vector {
  const { frame, length, kind } = calls;
  const progress = frame.turns?.progress(length, calls.callee) ?? null;
  if (progress === null) {
    const alone: Progress = { results: new Array<Datum>(length), row: 0, vector: null };
    goThrough(calls, alone, null);
    return vectorOf(kind, alone.results);
  }
  if (progress.vector === null) {
    goThrough(calls, progress, frame.turns);
    progress.vector = vectorOf(kind, progress.results);
  }
  return progress.vector;
}

function goThrough(calls: RowCalls, progress: Progress, turns: Turns | null): void {
  const { vectors, length, strict } = calls;
  const { results } = progress;
  const weighed = vectors.map(({ kind }) => kind === 'text' || kind === 'object');
  const args = new Array<Datum>(vectors.length);
  const since = turns?.now() ?? 0;
  let work = 0;
  let uncounted = 0;
  for (let row = progress.row; row < length; row++) {
    progress.row = row;
    let anyNull = false;
    let weight = 0;
    for (let i = 0; i < vectors.length; i++) {
      const value = (vectors[i] as Vector).get(row);
      if (value === null) anyNull = true;
      else if (weighed[i]) weight += weightOf(value);
      args[i] = value;
    }
    if (strict && anyNull) {
      results[row] = null;
      continue;
    }
    if (weight > WEIGHT_A_LOOK && turns !== null) leaveIfLarge(calls, args, { weight, progress, turns });
    const result = callHere(calls, args, progress);
    results[row] = result;
    const made = resultWeight(result);
    uncounted += made;
    if (uncounted > HELD_BYTES_MIN) {
      turns?.hold(uncounted);
      uncounted = 0;
    }
    work += weight + made;
    if (turns === null || (work < WEIGHT_A_LOOK && row % ROWS_A_LOOK !== 0)) continue;
    work = 0;
    progress.row = row + 1;
    turns.pause(since);
  }
}

interface Weighed {
  readonly weight: number;
  readonly progress: Progress;
  readonly turns: Turns;
}

/** @throws Suspension when a helper makes the call. */
function leaveIfLarge(
  { callee }: RowCalls,
  args: readonly Datum[],
  { weight, progress, turns }: Weighed,
): void {
  const effort = turns.effortElsewhere(callee);
  if (effort !== null && weight * effort > CALL_INLINE_BYTES_MAX) {
    turns.callElsewhere(callee, [...args], progress);
  }
}

function callHere({ callee, call, frame }: RowCalls, args: readonly Datum[], progress: Progress): Datum {
  const { functions, turns } = frame;
  try {
    return call(functions, ...args);
  } catch (error) {
    if (!(error instanceof TakesLong) || turns === null || !turns.isOpen) throw error;
    if (turns.effortElsewhere(callee) === null) throw error;
    return turns.callElsewhere(callee, [...args], progress);
  }
}

/** @throws SqlError 54000 when it is too large. */
function resultWeight(result: Datum): number {
  if (typeof result !== 'string' && typeof result !== 'object') return 0;
  const weight = weightOf(result);
  checkValueBytes(weight);
  return weight;
}
