/**
 * A large run without a few rows that another run has: their positions are kept beside the other's bits, which are
 * shared, and bits of its own are made when somebody wants all of them. An UPDATE by key wants none: at 1,000,000
 * rows each would be 125 kB.
 */
import { countBits, hasBit, hideBits } from '../../../types/column/bitset.ts';
import type { Run, Source } from './source.ts';

/** Bits of fewer rows are copied. */
const SHARED_ROWS_MIN = 32 * 1024;
/** With more positions the bits are made: each look at a row goes through them. */
const POSITIONS_MAX = 128;

class HiddenRows implements Run {
  readonly source: Source;
  readonly rowCount: number;
  /** Visible rows. */
  readonly shown: number;
  readonly base: Uint32Array | null;
  readonly positions: readonly number[];
  #visible: Uint32Array | null = null;

  /** @param shown of them by `base`. */
  constructor(run: Run, base: Uint32Array | null, positions: readonly number[], shown: number) {
    this.source = run.source;
    this.rowCount = run.rowCount;
    this.base = base;
    this.positions = positions;
    this.shown = shown;
  }

  get visible(): Uint32Array | null {
    this.#visible ??= hideBits(this.base, this.rowCount, this.positions);
    return this.#visible;
  }

  get isMade(): boolean {
    return this.#visible !== null;
  }
}

/** @param positions of visible rows, each once. */
export function withoutRows(run: Run, positions: readonly number[]): Run {
  if (positions.length === 0) return run;
  const { source, rowCount } = run;
  const before = run instanceof HiddenRows && !run.isMade ? run : null;
  const count = positions.length + (before?.positions.length ?? 0);
  if (rowCount < SHARED_ROWS_MIN || count > POSITIONS_MAX) {
    return { source, rowCount, visible: hideBits(run.visible, rowCount, positions) };
  }
  const shown = shownRows(run) - positions.length;
  if (before === null) return new HiddenRows(run, run.visible, positions, shown);
  return new HiddenRows(run, before.base, [...before.positions, ...positions], shown);
}

export function showsRow(run: Run, position: number): boolean {
  if (!(run instanceof HiddenRows)) return run.visible === null || hasBit(run.visible, position);
  return (run.base === null || hasBit(run.base, position)) && !run.positions.includes(position);
}

/** How many of its rows are visible. */
export function shownRows(run: Run): number {
  return run instanceof HiddenRows ? run.shown : countBits(run.visible, run.rowCount);
}
