/** Making batches: of rows of datums, of many batches one, and NULLs for an outer join's other side. */
import type { OutputColumn } from '../plan/plan.ts';
import type { Datum } from '../types/datum.ts';
import { type Batch, concatVectors, constantVector, type Vector, vectorOf } from '../types/column/vector.ts';
import { kindOf } from './expression/compiled.ts';
import type { Task } from '../task.ts';
import { type Run, turn } from './state.ts';

/** Rows of datums as columns of the given types. */
function batchOf(output: readonly OutputColumn[], rows: readonly (readonly Datum[])[]): Batch {
  const columns = output.map((column, i) =>
    vectorOf(
      kindOf(column.type),
      rows.map((row) => row[i] ?? null),
    ),
  );
  return { length: rows.length, columns };
}

/** Many batches as one; `output` gives the columns when there are none. */
export function concatBatches(output: readonly OutputColumn[], batches: readonly Batch[]): Batch {
  const [first, second] = batches;
  if (first === undefined) return batchOf(output, []);
  if (second === undefined) return first;
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  const columns = first.columns.map((column, i) =>
    concatVectors(
      column.kind,
      batches.map((batch) => batch.columns[i] as Vector),
    ),
  );
  return { length, columns };
}

/** As `concatBatches`, with a turn for others between columns. */
export function* concatSliced(
  output: readonly OutputColumn[],
  batches: readonly Batch[],
  run: Run,
): Task<Batch> {
  const [first, second] = batches;
  if (first === undefined || second === undefined) return concatBatches(output, batches);
  const columns: Vector[] = [];
  for (const [i, { kind }] of first.columns.entries()) {
    columns.push(
      concatVectors(
        kind,
        batches.map((batch) => batch.columns[i] as Vector),
      ),
    );
    yield* turn(run);
  }
  return { length: batches.reduce((sum, batch) => sum + batch.length, 0), columns };
}

/** `length` rows of NULLs. */
export function nullColumns(output: readonly OutputColumn[], length: number): Vector[] {
  return output.map((column) => constantVector(kindOf(column.type), null, length));
}

/** Rows of datums are gathered until a batch is full. */
export class BatchBuilder {
  readonly #output: readonly OutputColumn[];
  #rows: (readonly Datum[])[] = [];

  constructor(output: readonly OutputColumn[]) {
    this.#output = output;
  }

  get length(): number {
    return this.#rows.length;
  }

  add(row: readonly Datum[]): void {
    this.#rows.push(row);
  }

  take(): Batch {
    const batch = batchOf(this.#output, this.#rows);
    this.#rows = [];
    return batch;
  }
}
