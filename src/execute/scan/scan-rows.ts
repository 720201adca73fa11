/**
 * Some rows of one part on their way through a scan: columns, scores and row numbers are read when they are
 * first needed, and only for the rows that are left.
 */
import type { Part, PreparedArm } from '../../engine/engine.ts';
import type { Scan } from '../../physical/physical.ts';
import { type Arm, isExplained } from '../../plan/plan.ts';
import { runTask, type Task, wait } from '../../task.ts';
import {
  type Batch,
  constantVector,
  Float64Vector,
  type Vector,
  vectorOf,
} from '../../types/column/vector.ts';
import { documentVectors } from '../arms/document-vectors.ts';
import { armColumn, nullArmColumn } from '../arms/arms.ts';
import { explanationColumn } from '../arms/explanations.ts';
import { GUARDS } from '../guards.ts';
import type { Run } from '../state.ts';

/** In the place of columns that nobody looks at. */
const UNREAD = vectorOf('object', []);

/** A scan with what it needs to read rows. */
export interface ScanSource {
  readonly plan: Scan;
  readonly arms: readonly (PreparedArm | null)[];
  readonly run: Run;
  /** Positions of arms that are TRUE for every row that will be looked at. */
  readonly implied?: ReadonlySet<number>;
  /** Set when the transaction has to remember the scan's predicate. */
  readonly remembered?: true;
}

export class ScanRows {
  readonly #source: ScanSource;
  readonly part: Part;
  /** The run [start, start + size) of the part that all rows lie in, when it is known. */
  readonly #run: { readonly start: number; readonly size: number } | null;
  /** Positions in the run, or in the part without one; null: the whole run. */
  #places: Uint32Array | null;
  /** Positions in the part, once asked for. */
  #rows: Uint32Array | null = null;
  /** 1 for rows that pass the filter; null when all that are here do. */
  mask: Uint8Array | null = null;
  /** By output position; undefined until read. */
  readonly #columns: (Vector | undefined)[];

  /**
   * @param rows ascending positions in the part, or in the run when one is given.
   * @param run start and size of the run; then `rows` may be null for all of it.
   */
  constructor(
    source: ScanSource,
    part: Part,
    rows: Uint32Array | null,
    run: { readonly start: number; readonly size: number } | null = null,
  ) {
    this.#source = source;
    this.part = part;
    this.#run = run;
    this.#places = rows;
    this.#columns = new Array(source.plan.output.length).fill(undefined);
  }

  get rows(): Uint32Array {
    this.#rows ??= this.#absolute();
    return this.#rows;
  }

  get length(): number {
    return this.#places?.length ?? this.#run?.size ?? 0;
  }

  #absolute(): Uint32Array {
    const places = this.#places;
    if (this.#run === null && places !== null) return places;
    const start = this.#run?.start ?? 0;
    const rows = new Uint32Array(this.length);
    for (let i = 0; i < rows.length; i++) rows[i] = start + (places === null ? i : (places[i] as number));
    return rows;
  }

  /** Scores that are known already, of the arm at an output position. */
  preset(position: number, column: Vector): void {
    this.#columns[position] = column;
  }

  /** Drops the rows that are not at the given (ascending) places. */
  keep(places: Uint32Array): void {
    if (places.length === this.length) return;
    this.#places = this.#places === null ? places : pick(this.#places, places);
    this.#rows = null;
    for (const [position, column] of this.#columns.entries()) {
      if (column !== undefined) this.#columns[position] = column.take(places);
    }
  }

  /** The rows with the columns at these output positions; others must not be looked at. */
  batch(positions: Iterable<number>): Batch | Promise<Batch> {
    return runTask(this.#batch(positions));
  }

  *#batch(positions: Iterable<number>): Task<Batch> {
    const { plan } = this.#source;
    const stored: number[] = [];
    for (const position of positions) {
      if (this.#columns[position] !== undefined) continue;
      if (position < plan.columns.length) stored.push(position);
      else this.#columns[position] = yield* wait(this.#computed(position - plan.columns.length));
    }
    if (stored.length > 0) yield* this.#read(stored);
    return { length: this.length, columns: this.#columns.map((column) => column ?? UNREAD) };
  }

  /** The rows with every output column. */
  all(): Batch | Promise<Batch> {
    return this.batch(this.#source.plan.output.keys());
  }

  *#read(positions: readonly number[]): Task<void> {
    const { plan } = this.#source;
    const attributes = positions.map((position) => plan.columns[position] as number);
    const vectors = yield* this.#readColumns(attributes);
    for (let i = 0; i < positions.length; i++) this.#columns[positions[i] as number] = vectors[i];
  }

  /** Most of a run is read as it lies; few rows of it are not worth decoding the others. */
  *#readColumns(attributes: readonly number[]): Task<readonly Vector[]> {
    const places = this.#places;
    if (this.#run === null || this.length * GUARDS.sparseReads < this.#run.size) {
      return yield* wait(this.part.readRows(attributes, this.rows));
    }
    const { start, size } = this.#run;
    const vectors = yield* wait(this.part.read(attributes, start, start + size));
    return places === null ? vectors : vectors.map((vector) => vector.take(places));
  }

  #computed(index: number): Vector | Promise<Vector> {
    if (this.#source.implied?.has(index) === true) return constantVector('bool', true, this.length);
    const arm = this.#source.plan.arms[index];
    if (arm !== undefined) return this.#scores(arm, index);
    const { rows } = this;
    const numbers = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) numbers[i] = this.part.rowNumbers[rows[i] as number] as number;
    return new Float64Vector(numbers);
  }

  #scores(arm: Arm, index: number): Vector | Promise<Vector> {
    if (arm.kind === 'embedding') return runTask(this.#embeddings(arm.index));
    const { arms, run } = this.#source;
    const prepared = arms[index] ?? null;
    if (prepared === null || this.length === 0) return nullArmColumn(arm, this.length);
    if (isExplained(arm)) return runTask(explanationColumn(this.#source, index, this));
    const scores = prepared.score(this.part, this.rows, run.context.signal);
    if (scores instanceof Promise) return scores.then((known) => armColumn(arm, known));
    return armColumn(arm, scores);
  }

  *#embeddings(index: number): Task<Vector> {
    return vectorOf('object', yield* documentVectors(this.part, index, this.rows, this.#source.run));
  }
}

function pick(rows: Uint32Array, places: Uint32Array): Uint32Array {
  const picked = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = rows[places[i] as number] as number;
  return picked;
}
