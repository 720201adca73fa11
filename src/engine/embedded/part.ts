/**
 * What a snapshot shows of a run: an immutable part with its visible rows, columns in the catalog's types.
 */
import { columnByAttribute, type Relation } from '../../catalog/model.ts';
import type { Vector } from '../../types/vector.ts';
import type { Part } from '../engine.ts';
import { columnVector, nullVector } from './column.ts';
import { convertVector } from './convert.ts';
import type { Run, Source } from './source.ts';

export class EnginePart implements Part {
  readonly rowCount: number;
  readonly visible: Uint32Array | null;
  readonly rowNumbers: Float64Array;
  readonly run: Run;
  readonly #relation: Relation;

  constructor(relation: Relation, run: Run) {
    this.#relation = relation;
    this.run = run;
    this.rowCount = run.rowCount;
    this.visible = run.visible;
    this.rowNumbers = run.source.rowNumbers.subarray(0, run.rowCount);
  }

  async read(attributes: readonly number[], start: number, end: number): Promise<readonly Vector[]> {
    const { source } = this.run;
    await source.load(attributes);
    return attributes.map((attribute) => readColumn(source, this.#relation, attribute, start, end));
  }
}

/** Rows [start, end) of a column in the catalog's type; NULLs where the rows are older than the column. */
export function readColumn(
  source: Source,
  relation: Relation,
  attribute: number,
  start: number,
  end: number,
): Vector {
  const column = source.column(attribute);
  const wanted = columnByAttribute(relation, attribute)?.type.oid ?? column?.type ?? 0;
  if (column === null) return nullVector(wanted, end - start);
  return convertVector(columnVector(column, start, end), column.type, wanted);
}
